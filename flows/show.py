"""An answer on the terminal: source lines word for word, under their headings."""

import re

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.ask import Asked


def show(asked: Asked, question: str) -> None:
    """Print the answer; what is not in the source is counted and never printed as an answer."""
    console = Console(highlight=False)
    console.print(Text(question, style="bold"))
    if asked.title is None:
        console.print(Text(f"No guideline was chosen: {asked.topic.rationale}", style="red"))
        return
    console.print(Text(f"{asked.title} ({asked.answer.guideline})", style="cyan"))
    console.print(_lines(asked))
    _notes(console, asked)


def _lines(asked: Asked) -> Table:
    """The lines, each with its number, under the headings and the lead-in that they stand under."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(justify="right", width=4)
    table.add_column()
    above: list[object] = []
    for line in asked.shown():
        path = list(line["path"])[1:] if isinstance(line["path"], list) else []
        if path and path != above:
            table.add_row("", Text(" > ".join(map(str, path)), style="dim"))
        above = path
        label = f"  [{line['label']}]" if line["label"] else ""
        place = f"  ({line['place']})" if line["place"] else ""
        table.add_row(str(line["number"]), Text(f"{line['text']}{place}{label}"))
    return table


def _notes(console: Console, asked: Asked) -> None:
    data = asked.data()
    if not asked.shown():
        console.print(Text(f"  No line was selected ({asked.answer.outcome}). Read the guideline itself.", style="red"))
    for key, what in (
        ("unsupported", "passages that are not in the source"),
        ("invalid_ids", "lines that do not exist"),
    ):
        found = data[key]
        if isinstance(found, list) and found:
            console.print(Text(f"  The model also named {len(found)} {what}: not shown.", style="yellow"))
    model = re.sub(r"(sha256:[0-9a-f]{12})[0-9a-f]+", r"\1", asked.model)
    console.print(Text(f"  Chosen by {asked.strategy.upper()} with {model}", style="dim"))
    if any(line["ocr"] for line in asked.shown()):
        console.print(Text("  OCR: read from a picture of the page, and may be misread: compare it.", style="yellow"))
    if asked.label:
        console.print(Text(f"  {asked.label}", style="bold yellow"))
    console.print(Text("  Lines are word for word; whether they are all that matter is not guaranteed.", style="dim"))
