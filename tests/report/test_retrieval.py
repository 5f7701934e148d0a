"""Retrieval against gold lines, by hand."""

import pytest

from tasks.records import Hit, Line, LineHit, Question, Section
from tasks.report import DatasetRows
from tasks.report.retrieval import measured, retrieval

SECTIONS = [
    Section(guideline="g", section_id=name, title="", question="", text=text, lines=lines)
    for name, text, lines in (("a", "one two", (1,)), ("b", "two three four", (2, 3)), ("c", "five", (4,)))
]
LINES = [
    Line(guideline="g", number=n, text=text, kind="prose", parent=None, paragraph=n, places=())
    for n, text in enumerate(("one two", "two three", "four", "five six"), 1)
]


def _question(name: str, *gold: int) -> Question:
    return Question(question_id=name, guideline="g", question="?", reference="r", gold_lines=gold)


def _hits(question: str, *order: str, guideline: str = "g") -> list[Hit]:
    return [
        Hit(
            question_id=question,
            guideline=guideline,
            view="text",
            section_id=section,
            rank=rank,
            similarity=0.5,
            mass=None,
            kept=rank < 3,
        )
        for rank, section in enumerate(order, 1)
    ]


QUESTIONS = [_question("q", 1, 4), _question("nowhere", 99)]
HITS = [*_hits("q", "b", "a", "c"), *_hits("q", "x", guideline="h"), *_hits("nowhere", "a", "b", "c")]


def test_the_measures_are_means_over_all_questions_with_gold_lines() -> None:
    found = measured(QUESTIONS, {"q": _hits("q", "b", "a", "c"), "nowhere": _hits("nowhere", "a")}, SECTIONS)
    # q: relevant sections a and c stand at 2 and 3; the gold line of the other is in no section
    gain = 1 / 1.584963 + 1 / 2
    assert found == pytest.approx(
        {"R@5": 0.5, "R@10": 0.5, "RR": 0.25, "nDCG@10": gain / (1 + 1 / 1.584963) / 2}, abs=1e-5
    )


def test_the_table_says_what_the_mass_keeps_before_and_after_merging_and_what_the_shortlist_holds() -> None:
    shortlist = [
        LineHit(question_id="q", guideline=guideline, line=line, rank=1, score=0.0)
        for guideline, line in (("g", 4), ("h", 1))
    ]
    rows = DatasetRows(
        lines=LINES, questions=QUESTIONS, sections=SECTIONS, hits={"minilm": HITS}, line_hits={"minilm": shortlist}
    )
    (cells,) = retrieval("d", rows).cells
    # q keeps b and a: line 1 of 1 and 4, 5 words of sections, 2 + 2 + 1 words of lines; the other keeps the same, for nothing
    assert [cell.text for cell in cells[6:]] == ["0.25", "5.0", "5.0", "0.25"]
    assert retrieval("d", DatasetRows(questions=QUESTIONS, hits={"minilm": HITS[:0]})).cells == ()
