import math

import pytest

from tasks.params import Experiment
from tasks.records import Score
from tasks.report import (
    Cell,
    DatasetRows,
    ExperimentRows,
    Study,
    Table,
    all_tables,
    base_retrieval,
    compared,
    costs,
    dataset_statistics,
    empty_terms,
    index_statistics,
    metrics,
    safety,
    strategies,
    to_csv,
    to_html,
    to_markdown,
    top_similarity,
)
from tasks.report.numbers import length, probability, signed
from tasks.report.table import ranks

SETTINGS = Experiment(dataset="demo", model="qwen", embedder="minilm")


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.cells]


def row(table: Table, name: str) -> dict[str, Cell]:
    found = next(cells for cells in table.cells if cells[0].text == name)
    return dict(zip(table.columns, found, strict=True))


def score(strategy: str, metric: str, value: float, question: str = "q1", experiment: str = "demo-full") -> Score:
    return Score(experiment=experiment, strategy=strategy, question_id=question, metric=metric, value=value)


def test_the_best_number_is_marked_best_and_the_next_second():
    assert ranks(["0.10", "0.30", "0.20"]) == [frozenset(), {"best"}, {"second"}]


def test_a_lower_number_is_better_where_it_is_said_so():
    assert ranks(["1,200", "9.4", "30"], lower_is_better=True) == [frozenset(), {"best"}, {"second"}]


def test_numbers_printed_alike_are_marked_alike_and_two_firsts_leave_no_second():
    assert ranks(["0.64", "0.64", "0.60"]) == [{"best"}, {"best"}, frozenset()]


def test_two_seconds_are_both_marked():
    assert ranks(["0.9", "0.5", "0.5"]) == [{"best"}, {"second"}, {"second"}]


@pytest.mark.parametrize("column", [[], ["0.5"], ["0.5", "–"], ["0.5", "0.5"]])
def test_nothing_is_marked_where_there_is_nothing_to_tell_apart(column: list[str]):
    assert ranks(column) == [frozenset()] * len(column)


def test_a_missing_number_is_never_marked():
    assert ranks(["–", "0.2", "0.1"]) == [frozenset(), {"best"}, {"second"}]


def test_lengths_lose_their_decimals_from_ten_words_on():
    assert [length(9.94), length(9.96), length(61.4), length(None)] == ["9.9", "10", "61", "–"]


def test_a_small_p_is_not_printed_as_zero():
    assert [probability(0.0002), probability(0.03)] == ["< 0.001", "0.030"]


def test_a_difference_that_rounds_to_zero_has_no_sign():
    assert [signed(-0.004, 2), signed(-0.2, 2), signed(0.2, 2)] == ["0.00", "−0.20", "+0.20"]


def test_table_1_gives_means_with_their_range(study: Study):
    assert texts(dataset_statistics(study)) == [["demo", "2", "3", "750 (300–1,200)", "6.3 (4–9)"]]


def test_table_4_counts_a_guideline_without_sections_as_zero(study: Study):
    found = dict(texts(index_statistics(study)))
    assert found["Sections a guideline, mean"] == "1.0"
    assert found["Sections a guideline, range"] == "0–2"
    assert found["Words a section, mean"] == "3.0"
    assert found["Subparts left out"] == "1"


def test_table_5_marks_the_best_embedder_within_each_view():
    means = {"a/text": 0.5, "b/text": 0.4, "a/text+question": 0.6, "b/text+question": 0.7}
    base = [score("base", "word_f1", value, experiment=key) for key, value in means.items()]
    table = base_retrieval(Study(datasets={"demo": DatasetRows(base=base)}, experiments={}), "demo")
    marks = {(cells[0].text, cells[1].text): cells[6].marks for cells in table.cells}
    assert marks == {
        ("a", "text"): {"best"},
        ("b", "text"): {"second"},
        ("a", "text+question"): {"second"},
        ("b", "text+question"): {"best"},
    }


def test_table_5_falls_back_on_the_experiments_own_view(study: Study):
    assert texts(base_retrieval(study, "demo"))[0][:4] == ["minilm", "text+question", "61", "0.30"]


def test_table_6_looks_only_into_the_questions_own_guideline(study: Study):
    found = texts(top_similarity("demo", study.datasets["demo"]))
    assert found == [
        ["minilm", "text", "0.70", "0.10", "0.60", "0.80"],
        ["minilm", "text+question", "0.80", "0.10", "0.70", "0.90"],
    ]


