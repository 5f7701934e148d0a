"""The measures of `make bench-extract` on examples worked out by hand, and some of its layouts from end to end."""

from pathlib import Path

import pytest

from benchmarks.extract import metrics
from benchmarks.extract.engines import ours
from benchmarks.extract.layouts import LAYOUTS
from benchmarks.extract.truth import Known
from tasks.errors import UnreadablePdf

WANTED = [
    Known("Doses", "heading", ""),
    Known("Give 5 mg if < 3.5 mmol/L.", "prose", "Doses"),
    Known("Drug | 10⁹/L", "row", "Doses"),
]


def test_word_f1_counts_words_as_often_as_they_stand() -> None:
    found = [Known("Doses Give 5 mg if < 3.5 mmol/L. Drug 109/L extra")]
    # 10 words of 11 and of 10: 9 are the same ("10⁹/L" is lost; "109/L" and "extra" are new)
    assert metrics.word_f1(found, WANTED) == pytest.approx(2 * 9 / (11 + 10))


def test_line_f1_counts_a_line_cut_in_two_as_two_invented_and_one_lost() -> None:
    found = [Known("Doses"), Known("Give 5 mg if"), Known("< 3.5 mmol/L."), Known("• Drug 10⁹/L")]
    assert metrics.line_f1(found, WANTED) == pytest.approx(2 * 2 / (4 + 3))


def test_order_errors_are_neighbours_that_change_places() -> None:
    found = [WANTED[0], WANTED[2], WANTED[1]]
    assert metrics.order_errors(found, WANTED) == 1
    assert metrics.order_errors(WANTED, WANTED) == 0


def test_a_quantity_is_a_number_with_comparator_power_and_unit() -> None:
    texts = ["Give 5 mg if < 3.5 mmol/L", "5–10 mL | 2 × 10⁹/L", "SpO₂ 94%"]
    assert sorted(metrics.quantities(texts)) == sorted(["5mg", "<3.5mmol/L", "5–10mL", "2", "×10⁹/L", "₂", "94%"])


def test_a_merged_power_is_a_quantity_lost_and_one_invented() -> None:
    found = [Known("Doses"), Known("Give 5 mg if < 3.5 mmol/L."), Known("Drug 109/L on page 7")]
    assert metrics.quantities_lost(found, WANTED) == 1
    assert metrics.quantities_invented(found, WANTED, ["7"]) == 1


def test_kind_and_parent_are_judged_of_lines_found_whole() -> None:
    found = [Known("Doses", "prose", ""), Known("Drug | 10⁹/L", "row", ""), Known("Give", "prose", "Doses")]
    assert metrics.kind_accuracy(found, WANTED) == 0.5
    assert metrics.parent_accuracy(found, WANTED) == 0.5
    assert metrics.kind_accuracy([Known("Doses")], WANTED) is None


@pytest.mark.parametrize("name", ["superscripts, glyphs of the font", "reportlab flow", "landscape card"])
def test_a_layout_comes_out_as_it_was_set(tmp_path: Path, name: str) -> None:
    build = next(layout.build for layout in LAYOUTS if layout.name == name)
    truth = build(tmp_path / "a.pdf")
    assert truth is not None
    found = ours(tmp_path / "a.pdf")
    assert metrics.word_f1(found, truth.lines) >= 0.999
    assert metrics.line_f1(found, truth.lines) >= 0.99
    assert metrics.quantities_lost(found, truth.lines) == 0
    assert metrics.order_errors(found, truth.lines) == 0


def test_a_font_that_does_not_say_its_letters_is_refused(tmp_path: Path) -> None:
    build = next(layout.build for layout in LAYOUTS if layout.name == "no ToUnicode, TrueType font")
    build(tmp_path / "a.pdf")
    with pytest.raises(UnreadablePdf, match="fonts do not say which letters"):
        ours(tmp_path / "a.pdf")
