"""How much of what a model wrote is not in the source."""

from tasks.records import Answer


def hallucination_rate(answer: Answer) -> float:
    """The share of the words a model claimed to copy that stand in `unsupported` excerpts; 0 if it claimed none.

    Words of a repaired excerpt are in the source; an unsupported excerpt counts whole, for no part of it was found.
    """
    claimed = sum(len(excerpt.claimed.split()) for excerpt in answer.excerpts)
    invented = sum(len(item.claimed.split()) for item in answer.excerpts if item.verdict == "unsupported")
    return invented / claimed if claimed else 0.0
