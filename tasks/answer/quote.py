"""QUOTE: the model writes whole lines of the guideline, in order, under a constraint that admits nothing else; our own."""

from math import inf

from tasks.answer.context import Context
from tasks.answer.dialogue import Dialogue, Selection
from tasks.answer.locate import Source
from tasks.constraints import quoted
from tasks.params import Answer as Bounds
from tasks.prompts import render
from tasks.reading import Form, read_json
from tasks.records import Ask, Excerpt


class Quoted(Form):
    """The reply's form."""

    lines: list[str]


def quote(question: str, context: Context, bounds: Bounds) -> Dialogue:
    """The lines that were written, in document order, each once.

    A model that is held to the constraint writes nothing else. Of another, what it wrote is looked up as COPY's is, and
    the whole lines that hold it are shown.
    """
    reply = yield Ask(
        prompt=render("quote", title=context.title, guideline=context.numbered, question=question),
        constraint=quoted([line.text for line in context.lines]),
        max_tokens=bounds.max_tokens,
    )
    found: dict[tuple[str, str], Excerpt] = {}
    for text in read_json(reply, Quoted).lines:
        for excerpt in _whole(text, context):
            found.setdefault((excerpt.text, excerpt.claimed if not excerpt.text else ""), excerpt)
    return Selection(tuple(sorted(found.values(), key=lambda item: item.lines[0] if item.lines else inf)))


def _whole(text: str, context: Context) -> list[Excerpt]:
    """The excerpt of one quotation; a line that stands in several places is shown with the numbers of them all."""
    numbers = tuple(line.number for line in context.lines if line.text == text)
    if numbers:
        return [Excerpt(claimed=text, text=text, lines=numbers, verdict="verbatim", label=None)]
    texts = {line.number: line.text for line in context.lines}
    return [
        item.model_copy(
            update={"text": "\n".join(dict.fromkeys(texts[number] for number in item.lines)), "verdict": "repaired"}
        )
        if item.lines
        else item
        for item in Source(context).locate(text)
    ]
