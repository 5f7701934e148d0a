"""Line numbers are read from the end of a reply only, and none is clamped or wrapped."""

import pytest

from tasks.answer.numbers import parse_line_numbers
from tasks.errors import UnreadableReply

SHOWN = range(1, 62)


@pytest.mark.parametrize(
    ("reply", "valid"),
    [
        ("3, 12-14", {3, 12, 13, 14}),
        ("14-12", {12, 13, 14}),
        ("12–14", {12, 13, 14}),
        ("12 — 14", {12, 13, 14}),
        ("3,3, 3", {3}),
        ("7", {7}),
        ("1 2 3", {1, 2, 3}),
        ("Lines: 4, 5", {4, 5}),
        ("**12, 14**", {12, 14}),
        ("[5; 6]", {5, 6}),
        ("Give 10 mg after 5 minutes.\n\n21, 22", {21, 22}),
        ("21\n22\n30-31", {21, 22, 30, 31}),
        ("1. Give 500 micrograms\n2. Wait\n\nFinal line numbers: 9", {9}),
        ("12, 13.", {12, 13}),
    ],
)
def test_the_final_numbers_are_read(reply: str, valid: set[int]) -> None:
    assert parse_line_numbers(reply, SHOWN) == type(parse_line_numbers("1", SHOWN))(frozenset(valid), ())


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I do not know",
        "12, 14 are relevant",
        "Give 10 mg",
        "lines 3 and 4",
        "3.5",
        "-5",
        "12-14 mg",
        "1" * 5000,
        "1-999999",
    ],
)
def test_a_reply_that_does_not_end_in_line_numbers_is_unreadable(reply: str) -> None:
    with pytest.raises(UnreadableReply):
        parse_line_numbers(reply, SHOWN)


def test_numbers_outside_of_the_document_are_kept_apart_each_once() -> None:
    named = parse_line_numbers("0, 60-63, 99, 99", SHOWN)
    assert (named.valid, named.invalid) == (frozenset({60, 61}), (0, 62, 63, 99))


def test_a_range_may_pass_over_lines_that_were_not_shown() -> None:
    named = parse_line_numbers("2-8", [2, 3, 7, 8])
    assert (named.valid, named.invalid) == (frozenset({2, 3, 7, 8}), ())


def test_a_line_named_by_itself_that_was_not_shown_is_invalid() -> None:
    assert parse_line_numbers("5", [2, 8]).invalid == (5,)


def test_the_word_none_selects_nothing() -> None:
    assert parse_line_numbers("Nothing fits.\nNone.", SHOWN).valid == frozenset()
