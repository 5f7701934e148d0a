"""Precision, recall and F1 of one question; means over questions are taken of these (the paper's macro mean)."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PRF:
    """Precision, recall and their harmonic mean, each in 0..1."""

    precision: float
    recall: float
    f1: float


def prf(common: int, given: int, wanted: int, both_empty: float) -> PRF:
    """From the size of the overlap, of the answer and of the reference."""
    if not given and not wanted:
        return PRF(both_empty, both_empty, both_empty)
    precision = common / given if given else 0.0
    recall = common / wanted if wanted else 0.0
    return PRF(precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0)
