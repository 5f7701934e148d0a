"""What is written otherwise than in the PDF, sentences, the offline page, and the gate."""

import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.errors import UncleanText
from tasks.records import Line, Word
from tasks.validate import check
from tasks.validate.docs import offline
from tasks.validate.hand import hand_lines, read_hand
from tasks.validate.questions import selected_lines
from tasks.validate.repair import joined, plain
from tasks.validate.row import Row
from tasks.validate.sentences import sentences_of

BOX = (0.0, 0.0, 10.0, 10.0)
WORD = Word(guideline="g", page=1, block=1, line=1, text="x", box=BOX)
ROW = Row(1, 0, ((WORD,),), BOX)
KNOWN = Counter({"adrenaline": 2, "first-line": 1, "wellbeing": 1, "well-being": 3})


@pytest.mark.parametrize(
    ("head", "tail", "text"),
    [
        ("give adre\u00ad", "naline now", "give adrenaline now"),
        ("give adre-", "naline now", "give adrenaline now"),
        ("as first-", "line treatment", "as first-line treatment"),
        ("a beta-", "blocker", "a beta-blocker"),
        ("for well-", "being", "for well-being"),
        ("a 12-", "lead ECG", "a 12-lead ECG"),
        ("give 5-", "10 mg", "give 5-10 mg"),
        ("give 5\u2013", "10 mg", "give 5\u201310 mg"),
        ("below 5.4 mmol/", "L or less", "below 5.4 mmol/L or less"),
        ("give 5 \u2013", "10 mg", "give 5 \u2013 10 mg"),
        ("see https://who.int/", "dosing/index.html", "see https://who.int/dosing/index.html"),
        ("see www.who.int/", "with the patient", "see www.who.int/ with the patient"),
        ("ACE-", "Inhibitors", "ACE-Inhibitors"),
        ("low -", "high", "low - high"),
        ("do", "not", "do not"),
    ],
)
def test_a_hyphen_at_the_end_of_a_row_goes_only_where_the_word_is_known_without(
    head: str, tail: str, text: str
) -> None:
    result, repairs = joined(head, tail, KNOWN, ROW)
    assert result == text
    assert bool(repairs) == (" ".join((head, tail)) != text)


def test_ligatures_and_odd_spaces_are_plain_and_signs_are_left_alone() -> None:
    text, repairs = plain("g", "e\ufb03cient 5\u00a0mg \u2265\u20096 10\u2079 ½ µg", 1)
    assert text == "efficient 5 mg ≥ 6 10⁹ ½ µg"
    assert {repair.rule for repair in repairs} == {"ligature", "odd space"}


def _line(text: str) -> Line:
    return Line(guideline="g", number=1, text=text, kind="prose", parent=None, paragraph=1, places=())


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.one_of(
            st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=6),
            st.sampled_from(["e.g.", "mg.", "0.5", "<7.3.", "Dr.", "(see", "5.)", "Give", "!", "not.", "..."]),
        ),
        min_size=1,
        max_size=25,
    )
)
def test_the_sentences_of_any_line_joined_by_spaces_are_the_line(words: list[str]) -> None:
    text = " ".join(words)
    assert " ".join(sentence.text for sentence in sentences_of([_line(text)])) == text


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("MMWR 2010;59(No. RR-3):[pages].Then more. And more.", 2),
        ("Give approx. 5 mL. Wait.", 2),
        ("Give 5 mg (max. 3 doses. Then stop) at once.", 1),
        ("1. Give oxygen. Call for help.", 2),
        ("Is it < 3.5? > 5 is high.", 2),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, count: int) -> None:
    assert len(sentences_of([_line(text)])) == count


def _words(text: str) -> list[Word]:
    return [
        WORD.model_copy(update={"text": word, "box": (20.0 * i, 0.0, 20.0 * i + 18, 10.0)})
        for i, word in enumerate(text.split())
    ]


@pytest.mark.slow
def test_a_number_that_is_not_in_the_pdf_does_not_pass_the_gate() -> None:
    words = _words("Give 500 micrograms IM. Never give it IV.")
    gate = check(words, [_line("Give 5000 micrograms IM. Never give it IV.")], [], 0.5)
    assert [failure for failure in gate.failures if "is in the PDF" in failure] == [
        "every number of a line is in the PDF: g: '5000'"
    ]


@pytest.mark.slow
def test_a_negation_that_is_lost_does_not_pass_the_gate() -> None:
    words = _words("Do not give 5 mg.")
    lines = [_line("Do give 5 mg.")]
    failures = check(words, lines, [], 0.5).failures
    assert "every negation of the PDF is in a line or a recorded removal: g: 'not'" in failures


@pytest.mark.slow
def test_a_failure_names_guideline_line_and_text_and_the_page_fetches_nothing() -> None:
    gate = check(_words("Page 3"), [_line("Page 3")], [], 0.5)
    assert gate.failures == ["no page numbers as lines: g line 1: 'Page 3'"]
    assert "Page 3" in gate.html and not re.search(r"https?:|<script|<link|src=", gate.html)


def test_an_offline_page_keeps_its_text_and_loses_every_address() -> None:
    html = (
        '<link href="https://a/b.css"><script src="//c"></script><p>kept</p><a href="https://d">e</a><a href="#f">g</a>'
    )
    assert offline(html) == '<p>kept</p><a>e</a><a href="#f">g</a>'


@pytest.mark.parametrize("text", ["", "\n\n", "# \n", "- \n", "a\n#b\n"])
def test_a_mark_without_text_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(UncleanText, match=r"g\.txt"):
        read_hand("g.txt", text)


def test_a_reference_line_that_stands_twice_is_the_one_next_to_the_others() -> None:
    text = "Do not:\n- a\n\n# Later\n\nDo not:\n- b\n- c\n"
    hand = read_hand("g.txt", text)
    lines = hand_lines("g", hand, [() for _ in hand.lines])
    assert selected_lines("Do not:\nb\nc", lines) == (4, 5, 6)
    assert selected_lines("Do not:\na", lines) == (1, 2)
