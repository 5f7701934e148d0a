"""The FAISS index of one view of the sections (Fig. 2): inner product on normalised vectors, which is the cosine."""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.protocols import Embedder
from tasks.records import Section, View

VIEWS: tuple[View, ...] = ("text", "text+question")


def representation(section: Section, topic: str, view: View) -> str:
    """Guideline topic, section title and section text in one string; `text+question` adds the representative question."""
    parts = [topic, section.title, section.text]
    if view == "text+question":
        parts.append(section.question)
    return ". ".join(part.strip() for part in parts)


def build(sections: Sequence[Section], titles: Mapping[str, str], view: View, embedder: Embedder) -> Any:
    """A `faiss.IndexFlatIP` whose row i is section i; `titles` gives each guideline's topic. There must be one."""
    import faiss

    texts = [representation(section, titles[section.guideline], view) for section in sections]
    vectors = embedder.embed(texts, "document")
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(vectors)
    return index
