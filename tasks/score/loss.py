"""What an answer loses that changes what its lines say: lead-ins, negations, and lines that are safety-critical; our own."""

from collections.abc import Collection, Sequence

from tasks.records import Line
from tasks.vital import NEGATION


def without_lead_in(shown: Collection[int], lines: Sequence[Line]) -> list[tuple[Line, list[Line]]]:
    """The lines shown that hang under a line which is not, each with those it lacks; headings do not count.

    A bullet without its lead-in, a row without its header, a footnote without the line it belongs to.
    """
    known = {line.number: line for line in lines}
    found = []
    for number in sorted(set(shown) & set(known)):
        lacks = []
        above = known[number].parent
        while above is not None and known[above].kind != "heading":
            if above not in shown:
                lacks.append(known[above])
            above = known[above].parent
        if lacks:
            found.append((known[number], lacks))
    return found


def lead_in_loss(shown: Collection[int], lines: Sequence[Line]) -> float:
    """The share of the lines shown that lack a line they hang under; 0 if none is shown."""
    own = set(shown) & {line.number for line in lines}
    return len(without_lead_in(own, lines)) / len(own) if own else 0.0


def negation_loss(shown: Collection[int], lines: Sequence[Line]) -> int:
    """How many lines are shown without the "do not" that they hang under: each says the opposite of the guideline."""
    return sum(any(NEGATION.search(line.text) for line in lacks) for _, lacks in without_lead_in(shown, lines))


def critical_omission(shown: Collection[int], critical: Collection[int]) -> float | None:
    """The share of the safety-critical lines that are not shown; None for a question without any."""
    return len(set(critical) - set(shown)) / len(set(critical)) if critical else None
