"""What a strategy reads: lines that keep their own numbers, chosen before it (the whole guideline, or retrieved parts)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.records import Line, Section, Sentence


@dataclass(frozen=True)
class Context:
    """Lines of one guideline, their sentences, the sections that BASE shows, best first, and what is shown anyway.

    `added` are lines that are added to what a model chooses.
    """

    title: str
    lines: tuple[Line, ...]
    sentences: tuple[Sentence, ...]
    sections: tuple[Section, ...]
    added: tuple[Line, ...] = ()

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
    chosen = _with_parents(lines, (number for section in kept for number in section.lines))
    return _of_lines(title, lines, sentences, sections, chosen)


def shortlist_context(
    title: str,
    lines: Sequence[Line],
    sentences: Sequence[Sentence],
    sections: Sequence[Section],
    best: Iterable[int],
) -> Context:
    """The shortlisted lines, in document order, with what hangs under them and the lines they hang under.

    A lead-in brings its bullets, a header row its rows and a line its footnotes; a heading, which comes along as those
    of `mass_context` do, brings nothing.
    """
    return _of_lines(title, lines, sentences, sections, _whole(lines, best))


def added_lines(lines: Sequence[Line], best: Iterable[int]) -> tuple[Line, ...]:
    """The lines that are shown whatever a model chooses: as `shortlist_context` has them, without the headings."""
    chosen = _whole(lines, best)
    return tuple(line for line in lines if line.number in chosen and line.kind != "heading")


def _whole(lines: Sequence[Line], numbers: Iterable[int]) -> set[int]:
    return _with_parents(lines, _with_children(lines, numbers))


def _with_parents(lines: Sequence[Line], numbers: Iterable[int]) -> set[int]:
    """The numbers, and those of all lines that these hang under."""
    parents = {line.number: line.parent for line in lines}
    chosen: set[int] = set()
    for number in numbers:
        at: int | None = number
        while at is not None and at not in chosen:
            chosen.add(at)
            at = parents[at]
    return chosen


def _with_children(lines: Sequence[Line], numbers: Iterable[int]) -> set[int]:
    """The numbers, and those of all lines that hang under them, but for what hangs under headings."""
    children: dict[int, list[int]] = {}
    headings = {line.number for line in lines if line.kind == "heading"}
    for line in lines:
        if line.parent is not None and line.parent not in headings:
            children.setdefault(line.parent, []).append(line.number)
    chosen: set[int] = set()
    waiting = list(numbers)
    while waiting:
        number = waiting.pop()
        if number not in chosen:
            chosen.add(number)
            waiting += children.get(number, [])
    return chosen


def _of_lines(
    title: str, lines: Sequence[Line], sentences: Sequence[Sentence], sections: Sequence[Section], chosen: set[int]
) -> Context:
    return Context(
        title,
        tuple(line for line in lines if line.number in chosen),
        tuple(sentence for sentence in sentences if sentence.line in chosen),
        tuple(sections),
    )
