"""Quantities are read with comparator and unit, and compared to the letter of what they mean."""

import pytest

from tasks.score.quantities import Quantity, kept, quantities, supported


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Give 500 micrograms IM, 0.5 mL of 1 mg/mL",
            {("", "500", "microgram"), ("", "0.5", "mL"), ("", "1", "mg/mL")},
        ),
        ("<48 h", {("<", "48", "h")}),
        ("more than 48 hours", {(">", "48", "h")}),
        ("at least 65 years", {("≥", "65", "year")}),
        ("65 years or over", {("≥", "65", "year")}),
        ("5\u201310 minutes", {("", "5-10", "min")}),
        ("between 5 and 10 mg", {("", "5-10", "mg")}),
        ("10 mL over 10 minutes", {("", "10", "mL"), ("", "10", "min")}),
        ("1,000 mL and 0,5 mg", {("", "1000", "mL"), ("", "0.5", "mg")}),
        ("2 × 10⁹/L", {("", "2×10⁹", "/L")}),
        ("12.50 mg/kg/day", {("", "12.5", "mg/kg/day")}),
        ("no more than 4 g in 24 hours", {("≤", "4", "g"), ("", "24", "h")}),
        ("500 micrograms to 1 mg", {("", "500 microgram-1", "mg")}),
        ("3.5 mmol per litre", {("", "3.5", "mmol/L")}),
        ("150/90 mmHg", {("", "150", ""), ("", "90", "mmHg")}),
        ("see 3.2.1, SpO2 and B12", set()),
        ("5 minimal lesions", {("", "5", "")}),
        ("", set()),
    ],
)
def test_a_quantity_is_a_number_with_comparator_and_unit(text: str, found: set[tuple[str, str, str]]) -> None:
    assert quantities(text) == {Quantity(*item) for item in found}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("< 48 h", "> 48 h"),
        ("< 48 h", "48 h"),
        ("≤ 48 h", "< 48 h"),
        ("5 micrograms", "5 mg"),
        ("0.5 mg", "5 mg"),
        ("0.5 mg", "500 micrograms"),
        ("5\u201310 mg", "5 mg, 10 mg"),
        ("10 mL/h", "10 mL"),
        ("10%", "10"),
    ],
)
def test_what_differs_in_comparator_value_or_unit_is_not_kept(one: str, other: str) -> None:
    assert kept(one, other) == 0
    assert supported(one, other) == 0
    assert kept(one, f"{other}; {one}") == 1


def test_the_share_that_is_kept_is_of_the_reference_s_and_that_is_supported_of_the_claim_s() -> None:
    assert kept("Give 10 mL over 10 minutes, then 5 mg.", "10 mL over 10 minutes") == pytest.approx(2 / 3)
    assert supported("10 mL over 5 minutes", "Give 10 mL over 10 minutes.") == pytest.approx(1 / 2)
    assert kept("Call for help.", "10 mL") is None
    assert supported("Call for help.", "10 mL") == 1
