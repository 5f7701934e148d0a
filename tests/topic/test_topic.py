"""Listing 2: exactly one guideline that exists, or a result that says why not."""

import pytest

from tasks.errors import UnknownTopic, UnreadableReply
from tasks.records import Hit
from tasks.topic import ask_topic, proposed, read_topic

TITLES = {"hyperkalaemia": "Acute hyperkalaemia", "anaphylaxis": "Anaphylaxis in adults"}


def test_every_id_and_title_is_offered() -> None:
    prompt = ask_topic("Which dose?", TITLES).prompt
    assert "- hyperkalaemia: Acute hyperkalaemia" in prompt and "Which dose?" in prompt


def test_the_id_is_read_out_of_prose_and_fences() -> None:
    assert read_topic('Sure:\n```json\n{"guideline_id": "anaphylaxis"}\n```', TITLES).guideline_id == "anaphylaxis"


@pytest.mark.parametrize("name", ["Anaphylaxis", "anaphylaxis ", "sepsis", ""])
def test_an_id_that_is_not_there_to_the_letter_is_unknown(name: str) -> None:
    with pytest.raises(UnknownTopic):
        read_topic(f'{{"guideline_id":"{name}"}}', TITLES)


@pytest.mark.parametrize(
    "reply",
    ["anaphylaxis", '{"guideline_id": 3}', '{"guideline_id":"anaphylaxis"} or {"guideline_id":"hyperkalaemia"}'],
)
def test_two_choices_or_none_cannot_be_read(reply: str) -> None:
    with pytest.raises(UnreadableReply):
        read_topic(reply, TITLES)


def _hit(guideline: str, similarity: float, rank: int = 1) -> Hit:
    return Hit(
        question_id="q",
        guideline=guideline,
        view="text",
        section_id=f"P{rank}-S1",
        rank=rank,
        similarity=similarity,
        mass=None,
        kept=True,
    )


def test_the_embedder_proposes_the_guidelines_of_the_nearest_sections_in_their_own_order() -> None:
    titles = {"a": "A", "b": "B", "c": "C", "empty": "E"}
    hits = [_hit("a", 0.2), _hit("b", 0.9), _hit("b", 0.1, 2), _hit("c", 0.5)]
    assert proposed(hits, titles, 2) == {"b": "B", "c": "C"}
    assert proposed(hits, titles, 5) == {"a": "A", "b": "B", "c": "C"}
    assert proposed([], titles, 0) == titles
