"""The index of sections (Listing 1, Table 4): coherent parts of every paragraph, each with the question it answers."""

from tasks.index.paragraphs import Paragraph, paragraphs
from tasks.index.subparts import Indexed, ask_subparts, read_subparts

__all__ = ["Indexed", "Paragraph", "ask_subparts", "paragraphs", "read_subparts"]
