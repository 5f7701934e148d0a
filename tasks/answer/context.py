"""What a strategy reads: lines that keep their own numbers, chosen before it (the whole guideline, or retrieved parts)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.records import Line, Section, Sentence


@dataclass(frozen=True)
class Context:
    """Lines of one guideline, their sentences, and the sections that BASE shows, best first."""

    title: str
    lines: tuple[Line, ...]
    sentences: tuple[Sentence, ...]
    sections: tuple[Section, ...]

    @property
    def numbered(self) -> str:
        """The lines as every prompt shows them, so that the prompts of all strategies begin alike."""
        return "\n".join(f"{line.number}: {line.text}" for line in self.lines)


def full_context(
    title: str, lines: Sequence[Line], sentences: Sequence[Sentence], sections: Sequence[Section]
) -> Context:
    """The whole guideline."""
    return Context(title, tuple(lines), tuple(sentences), tuple(sections))


def mass_context(
    title: str,
    lines: Sequence[Line],
    sentences: Sequence[Sentence],
    sections: Sequence[Section],
    kept: Iterable[Section],
) -> Context:
    """The lines that the kept sections cover, in document order, and the lines those hang under.

    The heading, the lead-in and the header row come along, for a bullet under "Do not give:" says the opposite
    without it.
    """
    parents = {line.number: line.parent for line in lines}
    chosen: set[int] = set()
    for section in kept:
        for number in section.lines:
            at: int | None = number
            while at is not None and at not in chosen:
                chosen.add(at)
                at = parents[at]
    return Context(
        title,
        tuple(line for line in lines if line.number in chosen),
        tuple(sentence for sentence in sentences if sentence.line in chosen),
        tuple(sections),
    )
