"""COPY: the model copies the fewest sentences that answer, and each is looked up in the source (Listing 4)."""

from tasks.answer.context import Context
from tasks.answer.dialogue import Dialogue, Selection
from tasks.answer.locate import Source
from tasks.constraints import copied
from tasks.params import Answer as Bounds
from tasks.prompts import render
from tasks.reading import Form, read_json
from tasks.records import Ask


class Copied(Form):
    """The reply's form; a list where the schema of a server asks for one."""

    copied: str | list[str]


def copy(question: str, context: Context, bounds: Bounds) -> Dialogue:
    """What was copied and is in the source, as the source has it."""
    reply = yield Ask(
        prompt=render("copy", title=context.title, guideline=context.numbered, question=question),
        constraint=copied([sentence.text for sentence in context.sentences]),
        max_tokens=bounds.max_tokens,
    )
    answer = read_json(reply, Copied).copied
    pieces = answer.splitlines() if isinstance(answer, str) else answer
    return Selection(Source(context).locate_all(pieces))
