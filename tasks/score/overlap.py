"""The overlap of predicted spans with gold spans of a text, as verbatim-rag's extraction benchmark counts it.

Source: KRLabsOrg/acl-verbatim at ba318bd, worked out from the counts in its committed predictions: `make
bench-acl-verbatim` replays them. A word is a run of characters without white space, and belongs to a span that touches it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

VERSION = "1 (acl-verbatim ba318bd)"
Span = tuple[int, int]  # from, to (not included), in characters


@dataclass(frozen=True)
class Overlap:
    """Counts over any number of texts; they add up. `matched` spans have IoU of at least .5, one to one."""

    words_both: int = 0
    words_predicted: int = 0
    words_gold: int = 0
    predicted: int = 0
    gold: int = 0
    matched: int = 0
    inside: int = 0  # predicted spans that lie in a gold one
    held: int = 0  # gold spans that hold a predicted one
    covered: int = 0  # gold spans of which the predicted ones together cover at least .8
    touched: int = 0  # gold spans that a predicted one touches

    def __add__(self, other: "Overlap") -> "Overlap":
        """The counts of both."""
        return Overlap(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    def scores(self) -> dict[str, float]:
        """The columns of the benchmark's summary.csv; a share of nothing is 0."""
        word_p, word_r = _share(self.words_both, self.words_predicted), _share(self.words_both, self.words_gold)
        iou_p, iou_r = _share(self.matched, self.predicted), _share(self.matched, self.gold)
        in_p, in_r = _share(self.inside, self.predicted), _share(self.held, self.gold)
        return {
            "word_p": word_p,
            "word_r": word_r,
            "word_f1": _f1(word_p, word_r),
            "iou_f1_0.5": _f1(iou_p, iou_r),
            "containment_f1_1.0": _f1(in_p, in_r),
            "goldcov_0.8": _share(self.covered, self.gold),
            "any_overlap": _share(self.touched, self.gold),
            "overpred": _share(self.predicted, self.gold),
        }


def overlap(text: str, gold: Sequence[Span], predicted: Sequence[Span]) -> Overlap:
    """The counts of one text."""
    words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    wanted, given = _touched(words, gold), _touched(words, predicted)
    return Overlap(
        words_both=len(wanted & given),
        words_predicted=len(given),
        words_gold=len(wanted),
        predicted=len(predicted),
        gold=len(gold),
        matched=_matched(gold, predicted),
        inside=sum(any(_within(item, own) for own in gold) for item in predicted),
        held=sum(any(_within(item, own) for item in predicted) for own in gold),
        covered=sum(_covered(own, predicted) >= 0.8 * (own[1] - own[0]) for own in gold),
        touched=sum(_covered(own, predicted) > 0 for own in gold),
    )


def _touched(words: Sequence[Span], spans: Sequence[Span]) -> set[int]:
    return {at for at, word in enumerate(words) if any(_common(word, span) > 0 for span in spans)}


def _common(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] < inner[1] <= outer[1]


def _covered(own: Span, others: Sequence[Span]) -> int:
    """How many characters of a span the others cover together."""
    return len({at for other in others for at in range(max(own[0], other[0]), min(own[1], other[1]))})


def _matched(gold: Sequence[Span], predicted: Sequence[Span]) -> int:
    """Pairs of highest IoU first, each span in one pair."""
    pairs = sorted(((_iou(a, b), i, j) for i, a in enumerate(gold) for j, b in enumerate(predicted)), reverse=True)
    left, right = set[int](), set[int]()
    for value, i, j in pairs:
        if value >= 0.5 and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return len(left)


def _iou(one: Span, other: Span) -> float:
    common = _common(one, other)
    return common / (one[1] - one[0] + other[1] - other[0] - common) if common else 0.0


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
