"""SAFETY: the smallest set of full sentences that answers, each labelled with why it is there (Listing 7)."""

from typing import Literal

from tasks.answer.context import Context
from tasks.answer.dialogue import Dialogue, Selection
from tasks.answer.locate import Source
from tasks.constraints import labelled
from tasks.params import Answer as Bounds
from tasks.prompts import render
from tasks.reading import Form, read_json
from tasks.records import Ask


class Labelled(Form):
    """One sentence and its label."""

    text: str
    reason: Literal["answers_question", "adds_required_detail", "safety_critical"]


class Sentences(Form):
    """The reply's form."""

    sentences: list[Labelled]


def safety(question: str, context: Context, bounds: Bounds) -> Dialogue:
    """The sentences that were copied, as the source has them, each with its label."""
    reply = yield Ask(
        prompt=render("safety", title=context.title, guideline=context.numbered, question=question),
        constraint=labelled([sentence.text for sentence in context.sentences]),
        max_tokens=bounds.max_tokens,
    )
    chosen = read_json(reply, Sentences).sentences
    return Selection(Source(context).locate_all([item.text for item in chosen], [item.reason for item in chosen]))
