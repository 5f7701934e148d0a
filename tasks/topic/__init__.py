"""Topic selection (Listing 2): the one guideline a question is about, out of those that exist."""

from collections.abc import Mapping, Sequence

from tasks.constraints import one_guideline
from tasks.errors import UnknownTopic
from tasks.prompts import render
from tasks.reading import Form, read_json
from tasks.records import Ask, Hit


class Choice(Form):
    """The reply's form."""

    guideline_id: str
    rationale: str = ""


def proposed(hits: Sequence[Hit], titles: Mapping[str, str], count: int) -> dict[str, str]:
    """The guidelines, with their titles, whose best section is among the `count` nearest to one question; 0: all.

    `hits` are of one question and one view. A guideline without a section in the index is not proposed. The order is
    that of `titles`, so that the model is not told which is nearest.
    """
    if not count:
        return dict(titles)
    best: dict[str, float] = {}
    for hit in hits:
        best[hit.guideline] = max(hit.similarity, best.get(hit.guideline, -1.0))
    nearest = sorted(best, key=lambda name: -best[name])[:count]
    return {name: title for name, title in titles.items() if name in nearest}


def ask_topic(question: str, titles: Mapping[str, str]) -> Ask:
    """The prompt for one question over the guidelines, given as id -> title."""
    listing = "\n".join(f"- {name}: {title}" for name, title in titles.items())
    return Ask(
        prompt=render("topic", question=question, guidelines=listing),
        constraint=one_guideline(list(titles)),
        max_tokens=100,
    )


def read_topic(reply: str, titles: Mapping[str, str]) -> Choice:
    """The choice. Raises UnreadableReply, or UnknownTopic if the id is not one of those listed, to the letter."""
    choice = read_json(reply, Choice)
    if choice.guideline_id not in titles:
        raise UnknownTopic(
            f"the reply names the guideline {choice.guideline_id!r}, which is not among {sorted(titles)}"
        )
    return choice
