"""The paper's published values beside ours: of other documents and other models, so a scale and not a target."""

from collections.abc import Sequence

from tasks.report.data import ExperimentRows, Published, Values
from tasks.report.metrics import means
from tasks.report.results import METRICS, ordered, printed
from tasks.report.table import Cell, Mark, Table, plain


def beside(name: str, rows: ExperimentRows, published: Sequence[Published]) -> Table:
    """Our strategies, and under them the paper's of the same context; no rows where it published none."""
    found = means(rows.scores)
    order = [strategy for strategy in ordered(rows, found) if strategy != "base"]
    theirs = [item for item in published if item.context == rows.settings.context] if order else []
    cells = [(*plain(name, strategy.upper()), *map(Cell, printed(found[strategy]))) for strategy in order]
    for item in theirs:
        for model, by_strategy in item.models.items():
            cells += [
                (*plain(f"{item.table}: {model}, {item.dataset}", strategy.upper()), *_cells(by_strategy, strategy))
                for strategy in order
                if strategy in by_strategy
            ]
    return Table(
        name=f"paper-{name}",
        experiment=name,
        title=f"The paper's values beside {name}.",
        caption=f"Table {' and '.join(item.table for item in theirs)} of the paper, as published: other documents, other "
        "models and another list of medical terms, so what can be compared is how strategies differ. *▲ and *▼: higher or "
        "lower than the same model's COPY, p < .05, by the paper's own test.",
        columns=("Whose", "Strategy", *METRICS.values()),
        cells=tuple(cells) if theirs else (),
        heads=2,
    )


def _cells(by_strategy: dict[str, Values], strategy: str) -> list[Cell]:
    row, copy = by_strategy[strategy], by_strategy["copy"]
    texts = printed(dict(zip(METRICS, row.values, strict=True)))
    marks: list[frozenset[Mark]] = []
    for label, value, other in zip(METRICS.values(), row.values, copy.values, strict=True):
        direction: Mark = "higher" if value > other else "lower"
        marks.append(frozenset({direction}) if label in row.starred else frozenset())
    return [Cell(text, mark) for text, mark in zip(texts, marks, strict=True)]
