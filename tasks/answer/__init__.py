"""Step 2 of the method: the strategies BASE, COPY, LINES, JUNIOR, SAFETY and our QUOTE, each a dialogue (Table 2)."""

from tasks.answer.base import base
from tasks.answer.context import Context, added_lines, full_context, mass_context, shortlist_context
from tasks.answer.copy import copy
from tasks.answer.dialogue import Selection, Strategy, converse
from tasks.answer.junior import junior
from tasks.answer.lines import lines
from tasks.answer.quote import quote
from tasks.answer.safety import safety
from tasks.answer.union import united
from tasks.answer.vote import ballots, counted

STRATEGIES: dict[str, Strategy] = {
    "base": base,
    "copy": copy,
    "lines": lines,
    "junior": junior,
    "safety": safety,
    "quote": quote,
}

__all__ = [
    "STRATEGIES",
    "Context",
    "Selection",
    "Strategy",
    "added_lines",
    "ballots",
    "converse",
    "counted",
    "full_context",
    "mass_context",
    "shortlist_context",
    "united",
]
