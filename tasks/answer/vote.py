"""A vote: the same question asked several times, and what enough of the replies select is the answer; our own."""

from collections import Counter
from collections.abc import Sequence
from math import inf

from tasks.answer.context import Context
from tasks.answer.dialogue import Conversation, Dialogue, Selection, Strategy
from tasks.params import Answer as Bounds
from tasks.params import Vote
from tasks.records import Excerpt, Outcome

_WORDINGS = (
    "{question}",
    "A colleague asks: {question}",
    "{question} Please answer from the guideline.",
    "On the ward somebody needs to know: {question}",
    "Find what answers this: {question}",
    "{question} What does the guideline say?",
    "Somebody who is new here asks: {question}",
    "This needs an answer: {question}",
    "{question} Which part of the guideline tells?",
)


def ballots(strategy: Strategy, question: str, context: Context, bounds: Bounds, vote: Vote) -> list[Dialogue]:
    """`vote.of` dialogues: the question in as many wordings, or as many samples of a model with a temperature.

    A wording puts words before or after the question, and leaves its own as they are; the first adds none.
    """
    if vote.by == "wording":
        asked = [wording.replace("{question}", question) for wording in _WORDINGS[: vote.of]]
        return [strategy(wording, context, bounds) for wording in asked]
    return [_sampled(strategy(question, context, bounds), number) for number in range(vote.of)]


def counted(talks: Sequence[Conversation], vote: Vote) -> tuple[Outcome, Selection]:
    """What at least `vote.keep` of the ballots select, in document order, and what became of the vote.

    A ballot that could not be read, or was cut, selects nothing. If fewer than `vote.keep` could be read, the outcome is
    that of the first which could not. Numbers of lines that do not exist are those of all ballots, each once.
    """
    failed = [talk.outcome for talk in talks if talk.outcome != "answered"]
    if len(talks) - len(failed) < vote.keep:
        return failed[0], Selection(())
    votes: Counter[tuple[object, ...]] = Counter()
    found: dict[tuple[object, ...], Excerpt] = {}
    for talk in talks:
        own = {_what(excerpt): excerpt for excerpt in talk.selection.excerpts}
        votes.update(own.keys())
        found = own | found
    kept = [found[what] for what, count in votes.items() if count >= vote.keep]
    kept.sort(key=lambda excerpt: excerpt.lines[0] if excerpt.lines else inf)
    invalid = dict.fromkeys(number for talk in talks for number in talk.selection.invalid_ids)
    return "answered", Selection(tuple(kept), tuple(invalid))


def _what(excerpt: Excerpt) -> tuple[object, ...]:
    """What two ballots must share to select the same: the source text and its lines, or the claim if it has none."""
    return (excerpt.text, excerpt.lines) if excerpt.text else (excerpt.claimed,)


def _sampled(dialogue: Dialogue, number: int) -> Dialogue:
    """The dialogue with every prompt marked as the sample of this number."""
    ask = next(dialogue)
    while True:
        reply = yield ask.model_copy(update={"sample": number})
        try:
            ask = dialogue.send(reply)
        except StopIteration as end:
            selection: Selection = end.value
            return selection
