"""`make bench-extract`: how faithfully PDFs are read, by our engine and three others, and how fast.

Writes reports/benchmarks/extract.json. The documents of our own are set into a temporary folder, each with its truth.
"""

import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pypdfium2
from rich.console import Console
from rich.table import Table

from benchmarks.extract import metrics
from benchmarks.extract.engines import ENGINES, Engine, made, pdftotext
from benchmarks.extract.layouts import LAYOUTS
from benchmarks.extract.truth import Truth
from tasks import store
from tasks.errors import UnreadablePdf

REPEATS = 5
ENOUGH = 4.0  # seconds of repeats: a slow engine is timed less often
OUT = Path("reports/benchmarks/extract.json")
_COLUMNS = ("word F1", "line F1", "order errors", "quantities lost", "invented", "kind", "parent", "pages/s")


def main() -> None:
    """All layouts and all real files, by all engines."""
    console = Console(width=140)
    with tempfile.TemporaryDirectory() as folder:
        rows = {layout.name: _measured(Path(folder), layout.name, layout.build) for layout in LAYOUTS}
    for engine in ENGINES:
        console.print(_table(engine, rows))
    real = list(_real())
    console.print(_real_table(real) if real else "real files: skipped, there is no ../shared/data (or SAFELLM_SHARED)")
    summary = summarised(rows)
    console.print(json.dumps(summary, indent=1))
    store.write_text(OUT, json.dumps({**summary, "layouts": rows, "real": real}, indent=1, ensure_ascii=False) + "\n")


def _measured(folder: Path, name: str, build: Any) -> dict[str, Any]:
    """What every engine makes of one layout: its measures, or that it refused the file."""
    pdf = folder / f"{name.replace(' ', '-').replace(',', '')}.pdf"
    truth = build(pdf)
    pages = pages_of(pdf)
    return {engine: _scores(read, pdf, truth, pages) for engine, read in ENGINES.items()}


def _scores(read: Engine, pdf: Path, truth: Truth | None, pages: int) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        found = read(pdf)
    except UnreadablePdf:
        return {"refused": True, "right": truth is None}
    taken = time.perf_counter() - start
    if truth is None:
        return {"refused": False, "right": False}
    wanted = truth.lines
    return {
        "word_f1": metrics.word_f1(found, wanted),
        "line_f1": metrics.line_f1(found, wanted),
        "order_errors": metrics.order_errors(found, wanted),
        "quantities_lost": metrics.quantities_lost(found, wanted),
        "quantities_invented": metrics.quantities_invented(found, wanted, truth.furniture),
        "kind_accuracy": metrics.kind_accuracy(found, wanted),
        "parent_accuracy": metrics.parent_accuracy(found, wanted),
        "pages_per_second": pages / _seconds(read, pdf, taken),
    }


def _seconds(read: Engine, pdf: Path, first: float | None = None) -> float:
    """The median of several repeats."""
    taken: list[float] = [] if first is None else [first]
    while len(taken) < REPEATS and sum(taken) < ENOUGH:
        start = time.perf_counter()
        read(pdf)
        taken.append(time.perf_counter() - start)
    return median(taken)


def pages_of(pdf: Path) -> int:
    """How many pages a PDF has."""
    with pypdfium2.PdfDocument(pdf) as document:
        return len(document)


def summarised(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The figures of the bars, over our own documents. `speed_ratio_pdftotext` is the median over the layouts."""
    pairs = [(row["safellm"], row["pdftotext"]) for row in rows.values() if "word_f1" in row["safellm"]]
    refusals = [row["safellm"] for row in rows.values() if "refused" in row["safellm"]]
    return {
        "word_f1_min": min(ours["word_f1"] for ours, _ in pairs),
        "quantities_lost": sum(ours["quantities_lost"] for ours, _ in pairs),
        "line_f1": min(ours["line_f1"] for ours, _ in pairs),
        "order_errors": sum(ours["order_errors"] for ours, _ in pairs),
        "speed_ratio_pdftotext": median(ours["pages_per_second"] / raw["pages_per_second"] for ours, raw in pairs),
        "never_below_pdftotext": all(ours["word_f1"] >= raw["word_f1"] for ours, raw in pairs),
        "refusals_right": sum(item["right"] for item in refusals),
        "refusals": sum("refused" in row["pdftotext"] for row in rows.values()),
    }


def _table(engine: str, rows: dict[str, dict[str, Any]]) -> Table:
    table = Table("layout", *_COLUMNS, title=engine)
    for name, row in rows.items():
        score = row[engine]
        if "refused" in score:
            table.add_row(name, "refused" if score["refused"] else "not refused: wrong")
            continue
        table.add_row(name, *map(_said, score.values()))
    return table


def _said(value: float | int | None) -> str:
    if value is None:
        return "-"
    if isinstance(value, int):
        return str(value)
    return f"{value:.4f}" if value <= 1 else f"{value:.0f}"


def _real() -> Iterator[dict[str, Any]]:
    """The real files: our lines and removals against the words of raw pdftotext."""
    shared = Path(os.environ.get("SAFELLM_SHARED") or "../shared")
    for pdf in sorted(file for name in ("fda", "mmwr", "vadod") for file in (shared / "data/pdf" / name).glob("*.pdf")):
        result, raw = made(pdf), pdftotext(pdf)
        words = Counter(word for line in raw for word in metrics.normal(line.text))
        lines = Counter(word for line in result.lines for word in metrics.normal(line.text))
        gone = Counter(word for item in result.removals for word in metrics.normal(item.text))
        numbers = metrics.numbers(line.text for line in raw)
        kept = metrics.numbers([*(line.text for line in result.lines), *(item.text for item in result.removals)])
        yield {
            "file": pdf.name,
            "pages": pages_of(pdf),
            "words": words.total(),
            "recall": metrics.recall(lines + gone, words),
            "invented": (lines + gone - words).total(),
            "numbers": numbers.total(),
            "numbers_lost": (numbers - kept).total(),
            "lines": len(result.lines),
            "removals": len(result.removals),
            "pages_per_second": pages_of(pdf) / _seconds(lambda file: made(file).lines, pdf),  # type: ignore[arg-type]
            "pdftotext_pages_per_second": pages_of(pdf) / _seconds(pdftotext, pdf),
        }


def _real_table(real: list[dict[str, Any]]) -> Table:
    table = Table(*real[0], title="real files: our lines and removals against raw pdftotext's words")
    for row in real:
        table.add_row(*(_said(value) if not isinstance(value, str) else value[:32] for value in row.values()))
    return table


if __name__ == "__main__":
    main()
