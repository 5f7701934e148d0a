"""Precision, recall and F1 over sets: medical terms (Automatic Evaluation) and line numbers."""

from collections.abc import Set as AbstractSet

from tasks.score.prf import PRF, prf


def set_prf(reference: AbstractSet[object], answer: AbstractSet[object], both_empty: float = 1.0) -> PRF:
    """Over sets of unique items; `both_empty` where both are empty, 0 where one is."""
    return prf(len(reference & answer), len(answer), len(reference), both_empty)
