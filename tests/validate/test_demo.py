"""The demo documents come out whole: every line of the sources, nothing of the pages' furniture."""

import re
from functools import cache
from pathlib import Path

import pytest

from tasks.backends.pdftotext import Pdftotext
from tasks.records import Line, Question, Word
from tasks.validate import Cleaned, check, clean, hand_text, read_questions, version_of
from tasks.validate.questions import selected_lines

ROOT = Path(__file__).resolve().parents[2]
PDFS = sorted((ROOT / "data/raw/demo/guidelines").glob("*.pdf"))
NAMES = [pdf.stem for pdf in PDFS]


@cache
def _words(name: str) -> tuple[Word, ...]:
    return tuple(Pdftotext(60).read(ROOT / f"data/raw/demo/guidelines/{name}.pdf"))


@cache
def _cleaned(name: str) -> Cleaned:
    return clean(name, _words(name), b"", None)


def _find(name: str, text: str) -> Line:
    return next(line for line in _cleaned(name).lines if line.text == text)


@pytest.mark.parametrize("name", NAMES)
def test_every_bullet_of_the_source_is_a_line_under_its_lead_in(name: str) -> None:
    source = (ROOT / f"data/raw/demo/sources/{name}.typ").read_text(encoding="utf-8")
    bullets = [_plain(text) for text in re.findall(r"^\s*- (.+)$", source, re.M)]
    lines = {line.text: line for line in _cleaned(name).lines}
    assert len(bullets) > 15
    for bullet in bullets:
        assert bullet in lines, bullet
        assert lines[bullet].kind == "bullet"
        parent = lines[bullet].parent
        assert parent is not None and _cleaned(name).lines[parent - 1].text.endswith(":")


def _plain(text: str) -> str:
    return " ".join(
        re.sub(r"#[a-z]+\[(.*?)\]", r"\1", text.replace("~", " ").replace("\\", "").replace("--", "–")).split()
    )


@pytest.mark.parametrize("name", NAMES)
def test_no_running_head_foot_or_page_number_is_left(name: str) -> None:
    for line in _cleaned(name).lines:
        assert "Illustrative, for software" not in line.text
        assert "Exampleton General Hospital ·" not in line.text
        assert not re.search(r"Page \d+ of \d+", line.text)


@pytest.mark.parametrize("name", NAMES)
def test_every_page_says_that_it_is_not_for_clinical_use(name: str) -> None:
    pages = {word.page for word in _words(name)}
    said = {item.page for item in _cleaned(name).removals if "not for clinical use" in item.text}
    assert said == pages


def test_the_contents_page_is_removed_and_recorded() -> None:
    removed = [item for item in _cleaned("diabetic-ketoacidosis").removals if item.rule == "contents page"]
    assert len(removed) >= 11
    assert not any(". . ." in line.text for line in _cleaned("diabetic-ketoacidosis").lines)


def test_two_columns_are_read_one_after_the_other() -> None:
    headings = [line.text for line in _cleaned("anaphylaxis").lines if line.kind == "heading"]
    assert headings[:6] == [
        "Anaphylaxis in adults",
        "Recognition",
        "Immediate actions",
        "Adrenaline",
        "Dose summary",
        "Fluids and airway",
    ]


def test_a_list_that_runs_over_the_page_break_keeps_its_lead_in() -> None:
    last = _find("anaphylaxis", "give a corticosteroid routinely")
    lead_in = _cleaned("anaphylaxis").lines[(last.parent or 0) - 1]
    assert (lead_in.text, lead_in.page, last.page) == ("Do not:", 1, 2)


def test_words_broken_at_the_end_of_a_row_are_mended_and_recorded() -> None:
    assert "Intramuscular adrenaline" in _cleaned("anaphylaxis").lines[1].text
    assert {"suddenly,", "outstretched"} <= {item.after for item in _cleaned("anaphylaxis").repairs}


def test_a_row_of_a_table_keeps_its_cells_and_hangs_under_the_header() -> None:
    row = _find("hyperkalaemia", "Calcium gluconate 10% | 30 mL IV | Over 10 minutes | 1–3 minutes")
    assert (
        _cleaned("hyperkalaemia").lines[(row.parent or 0) - 1].text == "Medicine | Dose and route | How given | Onset"
    )


def test_lines_are_numbered_from_one_and_the_sentences_of_a_line_are_the_line() -> None:
    for name in NAMES:
        cleaned = _cleaned(name)
        assert [line.number for line in cleaned.lines] == list(range(1, len(cleaned.lines) + 1))
        assert [item.number for item in cleaned.sentences] == list(range(1, len(cleaned.sentences) + 1))
        for line in cleaned.lines:
            assert " ".join(item.text for item in cleaned.sentences if item.line == line.number) == line.text


