"""LINES: the model names line numbers, and the lines are fetched from the guideline (Listing 3)."""

from tasks.answer.context import Context
from tasks.answer.dialogue import Dialogue, Selection
from tasks.answer.numbers import parse_line_numbers
from tasks.constraints import line_numbers
from tasks.params import Answer as Bounds
from tasks.prompts import render
from tasks.records import Ask, Excerpt


def lines(question: str, context: Context, bounds: Bounds) -> Dialogue:
    """The lines named, in document order, word for word: nothing else can be shown."""
    numbers = [line.number for line in context.lines]
    reply = yield Ask(
        prompt=render("lines", title=context.title, guideline=context.numbered, question=question),
        constraint=line_numbers(numbers),
        max_tokens=bounds.max_tokens,
    )
    named = parse_line_numbers(reply, numbers)
    chosen = [line for line in context.lines if line.number in named.valid]
    return Selection(
        tuple(
            Excerpt(claimed=line.text, text=line.text, lines=(line.number,), verdict="verbatim", label=None)
            for line in chosen
        ),
        named.invalid,
    )
