"""Listing 1: a span is verbatim in its paragraph, or it is dropped with the reason."""

import pytest

from tasks.index import Paragraph, ask_subparts, paragraphs, read_subparts
from tasks.records import Line, Sentence

TEXTS = ["Do not give:", "10 mg of calcium", "insulin alone", "Monitor the ECG."]


@pytest.fixture
def paragraph() -> Paragraph:
    sentences = [Sentence(guideline="g", number=i, line=i, text=text) for i, text in enumerate(TEXTS, 1)]
    return Paragraph("g", 3, "Avoid", tuple(sentences))


def _reply(**part: object) -> str:
    import json

    return json.dumps({"subparts": [{"title": "T", "question": "Q?", **part}]})


def test_named_sentences_are_joined_as_they_stand(paragraph: Paragraph) -> None:
    (section,) = read_subparts(_reply(first=1, last=2), paragraph, "ids").sections
    assert (section.section_id, section.text, section.lines) == ("P3-S1", "Do not give:\n10 mg of calcium", (1, 2))


@pytest.mark.parametrize(("first", "last"), [(0, 1), (3, 2), (2, 5)])
def test_sentences_that_do_not_exist_are_dropped(paragraph: Paragraph, first: int, last: int) -> None:
    found = read_subparts(_reply(first=first, last=last), paragraph, "ids")
    assert found.sections == [] and len(found.dropped) == 1


def test_a_copied_span_that_is_verbatim_is_kept_with_its_lines(paragraph: Paragraph) -> None:
    (section,) = read_subparts(_reply(text="10 mg of calcium\ninsulin alone"), paragraph, "copy").sections
    assert section.lines == (2, 3)


@pytest.mark.parametrize("text", ["10 mg of Calcium", "0 mg of calcium", "give calcium", "", "1"])
def test_a_copied_span_that_is_not_verbatim_at_words_ends_is_dropped(paragraph: Paragraph, text: str) -> None:
    found = read_subparts(_reply(text=text), paragraph, "copy")
    assert (found.sections, found.dropped[0].reason) == ([], "the span is not verbatim in its paragraph")


def test_a_reply_that_cannot_be_read_is_one_dropped_entry(paragraph: Paragraph) -> None:
    found = read_subparts("I cannot help", paragraph, "ids")
    assert found.sections == [] and found.dropped[0].text == "I cannot help"


@pytest.mark.parametrize(
    ("sentences", "wanted"),
    [(1, "1 part."), (2, "1 part."), (3, "2 parts."), (6, "2 to 3 parts."), (20, "2 to 6 parts.")],
)
def test_a_paragraph_is_asked_for_at_most_half_as_many_parts_as_it_has_sentences(sentences: int, wanted: str) -> None:
    rows = tuple(Sentence(guideline="g", number=i, line=i, text="x") for i in range(1, sentences + 1))
    for spans in ("ids", "copy"):
        assert f"Find {wanted}" in ask_subparts(Paragraph("g", 1, "", rows), "T", spans, 2, 6).prompt  # type: ignore[arg-type]


def test_headings_name_the_paragraphs_below_them() -> None:
    rows = [
        ("heading", "Avoid", None, 1),
        ("lead-in", "Do not:", 1, 2),
        ("bullet", "wait", 2, 2),
        ("prose", "Go.", 1, 3),
    ]
    lines = [
        Line(guideline="g", number=i, text=text, kind=kind, parent=parent, paragraph=number, places=())  # type: ignore[arg-type]
        for i, (kind, text, parent, number) in enumerate(rows, 1)
    ]
    sentences = [Sentence(guideline="g", number=line.number, line=line.number, text=line.text) for line in lines]
    assert [(item.heading, item.text) for item in paragraphs(lines, sentences)] == [
        ("Avoid", "Do not:\nwait"),
        ("Avoid", "Go."),
    ]