def test_the_version_changes_with_the_pdf_and_with_the_text() -> None:
    words = _words("anaphylaxis")
    versions = {
        clean("a", words, pdf, hand).document.version
        for pdf in (b"1", b"2")
        for hand in (None, _hand("anaphylaxis", pdf).replace("\n# ", "\n[removed] ", 1))
    }
    assert len(versions) == 4


def _hand(name: str, pdf: bytes) -> str:
    return hand_text(_cleaned(name).lines, version_of(pdf))


@pytest.mark.parametrize("name", NAMES)
def test_the_hand_text_of_the_lines_is_read_as_these_lines_with_the_same_pages(name: str) -> None:
    back = clean(name, _words(name), b"", _hand(name, b"")).lines
    assert [_but_places(line) for line in back] == [_but_places(line) for line in _cleaned(name).lines]
    for mine, automatic in zip(back, _cleaned(name).lines, strict=True):
        assert [place.page for place in mine.places] == [place.page for place in automatic.places]
        for place, whole in zip(mine.places, automatic.places, strict=True):  # which may include a bullet's glyph
            assert place.box[2:] == whole.box[2:] and 0 <= place.box[0] - whole.box[0] < 12


def _but_places(line: Line) -> dict[str, object]:
    return line.model_dump(exclude={"places"})


def test_every_demo_question_has_gold_lines() -> None:
    text = (ROOT / "data/raw/demo/questions.csv").read_text(encoding="utf-8")
    questions = read_questions(text, "questions.csv", {name: _cleaned(name).lines for name in NAMES})
    assert len(questions) == 16
    for question in questions:  # the numbers that are written there are those of the reference's lines
        assert question.gold_lines == selected_lines(question.reference, _cleaned(question.guideline).lines)
    assert sum(bool(question.critical_lines) for question in questions) == 12


@pytest.mark.slow
def test_the_demo_passes_the_gate() -> None:
    cleaned = [_cleaned(name) for name in NAMES]
    gate = check(
        [word for name in NAMES for word in _words(name)],
        [line for item in cleaned for line in item.lines],
        [removal for item in cleaned for removal in item.removals],
        0.6,
    )
    assert gate.failures == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Page 3 of 4", "no page numbers as lines"),
        ("Dose . . . . . . 7", "no contents leaders"),
        ("e\ufb03cient", "no ligatures, soft hyphens or odd spaces"),
        ("a\ue000b", "no control or private-use characters"),
        (" ", "no line is empty"),
        ("Give intra-", "no word broken"),
        ("L a n s k a", "no word broken"),
    ],
)
def test_the_gate_catches_what_was_planted(text: str, rule: str) -> None:
    lines = [
        line.model_copy(update={"text": text}) if line.number == 3 else line for line in _cleaned("anaphylaxis").lines
    ]
    gate = check(_words("anaphylaxis"), lines, _cleaned("anaphylaxis").removals, 0.6)
    assert not gate.passed and any(failure.startswith(rule) for failure in gate.failures)


@pytest.mark.slow
def test_the_gate_catches_a_number_that_was_lost() -> None:
    lines = [line for line in _cleaned("anaphylaxis").lines if "15 L/min" not in line.text]
    gate = check(_words("anaphylaxis"), lines, _cleaned("anaphylaxis").removals, 0.6)
    assert any("every number of the PDF" in failure and "15" in failure for failure in gate.failures)


@pytest.mark.slow
def test_the_gate_catches_a_reference_that_is_no_line_and_a_question_about_nothing() -> None:
    lines = list(_cleaned("anaphylaxis").lines)
    good = Question(question_id="a-1", guideline="anaphylaxis", question="?", reference=lines[4].text, gold_lines=())
    changed = good.model_copy(update={"question_id": "a-2", "reference": f"{lines[4].text}\nGive 5 g."})
    astray = good.model_copy(update={"question_id": "a-3", "guideline": "sepsis"})
    given = (_words("anaphylaxis"), lines, _cleaned("anaphylaxis").removals, 0.6, lambda guideline: ())
    assert check(*given, [good], True).failures == []
    assert check(*given, [changed], False).failures == []
    failures = check(*given, [good, changed, astray], True).failures
    assert "every reference consists of lines of its guideline: question a-2: 'Give 5 g.'" in failures[1]
    assert failures[0].startswith("every question is about a guideline of the dataset: question a-3: 'sepsis'")
