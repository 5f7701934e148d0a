"""What a model says it copied is verbatim, repaired or unsupported; the source is what is shown."""

import pytest

from tasks.answer import Context, full_context
from tasks.answer.locate import Source
from tasks.records import Line, Sentence


@pytest.mark.parametrize(
    ("claim", "verdict", "shown"),
    [
        ("Monitor the ECG for 6–12 hours.", "verbatim", "Monitor the ECG for 6–12 hours."),
        ("monitor the ecg for 6-12 hours.", "repaired", "Monitor the ECG for 6–12 hours."),
        ("Monitor  the ECG\tfor 6–12 hours.", "repaired", "Monitor the ECG for 6–12 hours."),
        ("antihistamines as firstline treatment", "repaired", "antihistamines as first-line treatment"),
        ("5: antihistamines as first-line treatment", "repaired", "antihistamines as first-line treatment"),
        ("• antihistamines as first-line treatment", "repaired", "antihistamines as first-line treatment"),
        ("Monitor the ECG.", "verbatim", "Monitor the ECG."),
        ("adrenaline 500 micrograms", "verbatim", "Give adrenaline 500 micrograms IM."),
        (
            "Do not give: IV bolus adrenaline outside cardiac arrest",
            "verbatim",
            "Do not give:\nIV bolus adrenaline outside cardiac arrest",
        ),
    ],
)
def test_what_is_in_the_source_is_shown_as_the_source_has_it(
    context: Context, claim: str, verdict: str, shown: str
) -> None:
    assert [(item.verdict, item.text) for item in Source(context).locate(claim)] == [(verdict, shown)]


@pytest.mark.parametrize(
    "claim",
    [
        "Give adrenaline 50 micrograms IM.",
        "Give adrenaline 500 mg IM.",
        "Give adrenaline 500 Micrograms IM.",
        "Aim for potassium > 6.0 mmol/L",
        "Aim for potassium < 60 mmol/L",
        "Aim for potassium < 6 mmol/L",
        "Give antihistamines as first-line treatment",
        "Do give: IV bolus adrenaline",
        "0 mg",
        "Monitor",
        "Salbutamol | 10–20 mcg | Nebulised",
    ],
)
def test_a_changed_number_unit_comparator_or_negation_is_unsupported(context: Context, claim: str) -> None:
    assert {item.verdict for item in Source(context).locate(claim)} == {"unsupported"}
    assert all(item.text == "" and item.lines == () for item in Source(context).locate(claim))


def test_part_of_a_sentence_brings_the_whole_sentence(context: Context) -> None:
    (found,) = Source(context).locate("Repeat after 5 minutes")
    assert found.text == "Repeat after 5 minutes if there is no response."


def test_a_piece_half_of_which_is_invented_is_judged_sentence_by_sentence(context: Context) -> None:
    found = Source(context).locate("Give adrenaline 500 micrograms IM. Then give 5 mg of morphine.")
    assert [item.verdict for item in found] == ["verbatim", "unsupported"]


def test_a_sentence_is_not_shown_twice(context: Context) -> None:
    assert len(Source(context).locate_all(["Monitor the ECG.", "Monitor the ECG."])) == 1


def test_a_sentence_that_stands_in_two_places_is_shown_with_the_lines_of_both() -> None:
    rows = [(1, "Adults"), (2, "Repeat after 5 minutes."), (3, "Children"), (4, "Repeat after 5 minutes.")]
    lines = [
        Line(guideline="g", number=n, text=text, kind="prose", parent=None, paragraph=n, places=()) for n, text in rows
    ]
    sentences = [Sentence(guideline="g", number=n, line=n, text=text) for n, text in rows]
    (found,) = Source(full_context("Title", lines, sentences, [])).locate("Repeat after 5 minutes.")
    assert (found.text, found.lines) == ("Repeat after 5 minutes.", (2, 4))


def test_blank_text_is_nothing(context: Context) -> None:
    assert Source(context).locate_all(["", "  \n"]) == ()
