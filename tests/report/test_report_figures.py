import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

from tasks.params import Experiment
from tasks.report import DatasetRows, ExperimentRows, Study, all_figures
from tasks.report.blocks import Counts, gold_counts, spans
from tasks.report.figures import _apart, inline


def test_every_figure_is_drawn_where_there_are_rows(study: Study):
    names = [figure.name for figure in all_figures(study)]
    assert names == ["precision-recall-demo-full", "length-recall-demo-full", "lines-demo-full", "similarity-demo"]


def test_no_figure_is_drawn_without_rows():
    rows = ExperimentRows(settings=Experiment(dataset="demo", model="m", embedder="e"))
    assert all_figures(Study(datasets={"demo": DatasetRows()}, experiments={"x": rows})) == []


def test_figures_are_the_same_byte_for_byte(study: Study):
    assert [figure.svg for figure in all_figures(study)] == [figure.svg for figure in all_figures(study)]


def test_figures_do_not_depend_on_the_machines_matplotlib_settings(study: Study, tmp_path: Path):
    (tmp_path / "matplotlibrc").write_text("font.size: 30\nlines.linewidth: 9\n", encoding="utf-8")
    drawn = all_figures(Study(datasets=study.datasets, experiments={}))[0].svg
    code = (
        "import pickle, sys; from tasks.report import all_figures;"
        "sys.stdout.buffer.write(all_figures(pickle.load(sys.stdin.buffer))[0].svg.encode())"
    )
    study = Study(datasets=study.datasets, experiments={})
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(study), capture_output=True, check=True, env=environment
    )
    assert done.stdout.decode() == drawn


def test_text_in_a_figure_is_text(study: Study):
    assert re.search(r"<text[^>]*>COPY 20 words, R 0\.60</text>", all_figures(study)[1].svg)


def test_a_figure_inside_a_page_names_no_address_and_shares_no_id(study: Study):
    inlined = [inline(figure) for figure in all_figures(study)]
    assert all("http" not in svg for svg in inlined)
    ids = [name for svg in inlined for name in re.findall(r'\sid="([^"]+)"', svg)]
    assert len(ids) == len(set(ids))


def test_labels_that_would_overlap_are_moved_apart():
    assert _apart([0.5, 0.5, 0.9], gap=0.1) == [0.5, 0.6, 0.9]


def test_labels_at_the_top_are_moved_down_not_out():
    placed = _apart([1.0, 1.0, 1.0], gap=0.1)
    assert max(placed) <= 1.04 + 1e-9
    assert sorted(placed)[1] - sorted(placed)[0] > 0.099


def test_reference_lines_are_counted_as_shown_missed_and_other(experiment: ExperimentRows, dataset: DatasetRows):
    copies = [answer for answer in experiment.answers if answer.strategy == "copy"]
    assert gold_counts(copies, dataset.questions) == Counts(shown=2, missed=2, other=0)


def test_lines_of_the_wrong_guideline_are_not_reference_lines(experiment: ExperimentRows, dataset: DatasetRows):
    wrong = [experiment.answers[0].model_copy(update={"guideline": "acute kidney injury & more"})]
    assert gold_counts(wrong, dataset.questions) == Counts(shown=0, missed=3, other=6)


def test_line_numbers_are_written_as_ranges():
    assert [spans([]), spans([3]), spans([8, 3, 4, 5, 4])] == ["", "3", "3–5, 8"]
