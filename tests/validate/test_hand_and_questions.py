"""Hand-cleaned text is used as it is written; questions that do not fit are refused with file and line."""

import pytest

from tasks.errors import BadQuestions, UncleanText
from tasks.records import Line
from tasks.validate.hand import hand_lines, read_hand
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


def _read(text: str) -> list[Line]:
    hand = read_hand("g.txt", text)
    return hand_lines("g", hand, [() for _ in hand.lines])


def test_hand_cleaned_text_has_kinds_and_parents() -> None:
    lines = _read(HAND)
    assert [line.kind for line in lines] == ["heading", "prose", "lead-in", "bullet", "bullet", "row", "row"]
    assert [line.parent for line in lines] == [None, 1, 1, 3, 3, 1, 6]


def test_a_backslash_takes_the_meaning_from_a_mark_and_a_bar() -> None:
    lines = _read("\\- 5 is low\n\\# 7\na \\| b\n\\- | 5 mg\n\\[removed] is said\nC:\\x")
    assert [(line.kind, line.text) for line in lines] == [
        ("prose", "- 5 is low"),
        ("prose", "# 7"),
        ("prose", "a | b"),
        ("row", "- | 5 mg"),
        ("prose", "[removed] is said"),
        ("prose", "C:\\x"),
    ]


def test_an_indented_paragraph_belongs_to_the_item_above_and_comments_and_removals_are_no_lines() -> None:
    lines = _read("% a comment\nGive:\n- one\n  - two\n    of two\n[removed] x\n  of one\nof none")
    assert [(line.text, line.parent) for line in lines] == [
        ("Give:", None),
        ("one", 1),
        ("two", 2),
        ("of two", 3),
        ("of one", 2),
        ("of none", None),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Give.\n-\n", "g.txt:2: '-' is a mark without text"),
        ("Give.\n[removed]\n", "g.txt:2: .* does not say what was removed"),
        ("[unresolved] - x\nGive.\n", "g.txt:1: .* is an edit that did not fit the new PDF"),
        ("% x\n[removed] Give\n", "g.txt holds no line"),
    ],
)
def test_what_is_no_line_is_refused_with_file_and_line(text: str, message: str) -> None:
    with pytest.raises(UncleanText, match=message):
        read_hand("g.txt", text)


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
LINES = {"g": _read(HAND)}


def test_gold_lines_are_read_and_found_from_a_reference_made_by_selection() -> None:
    text = (
        HEAD
        + 'a,g,What?,free words,"2; 4-5"\nb,g,What not?,"Do not give:\nsteroids routinely",\nc,g,What?,free words,\n'
    )
    assert [question.gold_lines for question in read_questions(text, "q.csv", LINES)] == [(2, 4, 5), (3, 5), ()]


def test_a_mark_behind_gold_lines_says_that_they_are_safety_critical() -> None:
    (question,) = read_questions(HEAD + 'a,g,What?,free words,"2; 4-5!; 7!"\n', "q.csv", LINES)
    assert (question.gold_lines, question.critical_lines) == ((2, 4, 5, 7), (4, 5, 7))


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
