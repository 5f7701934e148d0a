"""The union of what a model chose with the best lines of the shortlist, for when recall matters most; our own."""

from tasks.answer.context import Context
from tasks.answer.dialogue import Selection
from tasks.records import Excerpt

ADDED = "added by the shortlist"


def united(selection: Selection, context: Context) -> Selection:
    """The selection, and after it the context's added lines that it does not show, each labelled so.

    A selection that shows nothing stays empty: that the guideline does not answer is the model's to say.
    """
    shown = {number for excerpt in selection.excerpts if excerpt.text for number in excerpt.lines}
    if not shown:
        return selection
    new = [line for line in context.added if line.number not in shown]
    return Selection(
        selection.excerpts
        + tuple(
            Excerpt(claimed=line.text, text=line.text, lines=(line.number,), verdict="verbatim", label=ADDED)
            for line in new
        ),
        selection.invalid_ids,
    )
