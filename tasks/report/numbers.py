"""How numbers are printed: never with more digits than some dozens of questions can carry."""

from collections.abc import Sequence
from statistics import fmean

from tasks.report.table import MINUS, MISSING


def share(value: float | None) -> str:
    """A score between 0 and 1, or a cosine: two decimals."""
    return MISSING if value is None else f"{value:.2f}".replace("-", MINUS)


def length(value: float | None) -> str:
    """A mean number of words: whole from 10 on, else one decimal."""
    if value is None:
        return MISSING
    return f"{value:,.0f}" if round(value, 1) >= 10 else f"{value:.1f}"


def count(value: float | None) -> str:
    """A whole number, with thousands separators."""
    return MISSING if value is None else f"{value:,.0f}"


def of(values: Sequence[float] | None) -> str:
    """How many of the zeros and ones are ones: "3 of 16"."""
    return f"{sum(values):.0f} of {len(values)}" if values else MISSING


def spread(values: Sequence[float]) -> str:
    """mean (min–max) of counts of words."""
    return f"{length(fmean(values))} ({min(values):,.0f}–{max(values):,.0f})" if values else MISSING


def probability(value: float) -> str:
    """A p-value: three decimals, or "< 0.001"."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def signed(value: float, digits: int) -> str:
    """A difference with its sign."""
    text = f"{value:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text.replace("-", MINUS)