def test_table_7_prints_the_strategies_in_the_order_of_the_settings(experiment: ExperimentRows):
    table = strategies("demo-full", experiment)
    assert [cells[0].text for cells in table.cells] == ["BASE", "COPY", "LINES", "SAFETY"]
    assert [cell.text for cell in table.cells[1]] == [
        "COPY",
        "20",
        "0.60",
        "0.70",
        "0.60",
        "0.64",
        "0.70",
        "0.60",
        "0.64",
    ]


def test_table_7_counts_the_shortest_answer_as_best(experiment: ExperimentRows):
    table = strategies("demo-full", experiment)
    assert row(table, "SAFETY")["AnsLen"] == Cell("9.4", frozenset({"best"}))
    assert row(table, "COPY")["AnsLen"].marks == {"second"}


def test_table_7_stars_a_difference_with_its_direction(experiment: ExperimentRows):
    table = strategies("demo-full", experiment)
    assert row(table, "LINES")["R"].marks == {"second", "higher"}
    assert row(table, "SAFETY")["R"].star == "*▼"
    assert row(table, "LINES")["F1"].star == ""


def test_table_7_prints_a_dash_for_a_metric_without_values(experiment: ExperimentRows):
    assert row(strategies("demo-full", experiment), "SAFETY")["Term F1"] == Cell("–")


def test_a_value_that_is_not_a_number_counts_as_missing():
    scores = [score("copy", "term_r", math.nan), score("copy", "term_r", 0.5, question="q2")]
    rows = ExperimentRows(settings=SETTINGS, scores=scores)
    assert row(strategies("x", rows), "COPY")["Term R"].text == "0.50"


def test_the_safety_table_adds_up_excerpts_and_counts_questions(experiment: ExperimentRows):
    found = row(safety("demo-full", experiment), "COPY")
    assert [found[name].text for name in ("Unsupported", "Invalid ids", "No guideline", "Unreadable")] == [
        "1",
        "0",
        "1 of 3",
        "–",
    ]


def test_differences_come_with_their_adjusted_p(experiment: ExperimentRows):
    assert texts(compared("demo-full", experiment))[2] == [
        "SAFETY", "COPY", "R", "−0.20", "−0.30 to −0.10", "0.030", "0.120", "–",
    ]  # fmt: skip


def test_empty_term_sets_are_reported(experiment: ExperimentRows):
    assert texts(empty_terms("demo-full", experiment)) == [["COPY", "3", "1", "2", "1"]]


def test_costs_are_added_up_for_each_stage_and_strategy(study: Study, experiment: ExperimentRows):
    assert texts(costs("demo-full", experiment, study.datasets)) == [
        ["topic", "1", "1,500", "1,400", "40", "12", "12"],
        ["COPY", "2", "3,000", "2,800", "80", "25", "12"],
    ]


def test_a_study_without_results_has_only_the_tables_it_has_rows_for():
    empty = Study(datasets={"demo": DatasetRows()}, experiments={"x": ExperimentRows(settings=SETTINGS)})
    assert [table.name for table in all_tables(empty)] == ["datasets"]


def test_every_table_has_a_name_of_its_own(study: Study):
    names = [table.name for table in all_tables(study)]
    assert len(names) == len(set(names)) == 11


def test_metrics_are_means_by_experiment_and_strategy(study: Study):
    found = metrics(study)["demo-full"]
    assert found["copy"]["word_f1"] == 0.644
    assert found["copy"]["no_topic"] == 0.3333
    assert "term_f1" not in found["safety"]


TABLE = Table(
    name="t",
    title="A|B",
    caption="p < .05",
    columns=("Strategy", "F1"),
    cells=((Cell("<b>"), Cell("1,234", frozenset({"best", "higher"}))), (Cell("x"), Cell("–"))),
)


def test_markdown_marks_the_best_and_escapes_the_rest():
    assert to_markdown(TABLE).splitlines() == [
        "### A\\|B", "", "| Strategy | F1 |", "| --- | ---: |", "| \\<b\\> | **1,234**\\*▲ |", "| x | – |", "",
        "p \\< .05",
    ]  # fmt: skip


def test_csv_holds_bare_numbers_and_leaves_missing_ones_empty():
    assert to_csv(TABLE) == "Strategy,F1\n<b>,1234\nx,\n"


def test_html_has_a_caption_scopes_and_escaped_text():
    html = to_html(TABLE)
    assert "<caption><b>A|B</b> p &lt; .05</caption>" in html
    assert '<th scope="col" class="head">Strategy</th>' in html
    assert '<th scope="row">&lt;b&gt;</th><td><strong>1,234</strong><span class="star">*▲</span></td>' in html
