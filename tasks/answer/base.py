"""BASE: the best sections of the index, shown in full; no model is asked (Table 5)."""

from tasks.answer.context import Context
from tasks.answer.dialogue import Dialogue, Selection
from tasks.params import Answer as Bounds
from tasks.records import Excerpt


def base(question: str, context: Context, bounds: Bounds) -> Dialogue:
    """The sections retrieved for the question, best first; their text was verified when the index was made."""
    yield from ()
    return Selection(
        tuple(
            Excerpt(claimed=section.text, text=section.text, lines=section.lines, verdict="verbatim", label=None)
            for section in context.sections
        )
    )
