"""Watermarks, copyright lines and the matter of covers are removals; every rule of removal can be switched off."""

from pathlib import Path
from typing import get_args

import pytest
from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from tasks.backends.pdftotext import Pdftotext
from tasks.records import Rule, Word
from tasks.validate import Cleaned, check, clean

COVER = ["Author: Dr A. Example", "Approved by: Medicines Committee", "Review date: May 2027", "Version 2.1"]
RIGHTS = ["© 2026 Example Trust. All rights reserved.", "Do not copy without asking."]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[Word]:
    """Three pages with everything that is no text of a guideline; the last is landscape."""
    path = tmp_path_factory.mktemp("matter") / "a.pdf"
    canvas = Canvas(str(path))
    for page in (1, 2, 3):
        wide, high = landscape(A4) if page == 3 else A4
        canvas.setPageSize((wide, high))
        canvas.saveState()
        canvas.translate(wide / 2, high / 2)
        canvas.rotate(45)
        canvas.setFont("Helvetica", 90)
        canvas.setFillGray(0.85)
        canvas.drawCentredString(0, 0, "DRAFT")
        canvas.restoreState()
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, high - 40, "Example Trust guideline")
        canvas.drawString(wide / 2, 30, f"Page {page} of 3")
        top = high - 120
        for i, text in enumerate(COVER if page == 1 else []):
            canvas.drawString(72, top - 30 * i, text)
        if page == 2:
            canvas.drawString(72, top, "Contents")
            canvas.drawString(72, top - 20, "Adrenaline " + ". " * 40 + "2")
            canvas.drawString(72, top - 40, "Oxygen " + ". " * 40 + "3")
        for i in range(10):
            canvas.drawString(
                72, high - 300 - 20 * i, f"Give {page}{i} mg, wait for {page}{i} minutes, and write it into the notes."
            )
        for i, text in enumerate(RIGHTS if page == 3 else []):
            canvas.drawString(72, 70 - 13 * i, text)
        canvas.showPage()
    canvas.save()
    return Pdftotext(60).read(path)


def _removed(cleaned: Cleaned, rule: Rule) -> list[str]:
    return [item.text for item in cleaned.removals if item.rule == rule]


def test_everything_that_is_no_text_of_the_guideline_is_a_removal_with_its_rule(words: list[Word]) -> None:
    cleaned = clean("a", words, b"", None)
    assert [line.text for line in cleaned.lines] == [
        f"Give {page}{i} mg, wait for {page}{i} minutes, and write it into the notes."
        for page in (1, 2, 3)
        for i in range(10)
    ]
    assert sorted("".join(_removed(cleaned, "watermark"))) == sorted(3 * "DRAFT")
    assert _removed(cleaned, "cover matter") == COVER
    assert _removed(cleaned, "copyright line") == RIGHTS
    assert _removed(cleaned, "contents page")[0] == "Contents"
    assert _removed(cleaned, "running head or foot").count("Example Trust guideline") == 3
    assert check(words, cleaned.lines, cleaned.removals, 0.5).failures == []
    assert all(item.page and item.box[2] > item.box[0] for item in cleaned.removals)


@pytest.mark.parametrize("rule", get_args(Rule))
def test_a_rule_that_is_switched_off_removes_nothing_and_the_gate_knows(words: list[Word], rule: Rule) -> None:
    usual, kept = clean("a", words, b"", None), clean("a", words, b"", None, keep=[rule])
    assert _removed(kept, rule) == []
    shown = " ".join(line.text for line in kept.lines).split()
    for text in _removed(usual, rule):
        assert set(text.split()) <= set(shown)
    assert check(words, kept.lines, kept.removals, 0.5, lambda guideline: [rule]).failures == []


def _rows(tmp_path: Path, *texts: str, size: float = 11) -> Cleaned:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    for page in range(2):
        canvas.setFont("Helvetica", size)
        for i, text in enumerate(texts if page == 0 else ["Observe the patient."]):
            canvas.drawString(72, 700 - 40 * i, text)
        canvas.showPage()
    canvas.save()
    return clean("a", Pdftotext(60).read(tmp_path / "a.pdf"), b"", None)


@pytest.mark.parametrize(
    "text",
    [
        "Review: senior doctor before discharge",
        "Review date: after 12 hours",
        "Reviewed by a doctor within 2020 seconds: 5 mg",
        "Version of the drug chart: the red one",
        "Copyright is not claimed for the dose of 5 mg, 2020",
        "Owner of the bleep: the registrar",
    ],
)
def test_an_instruction_that_looks_like_a_label_is_kept(tmp_path: Path, text: str) -> None:
    assert text in [line.text for line in _rows(tmp_path, text, "Give oxygen.").lines]


def test_a_large_dose_over_other_words_is_never_a_watermark(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.setFont("Helvetica", 11)
    for i in range(20):
        canvas.drawString(72, 700 - 14 * i, "Observe the patient and write down what you see.")
    canvas.setFont("Helvetica", 80)
    canvas.drawString(100, 560, "500")
    canvas.save()
    assert not _removed(clean("a", Pdftotext(60).read(tmp_path / "a.pdf"), b"", None), "watermark")
