"""What is lost with a lead-in, by hand on six lines."""

import pytest

from tasks.records import Line
from tasks.score.loss import critical_omission, lead_in_loss, negation_loss

TEXTS = [
    ("heading", "Do not delay", None),
    ("lead-in", "Do not give:", 1),
    ("bullet", "antihistamines first", 2),
    ("bullet", "steroids first", 2),
    ("lead-in", "Give:", 1),
    ("bullet", "oxygen", 5),
]
LINES = [
    Line(guideline="g", number=i, text=text, kind=kind, parent=parent, paragraph=i, places=())  # type: ignore[arg-type]
    for i, (kind, text, parent) in enumerate(TEXTS, 1)
]


@pytest.mark.parametrize(
    ("shown", "lead_ins", "negations"),
    [
        ({3}, 1.0, 1),  # a bullet says the opposite
        ({2, 3, 4}, 0.0, 0),
        ({3, 4, 5, 6}, 0.5, 2),
        ({6}, 1.0, 0),  # its lead-in denies nothing, and that of its heading does not count
        ({1, 2}, 0.0, 0),
        (set(), 0.0, 0),
        ({99}, 0.0, 0),  # a line of another guideline
    ],
)
def test_a_line_without_its_lead_in_counts_and_with_a_negation_counts_twice(
    shown: set[int], lead_ins: float, negations: int
) -> None:
    assert lead_in_loss(shown, LINES) == lead_ins
    assert negation_loss(shown, LINES) == negations


def test_the_share_of_critical_lines_that_are_missing() -> None:
    assert critical_omission({1, 2, 3}, (2, 3, 4, 5)) == 0.5
    assert critical_omission(set(), (2,)) == 1
    assert critical_omission({2}, (2,)) == 0
    assert critical_omission({2}, ()) is None
