"""JUNIOR: a draft from memory, then the guideline's sentences that support, extend or correct it (Listings 5 and 6)."""

from tasks.answer.context import Context
from tasks.answer.dialogue import Dialogue, Selection
from tasks.answer.locate import Source
from tasks.constraints import subset
from tasks.params import Answer as Bounds
from tasks.prompts import render
from tasks.reading import Form, read_json
from tasks.records import Ask


class Subset(Form):
    """The reply's form."""

    subset: list[str]


def junior(question: str, context: Context, bounds: Bounds) -> Dialogue:
    """The sentences that Agent 2 chose; nothing of Agent 1's draft is ever shown as an answer."""
    draft = yield Ask(
        prompt=render("junior_draft", question=question), constraint=None, max_tokens=bounds.draft_tokens, cut_ok=True
    )
    reply = yield Ask(
        prompt=render("junior", title=context.title, guideline=context.numbered, question=question, draft=draft),
        constraint=subset([sentence.text for sentence in context.sentences]),
        max_tokens=bounds.max_tokens,
    )
    return Selection(Source(context).locate_all(read_json(reply, Subset).subset))
