"""report: tables, figures, one static page that works offline, and metrics.json for `dvc metrics show`."""

import json
from itertools import product

import yaml
from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable
from rich.text import Text

from flows.stage import console, main
from tasks import params as settings
from tasks import paths, store
from tasks.params import Experiment, Params
from tasks.records import (
    Answer,
    Call,
    Comparison,
    Document,
    Dropped,
    Hit,
    Line,
    LineHit,
    Question,
    Removal,
    Repair,
    Score,
    Section,
    Sentence,
    Topic,
)
from tasks.report import (
    DatasetRows,
    ExperimentRows,
    Published,
    PublishedIndex,
    Study,
    Table,
    all_figures,
    all_tables,
    cost_of,
    metrics,
    page,
    strategies,
    to_csv,
    to_latex,
    to_markdown,
)


def report() -> None:
    """Write the report of every dataset and experiment of params.yaml."""
    study = gather(settings.load())
    written = {"md": to_markdown, "csv": to_csv, "tex": to_latex}
    for table, (ending, write) in product(all_tables(study), written.items()):
        store.write_text(paths.REPORTS / "tables" / f"{table.name}.{ending}", write(table))
    for figure in all_figures(study):
        store.write_text(paths.REPORTS / "figures" / f"{figure.name}.svg", figure.svg)
    store.write_text(paths.REPORTS / "metrics.json", json.dumps(metrics(study), indent=1, sort_keys=True) + "\n")
    store.write_text(paths.REPORTS / "index.html", page(study))
    for name, rows in study.experiments.items():
        console.print(for_terminal(strategies(name, rows)), soft_wrap=False)
    console.print(f"The report: {paths.REPORTS / 'index.html'}", highlight=False)


def gather(params: Params) -> Study:
    """Everything the stages have written."""
    datasets = {name: _dataset(params, name) for name in params.datasets}
    experiments = {name: _experiment(params, name, how) for name, how in params.experiments.items()}
    published = [
        Published.model_validate(yaml.safe_load(store.read_text(file)))
        for file in sorted(paths.PAPER.glob("table-a*.yaml"))
    ]
    index = PublishedIndex.model_validate(yaml.safe_load(store.read_text(paths.PAPER / "table-4.yaml")))
    return Study(datasets, experiments, params, published, index)


def for_terminal(table: Table) -> RichTable:
    """A table with its best values bold and its second best underlined."""
    shown = RichTable(
        box=SIMPLE_HEAD, title=table.title, caption=table.caption, title_justify="left", caption_justify="left"
    )
    for i, column in enumerate(table.columns):
        shown.add_column(column, justify="left" if i < table.heads else "right", no_wrap=i < table.heads)
    for row in table.cells:
        shown.add_row(*(Text(cell.text + cell.star, style=_style(cell.marks)) for cell in row))
    return shown


def _style(marks: frozenset[str]) -> str:
    return "bold" if "best" in marks else "underline" if "second" in marks else ""


def _dataset(params: Params, name: str) -> DatasetRows:
    source, index = paths.validate(name), paths.index(name)
    return DatasetRows(
        documents=store.read(source / "documents.parquet", Document),
        lines=store.read(source / "lines.parquet", Line),
        sentences=store.read(source / "sentences.parquet", Sentence),
        questions=store.read(source / "questions.parquet", Question),
        sections=store.read(index / "sections.parquet", Section),
        dropped=store.read(index / "dropped.parquet", Dropped),
        removals=store.read(source / "removals.parquet", Removal),
        repairs=store.read(source / "repairs.parquet", Repair),
        hits={key: store.read(paths.retrieve(key, name) / "hits.parquet", Hit) for key in params.embedders},
        line_hits={key: store.read(paths.retrieve(key, name) / "lines.parquet", LineHit) for key in params.embedders},
        title=params.datasets[name].title,
        label=params.datasets[name].label,
        base=_base(params, name),
        costs=[cost_of("index", store.read(index / "calls.parquet", Call))],
    )


def _base(params: Params, dataset: str) -> list[Score]:
    """BASE in every view, of the first experiment of each embedder: those after it may have chosen other topics."""
    first = {how.embedder: name for name, how in reversed(params.experiments.items()) if how.dataset == dataset}
    return [score for name in first.values() for score in store.read(paths.score(name) / "base.parquet", Score)]


def _experiment(params: Params, name: str, how: Experiment) -> ExperimentRows:
    return ExperimentRows(
        settings=how,
        model=params.models[how.model],
        answers=store.read(paths.answer(name) / "answers.parquet", Answer),
        topics=store.read(paths.topic(name) / "topics.parquet", Topic),
        scores=store.read(paths.score(name) / "scores.parquet", Score),
        comparisons=store.read(paths.score(name) / "comparisons.parquet", Comparison),
        counts=json.loads(store.read_text(paths.score(name) / "term_counts.json")),
        calls=store.read(paths.answer(name) / "calls.parquet", Call),
        costs=[cost_of("topic", store.read(paths.topic(name) / "calls.parquet", Call))],
    )


if __name__ == "__main__":
    main("report", report, [])
