"""The published values hold together and stand beside ours; and tables as LaTeX."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tasks.report import ExperimentRows, Published, PublishedIndex, Study, index_statistics, to_latex
from tasks.report.paper import beside
from tasks.report.table import Cell, Table, plain

FOLDER = Path(__file__).resolve().parents[1] / "golden/paper"
TABLES = [
    Published.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    for file in sorted(FOLDER.glob("table-a*.yaml"))
]
ROWS = [
    (table.table, model, strategy, row.values)
    for table in TABLES
    for model, by_strategy in table.models.items()
    for strategy, row in by_strategy.items()
]


def test_all_rows_of_tables_a6_and_a7_are_there() -> None:
    assert [table.table for table in TABLES] == ["A6", "A7"] and len(ROWS) == 16
    assert all(set(models) == {"copy", "lines", "junior", "safety"} for t in TABLES for models in t.models.values())


@pytest.mark.parametrize(("table", "model", "strategy", "values"), ROWS)
def test_a_mean_f1_is_at_most_the_f1_of_the_means(
    table: str, model: str, strategy: str, values: tuple[float, ...]
) -> None:
    for p, r, f1 in (values[2:5], values[5:8]):  # the harmonic mean is concave: a slip of the pen would show
        assert 0.85 < f1 / (2 * p * r / (p + r)) <= 1


def test_the_paper_s_strategies_stand_under_ours_with_the_stars_of_the_paper(experiment: ExperimentRows) -> None:
    mass = replace(experiment, settings=experiment.settings.model_copy(update={"context": "mass"}))
    found = beside("demo-mass", mass, TABLES)
    assert [cell.text for cell in found.cells[0][:2]] == ["demo-mass", "COPY"]
    lines = next(row for row in found.cells if row[0].text == "A7: Qwen3-235B, NICE" and row[1].text == "LINES")
    assert [cell.text for cell in lines[2:6]] == ["225", "0.34", "0.29", "0.85"]
    assert [cell.star for cell in lines[2:]] == ["", "*▼", "", "", "*▼", "", "*▲", "*▼"]
    assert beside("demo-full", experiment, TABLES).cells == ()


def test_table_4_has_the_published_columns(study: Study) -> None:
    index = PublishedIndex.model_validate(yaml.safe_load((FOLDER / "table-4.yaml").read_text(encoding="utf-8")))
    table = index_statistics(replace(study, published_index=index))
    assert table.columns[-3:] == ("UCLH", "Somerset", "NICE")
    texts = {row[0].text: [cell.text for cell in row[-3:]] for row in table.cells}
    assert texts["Number of sections"] == ["987", "469", "4,726"]
    assert texts["Words a section, mean"] == ["31", "66", "19"]
    assert set(index.rows) < set(texts)


def test_latex_escapes_and_marks() -> None:
    cells = ((Cell("A_B & C"), Cell("0.50", frozenset({"best", "lower"})), *plain("–")),)
    found = to_latex(Table("t-1", "50 % of {x}.", "p < .05 \\ *▲", ("#", "R-L", "F1"), cells))
    assert r"\textbf{50 \% of \{x\}.} p \ensuremath{<} .05 \textbackslash{} *\ensuremath{\uparrow}" in found
    assert r"A\_B \& C & \textbf{0.50}*\ensuremath{\downarrow} & -- \\" in found
    assert r"\begin{tabular}{lrr}" in found and r"\label{tab:t-1}" in found
