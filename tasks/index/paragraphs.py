"""What Listing 1 calls a paragraph: the lines that are read together, under their heading."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from tasks.records import Line, Sentence


@dataclass(frozen=True)
class Paragraph:
    """A paragraph: its number, the heading above it (empty at the top), and its sentences in order."""

    guideline: str
    number: int
    heading: str
    sentences: tuple[Sentence, ...]

    @property
    def text(self) -> str:
        """The sentences, those of one line joined by a space and lines by a newline: what a span must be verbatim in."""
        return join(self.sentences)


def join(sentences: Sequence[Sentence]) -> str:
    """The text of consecutive sentences, as it stands in the document."""
    rows = groupby(sentences, key=lambda sentence: sentence.line)
    return "\n".join(" ".join(sentence.text for sentence in row) for _, row in rows)


def paragraphs(lines: Sequence[Line], sentences: Sequence[Sentence]) -> list[Paragraph]:
    """The paragraphs of one guideline; a heading is not a paragraph of its own, it is the name above the next ones."""
    kinds = {line.number: line for line in lines}
    body = [sentence for sentence in sentences if kinds[sentence.line].kind != "heading"]
    grouped = groupby(body, key=lambda sentence: kinds[sentence.line].paragraph)
    return [
        Paragraph(lines[0].guideline, number, _heading(kinds[group[0].line], kinds), tuple(group))
        for number, group in ((number, list(members)) for number, members in grouped)
    ]


def _heading(line: Line, lines: dict[int, Line]) -> str:
    while line.kind != "heading" and line.parent is not None:
        line = lines[line.parent]
    return line.text if line.kind == "heading" else ""
