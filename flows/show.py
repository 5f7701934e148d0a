"""An answer on the terminal: source lines word for word, under their headings."""

from rich.console import Console
from rich.padding import Padding
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
    above: list[object] = []
    for line in asked.shown():
        path = list(line["path"])[1:] if isinstance(line["path"], list) else []
        if path and path != above:
            console.print(Padding(Text(" > ".join(map(str, path)), style="dim"), (0, 0, 0, 2)))
        above = path
        label = f"  [{line['label']}]" if line["label"] else ""
        place = f"  ({line['place']})" if line["place"] else ""
        console.print(Padding(Text(f"{line['number']:>4}  {line['text']}{place}{label}"), (0, 0, 0, 2)))
    _notes(console, asked)


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
    console.print(Text(f"  Chosen by {asked.strategy.upper()} with {asked.model}", style="dim"))
    if any(line["ocr"] for line in asked.shown()):
        console.print(Text("  OCR: read from a picture of the page, and may be misread: compare it.", style="yellow"))
    if asked.label:
        console.print(Text(f"  {asked.label}", style="bold yellow"))
    console.print(Text("  Lines are word for word; whether they are all that matter is not guaranteed.", style="dim"))
