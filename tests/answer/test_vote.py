"""A vote over several replies: what is kept, what fails, and that ballots are asked apart."""

import pytest
from pydantic import ValidationError

from tasks.answer import STRATEGIES, Context, ballots, converse, counted
from tasks.answer.dialogue import Conversation
from tasks.backends.remembered import reply_key
from tasks.params import Answer as Bounds
from tasks.params import Vote
from tasks.records import Ask, Reply


def _reply(text: str, status: str = "ok") -> Reply:
    return Reply(
        text=text, status=status, model="m", digest="d", tokens_in=1, tokens_reused=0, tokens_out=1, seconds=0.0
    )  # type: ignore[arg-type]


def _talks(
    context: Context, vote: Vote, *texts: str, strategy: str = "lines", cut: int = -1
) -> tuple[list[Conversation], list[Ask]]:
    asked: list[Ask] = []

    def reply(ask: Ask) -> Reply:
        asked.append(ask)
        at = len(asked) - 1
        return _reply(texts[at], "truncated_reply" if at == cut else "ok")

    return converse(ballots(STRATEGIES[strategy], "How much?", context, Bounds(), vote), reply), asked


def test_a_line_is_kept_if_enough_ballots_name_it_in_document_order(context: Context) -> None:
    talks, _ = _talks(context, Vote(of=3, keep=2), "9, 2", "2, 77", "9-10")
    outcome, selection = counted(talks, Vote(of=3, keep=2))
    assert outcome == "answered"
    assert [excerpt.lines for excerpt in selection.excerpts] == [(2,), (9,)]
    assert selection.invalid_ids == (77,)
    assert [item.lines for item in counted(talks, Vote(of=3, keep=1))[1].excerpts] == [(2,), (9,), (10,)]
    assert counted(talks, Vote(of=3, keep=3))[1].excerpts == ()


def test_a_ballot_that_cannot_be_read_selects_nothing_and_too_few_that_can_are_no_answer(context: Context) -> None:
    vote = Vote(of=3, keep=2)
    talks, _ = _talks(context, vote, "2", "I do not know", "2")
    assert [item.lines for item in counted(talks, vote)[1].excerpts] == [(2,)]
    talks, _ = _talks(context, vote, "2", "I do not know", "2, 9", cut=2)
    assert counted(talks, vote) == ("unreadable", counted(talks, vote)[1]) and counted(talks, vote)[1].excerpts == ()


def test_quoted_lines_are_voted_for_by_their_text_and_place(context: Context) -> None:
    vote = Vote(of=2, keep=2)
    one, two = context.lines[1].text, context.lines[7].text
    talks, _ = _talks(context, vote, f'{{"lines": ["{one}", "{two}"]}}', f'{{"lines": ["{two}"]}}', strategy="quote")
    assert [item.text for item in counted(talks, vote)[1].excerpts] == [two]


def test_wordings_keep_the_question_and_differ_and_samples_are_remembered_apart(context: Context) -> None:
    _, worded = _talks(context, Vote(of=9, keep=1), *["2"] * 9)
    assert len({ask.prompt for ask in worded}) == 9 and all("How much?" in ask.prompt for ask in worded)
    _, sampled = _talks(context, Vote(of=3, keep=1, by="sample"), *["2"] * 3)
    assert [ask.sample for ask in sampled] == [0, 1, 2] and len({ask.prompt for ask in sampled}) == 1
    assert len({reply_key(ask, "m") for ask in sampled}) == 3
    assert reply_key(sampled[0], "m") == reply_key(worded[0], "m")


def test_more_votes_than_ballots_are_refused() -> None:
    with pytest.raises(ValidationError, match="keep is 4, and there are only 3 votes"):
        Vote(of=3, keep=4)
