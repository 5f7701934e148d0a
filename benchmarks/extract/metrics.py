"""The measures of the benchmark, each over the lines of a truth and the lines that an engine made of the PDF."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from benchmarks.extract.truth import Known

_PLAIN = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\u00ad": "", "\u200b": ""}
    | dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u200a\u202f", " ")
)
_FLAT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_MARKS = frozenset("|•·♦‣◦▪\uf0a1\uf0a7\uf0b7")
_NUMBER = r"\d+(?:[.,]\d+)*(?:[⁻⁺]?[⁰¹²³⁴-⁹]+)?"
_UNIT = (
    r"(?:mmol/L|µmol/L|mol/L|mL/min/1\.73 m²|mL/kg/h|mL/kg|mL|mg/m²|mg/kg|mg|µg/kg|µg|micrograms|units|kg|g|kPa|"
    r"minutes|days|hours|beats/min|°C|%|/L|m²)(?![\w⁰-⁹²³])"
)
_QUANTITY = re.compile(
    rf"(?<![\w.])(?:[<>≤≥=±×]\s?)?{_NUMBER}(?:\s?[–-]\s?{_NUMBER})?(?:\s?{_UNIT})?(?![\w⁰-⁹²³])|(?<=[A-Za-z])[₀-₉²³]+"
)
_GRAM = 6  # words by which a line is found


def normal(text: str) -> list[str]:
    """The words of a text, the same for all engines: no ligatures, soft hyphens, odd spaces, bullets or cell bars."""
    return [word for word in text.translate(_PLAIN).split() if word not in _MARKS]


def f1(found: Counter[str], wanted: Counter[str]) -> float:
    """The harmonic mean of precision and recall of two multisets; 1 if both are empty."""
    total = found.total() + wanted.total()
    return 2 * (found & wanted).total() / total if total else 1.0


def words_of(lines: Iterable[Known]) -> Counter[str]:
    """The multiset of the words of lines."""
    return Counter(word for line in lines for word in normal(line.text))


def word_f1(found: Sequence[Known], wanted: Sequence[Known]) -> float:
    """F1 of the multisets of words, which does not see their order."""
    return f1(words_of(found), words_of(wanted))


def line_f1(found: Sequence[Known], wanted: Sequence[Known]) -> float:
    """F1 of the multisets of whole lines: a line counts where its words are those of a truth line, in order.

    That is the strict form of boundary F1: a line cut in two is two lines invented and one lost.
    """
    return f1(*(Counter(" ".join(normal(line.text)) for line in lines) for lines in (found, wanted)))


def order_errors(found: Sequence[Known], wanted: Sequence[Known]) -> int:
    """How many pairs of neighbouring truth lines come out in the wrong order.

    A line stands where its first six words (fewer in a short line) do in the words of all lines; pairs with a line
    that is not found, or whose first words stand more than once in the truth, are not counted.
    """
    stream = [word for line in found for word in normal(line.text)]
    starts = [tuple(normal(line.text)[:_GRAM]) for line in wanted]
    sizes = {len(start) for start in starts}
    at: dict[tuple[str, ...], list[int]] = {}
    for size in sizes:
        for i in range(len(stream) - size + 1):
            at.setdefault(tuple(stream[i : i + size]), []).append(i)
    places = [at[start][0] if len(at.get(start, ())) == 1 else None for start in starts]
    return sum(a is not None and b is not None and a > b for a, b in pairwise(places))


def quantities(texts: Iterable[str]) -> Counter[str]:
    """The multiset of numbers with their comparators, powers, ranges and units; and of indices ("SpO₂") and powers."""
    text = " ".join(" ".join(word for word in text.translate(_PLAIN).split() if word != "|") for text in texts)
    return Counter(re.sub(r"\s", "", item) for item in _QUANTITY.findall(text))


def numbers(texts: Iterable[str]) -> Counter[str]:
    """The multiset of bare numbers and of comparators, raised and lowered digits as plain ones.

    For real files, where raw pdftotext is all there is to compare with: it writes 109/L for 10⁹/L, and cuts units at row
    ends.
    """
    text = " ".join(text.translate(_PLAIN).translate(_FLAT) for text in texts)
    return Counter(re.findall(r"[<>≤≥]|\d+", text))


def quantities_lost(found: Sequence[Known], wanted: Sequence[Known]) -> int:
    """How many quantities of the truth are not in the lines."""
    return (quantities(line.text for line in wanted) - quantities(line.text for line in found)).total()


def quantities_invented(found: Sequence[Known], wanted: Sequence[Known], furniture: Sequence[str]) -> int:
    """How many quantities of the lines are neither in the truth nor in its furniture (page numbers, contents)."""
    allowed = quantities(line.text for line in wanted) + quantities(furniture)
    return (quantities(line.text for line in found) - allowed).total()


def kind_accuracy(found: Sequence[Known], wanted: Sequence[Known]) -> float | None:
    """The share of the truth lines found whole that have the right kind; None for an engine that knows no kinds."""
    return _share(found, wanted, "kind")


def parent_accuracy(found: Sequence[Known], wanted: Sequence[Known]) -> float | None:
    """The share of the truth lines found whole that hang under the right line; None for an engine without parents."""
    return _share(found, wanted, "parent")


def _share(found: Sequence[Known], wanted: Sequence[Known], what: str) -> float | None:
    """Over lines of the same words; where these stand more than once, they are compared in order."""
    if all(getattr(line, what) is None for line in found):
        return None
    spare: dict[str, list[Known]] = {}
    for line in found:
        spare.setdefault(" ".join(normal(line.text)), []).append(line)
    right = total = 0
    for line in wanted:
        if same := spare.get(" ".join(normal(line.text))):
            mine = getattr(same.pop(0), what)
            theirs = getattr(line, what)
            total += 1
            right += normal(str(mine)) == normal(str(theirs))
    return right / total if total else None


def recall(found: Counter[str], wanted: Counter[str]) -> float:
    """The share of a multiset that is in another; 1 of an empty one."""
    return (found & wanted).total() / wanted.total() if wanted else 1.0
