"""Raised and lowered digits: joined, written with the digits of Unicode, and recorded; a merged power does not pass."""

import re

import pytest

from tasks.records import Box, Word
from tasks.validate.scripts import MERGED_POWER, with_scripts


def _word(text: str, x0: float, x1: float, top: float = 100.0, bottom: float = 112.0) -> Word:
    box: Box = (x0, top, x1, bottom)
    return Word(guideline="g", page=1, block=1, line=1, text=text, box=box)


TEN, NINE, LITRE = _word("10", 50, 60), _word("9", 60, 63, 99, 106), _word("/L", 63, 72)


def test_a_raised_digit_is_joined_to_both_sides_and_recorded() -> None:
    words, repairs = with_scripts([TEN, NINE, LITRE])
    assert [word.text for word in words] == ["10⁹/L"]
    assert [(repair.before, repair.after) for repair in repairs] == [("10 9 /L", "10⁹/L")]


def test_a_lowered_digit_is_an_index() -> None:
    words, _ = with_scripts([_word("SpO", 50, 70), _word("2", 70, 73, 106, 113)])
    assert [word.text for word in words] == ["SpO₂"]


def test_a_word_a_space_away_stays_apart() -> None:
    words, _ = with_scripts([TEN, NINE, _word("to", 64, 72)])
    assert [word.text for word in words] == ["10⁹", "to"]


def test_the_mark_of_a_footnote_at_the_start_of_a_row_stays_apart() -> None:
    words, _ = with_scripts([_word("1", 50, 53, 99, 106), _word("National", 53, 90)])
    assert [word.text for word in words] == ["¹", "National"]


def test_a_small_digit_on_the_base_line_is_no_superscript() -> None:
    words, repairs = with_scripts([_word("10", 50, 60), _word("9", 60, 63, 101, 111)])
    assert [word.text for word in words] == ["10", "9"] and not repairs


@pytest.mark.parametrize("text", ["below 109/L", "2 × 1012/L", "5 x 105 CFU", "10 9 /L", "x10-6 mol", "1012/L"])
def test_a_merged_power_does_not_pass(text: str) -> None:
    assert re.search(MERGED_POWER, text)


@pytest.mark.parametrize(
    "text", ["10⁹/L", "a rate of 109/min", "4 x 100 mg", "10 mL", "2 × 10.5 mg", "109 mg", "110/L"]
)
def test_other_numbers_pass(text: str) -> None:
    assert not re.search(MERGED_POWER, text)
