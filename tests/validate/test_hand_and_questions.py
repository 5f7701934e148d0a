"""Hand-cleaned text is used as it is written; questions that do not fit are refused with file and line."""

import pytest

from tasks.errors import BadQuestions
from tasks.records import Line, Place, Word
from tasks.validate.hand import hand_lines
from tasks.validate.questions import read_questions
from tasks.validate.sentences import sentences_of

HAND = """# Adrenaline
Give 500 micrograms IM.

Do not give:
- antihistamines first
- steroids routinely

Drug | Dose
Oxygen | 15 L/min
"""
WORDS = [
    Word(guideline="g", page=2, block=1, line=1, text=text, box=(10.0 * i, 5.0, 10.0 * i + 8, 17.0))
    for i, text in enumerate(["Give", "500", "micrograms", "IM."])
]


def test_hand_cleaned_text_has_kinds_parents_and_places() -> None:
    lines = hand_lines("g", HAND, WORDS)
    assert [line.kind for line in lines] == ["heading", "prose", "lead-in", "bullet", "bullet", "row", "row"]
    assert [line.parent for line in lines] == [None, 1, 1, 3, 3, 1, 6]
    assert lines[1].places == (Place(page=2, box=(0.0, 5.0, 38.0, 17.0)),)
    assert lines[3].places == () and lines[3].page is None


def _line(text: str) -> Line:
    return Line(guideline="g", number=1, text=text, kind="prose", parent=None, paragraph=1, places=())


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Give 5 mg. Then wait.", 2),
        ("Use an antibiotic, e.g. amoxicillin 500 mg. Review daily.", 2),
        ("The pH is < 7.3. Repeat the gas.", 2),
        ("Give 0.5 mL of 1 mg/mL.", 1),
        ("Ask Dr. Smith at once.", 1),
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(text: str, count: int) -> None:
    assert len(sentences_of([_line(text)])) == count


HEAD = "question_id,guideline,question,reference,gold_lines\n"
LINES = {"g": hand_lines("g", HAND, [])}


def test_gold_lines_are_read_and_found_from_a_reference_made_by_selection() -> None:
    text = (
        HEAD
        + 'a,g,What?,free words,"2; 4-5"\nb,g,What not?,"Do not give:\nsteroids routinely",\nc,g,What?,free words,\n'
    )
    assert [question.gold_lines for question in read_questions(text, "q.csv", LINES)] == [(2, 4, 5), (3, 5), ()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question_id,guideline\n", "q.csv:1: the columns are"),
        (HEAD + "a,g,What?,ref,\na,g,What?,ref,\n", "q.csv:3: the question_id 'a' stands twice"),
        (HEAD + "a,gg,What?,ref,\n", "q.csv:2: no guideline is called 'gg': did you mean 'g'"),
        (HEAD + "a,g,,ref,\n", "q.csv:2: question is empty"),
        (HEAD + "a,g,What?,,\n", "q.csv:2: reference is empty"),
        (HEAD + "a,g,What?,ref,99\n", "q.csv:2: gold_lines '99' does not lie within lines 1 to 7"),
        (HEAD + "a,g,What?,ref,two\n", "q.csv:2: gold_lines is 'two'"),
        (HEAD + "a,g,What?,ref\n", "q.csv:2: the row that ends here does not have 5 columns"),
    ],
)
def test_a_bad_row_is_refused_with_file_and_line(text: str, message: str) -> None:
    with pytest.raises(BadQuestions, match=message.replace("(", r"\(")):
        read_questions(text, "q.csv", LINES)
