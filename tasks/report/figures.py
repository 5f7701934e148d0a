"""The four figures: precision and recall, length against recall, reference lines shown or missed, similarities.

Drawn as SVG with its text as text, and byte for byte the same for the same study.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tasks.report.blocks import gold_counts
from tasks.report.data import DatasetRows, ExperimentRows, Study
from tasks.report.metrics import means
from tasks.report.numbers import length, share
from tasks.report.results import ordered
from tasks.report.table import MISSING
from tasks.report.tables import similarities

# Okabe and Ito: told apart with every kind of colour vision; grey and ink are read on white and on black.
BLUE, ORANGE, GREEN, VERMILLION, GREY = "#3a8fc4", "#e69f00", "#009e73", "#d55e00", "#8a8a8a"
INK = "#010203"  # stands for the colour of the text around the figure
WIDTH = 4.3  # inches: readable where a phone shows it at its own width
SETTINGS = {
    "svg.fonttype": "none",
    "svg.hashsalt": "safellm",
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 9,
    "ytick.left": False,
}


@dataclass(frozen=True)
class Figure:
    """`svg` is a whole file; `name` is its name without the ending; `experiment` is None for a dataset's."""

    name: str
    title: str
    caption: str
    svg: str
    experiment: str | None = None


def all_figures(study: Study) -> list[Figure]:
    """Every figure that the study has rows for."""
    drawn: list[Figure | None] = []
    for name, rows in study.experiments.items():
        dataset = study.datasets.get(rows.settings.dataset)
        drawn += [precision_recall(name, rows), length_recall(name, rows)]
        drawn += [lines_shown(name, rows, dataset)] if dataset else []
    drawn += [similarity(name, dataset) for name, dataset in study.datasets.items()]
    return [figure for figure in drawn if figure is not None]


def precision_recall(name: str, rows: ExperimentRows) -> Figure | None:
    """Mean precision and recall of every strategy: words, terms and lines, those that were scored."""
    found = means(rows.scores)
    order = ordered(rows, found)
    kinds = {"word": "Words", "term": "Medical terms", "line": "Lines"}
    panels = {kind: title for kind, title in kinds.items() if any(f"{kind}_r" in found[key] for key in order)}
    if not panels:
        return None
    with _drawing(0.55 + len(panels) * (0.55 + 0.3 * len(order)), rows=len(panels)) as (axes, svg):
        for axis, (kind, title) in zip(axes, panels.items(), strict=True):
            _dumbbells(axis, [(key, found[key].get(f"{kind}_p"), found[key].get(f"{kind}_r")) for key in order])
            axis.set_title(title)
    return Figure(
        name=f"precision-recall-{name}",
        experiment=name,
        title=f"Precision and recall in {name}.",
        caption="Mean over the questions. Recall (filled): how much of the reference was shown. Precision (ring): how "
        "much of what was shown is in the reference. The gap from a filled dot to 1 was missed.",
        svg=svg.getvalue(),
    )


def _dumbbells(axis: Any, items: Sequence[tuple[str, float | None, float | None]]) -> None:
    for row, (_, precision, recall) in enumerate(items):
        if precision is None or recall is None:
            axis.text(0, row, MISSING, va="center")
            continue
        axis.plot([precision, recall], [row, row], color=GREY, linewidth=2, zorder=1)
        axis.plot(precision, row, "o", markersize=8, markerfacecolor="none", color=ORANGE, markeredgewidth=2, zorder=2)
        axis.plot(recall, row, "o", markersize=8, color=BLUE, zorder=3)
        for value, letter, other in ((precision, "P", recall), (recall, "R", precision)):
            right = value > other or (value == other and letter == "R")
            axis.annotate(
                f"{letter} {share(value)}",
                (value, row),
                xytext=(8 if right else -8, 0),
                textcoords="offset points",
                ha="left" if right else "right",
                va="center",
                fontsize=9,
            )
    _rows(axis, [key.upper() for key, _, _ in items])
    axis.set_xlim(-0.22, 1.22)
    axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])


def length_recall(name: str, rows: ExperimentRows) -> Figure | None:
    """Mean word recall of every strategy against its mean length."""
    found = means(rows.scores)
    points = [
        (key, found[key]["ans_len"], found[key]["word_r"])
        for key in ordered(rows, found)
        if {"ans_len", "word_r"} <= set(found[key])
    ]
    if not points:
        return None
    widest = max(max(words for _, words, _ in points), 1.0)
    column = max((words for _, words, _ in points if words <= 0.6 * widest), default=0.0) + 0.06 * widest
    with _drawing(3.2) as ((axis,), svg):
        for (key, words, recall), height in zip(points, _apart([recall for *_, recall in points]), strict=True):
            left = words > 0.6 * widest
            axis.plot(words, recall, "o", markersize=8, color=BLUE)
            axis.annotate(
                f"{key.upper()} {length(words)} words, R {share(recall)}",
                (words, recall),
                xytext=(words - 0.05 * widest if left else column, height),
                ha="right" if left else "left",
                va="center",
                fontsize=9,
                arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.7},
            )
        axis.set_xlim(0, widest * 1.05)
        axis.set_ylim(0, 1.08)
        axis.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        axis.set_xlabel("Words shown, mean")
        axis.set_title("Recall of the reference's words")
        axis.grid(color=GREY, alpha=0.25)
    return Figure(
        name=f"length-recall-{name}",
        experiment=name,
        title=f"Answer length and recall in {name}.",
        caption="Mean over the questions. Up is more of the reference shown; left is less to read.",
        svg=svg.getvalue(),
    )


def _apart(heights: Sequence[float], gap: float = 0.08) -> list[float]:
    """The heights, moved as little as keeps labels at them from overlapping; at most 1.04."""
    order = sorted(range(len(heights)), key=lambda position: (heights[position], position))
    placed: dict[int, float] = {}
    below = float("-inf")
    for position in order:
        below = placed[position] = max(heights[position], below + gap)
    above = 1.04 + gap
    for position in reversed(order):
        above = placed[position] = min(placed[position], above - gap)
    return [placed[position] for position in range(len(heights))]


def lines_shown(name: str, rows: ExperimentRows, dataset: DatasetRows) -> Figure | None:
    """Over all questions, the lines of the reference that each strategy showed and missed, and how many others."""
    found = {
        strategy: gold_counts([answer for answer in rows.answers if answer.strategy == strategy], dataset.questions)
        for strategy in ordered(rows, {answer.strategy: None for answer in rows.answers})
    }
    if not any(counts.shown + counts.missed for counts in found.values()):
        return None
    with _drawing(0.9 + 0.5 * len(found)) as ((axis,), svg):
        for row, counts in enumerate(found.values()):
            _stack(axis, row, {"shown": (counts.shown, GREEN), "missed": (counts.missed, VERMILLION)})
            other = f"+ {counts.other} other lines"
            axis.annotate(
                other, (0, row), xytext=(1, -16), textcoords="offset points", va="center", fontsize=9, color=INK
            )
        _rows(axis, [strategy.upper() for strategy in found])
        axis.set_ylim(len(found) - 0.25, -0.6)
        axis.set_xticks([])
        axis.spines["bottom"].set_visible(False)
    return Figure(
        name=f"lines-{name}",
        experiment=name,
        title=f"Reference lines shown and missed in {name}.",
        caption="Lines of the reference answers, over all questions that have them. A missed line is an omission that "
        "a clinician cannot see. Other lines were shown and are not part of the reference.",
        svg=svg.getvalue(),
    )


def _stack(axis: Any, row: int, parts: Mapping[str, tuple[int, str]]) -> None:
    left = 0
    whole = sum(number for number, _ in parts.values()) or 1
    for word, (number, colour) in parts.items():
        hatch = "//" if word == "missed" else None  # told apart without colour, too
        axis.barh(row, number, left=left, height=0.42, color=colour, hatch=hatch, alpha=0.85)
        if number:
            label = f"{number} {word}" if number / whole > 0.2 else str(number)
            style = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.9}
            middle = left + number / 2
            axis.text(middle, row, label, ha="center", va="center", fontsize=9, color="black", bbox=style)
        left += number


def similarity(name: str, dataset: DatasetRows) -> Figure | None:
    """The cosines of the questions with the sections of their own guideline, by embedder and view: best and all."""
    everything = similarities(dataset.hits, dataset.questions, top_only=False)
    best = similarities(dataset.hits, dataset.questions, top_only=True)
    boxes = [
        (f"{embedder}, {view}: {label}", found[embedder, view], colour)
        for embedder, view in best
        for label, found, colour in (("best section", best, BLUE), ("all sections", everything, GREY))
    ]
    if not boxes:
        return None
    with _drawing(0.9 + 0.55 * len(boxes)) as ((axis,), svg):
        for row, (label, numbers, colour) in enumerate(boxes):
            axis.boxplot(
                numbers,
                positions=[row],
                orientation="horizontal",
                widths=0.34,
                whis=(0, 100),
                patch_artist=True,
                boxprops={"facecolor": colour, "edgecolor": colour, "alpha": 0.55},
                medianprops={"color": INK, "linewidth": 2},
                whiskerprops={"color": colour},
                capprops={"color": colour},
            )
            axis.annotate(label, (0, row - 0.36), xycoords=("axes fraction", "data"), va="center", fontsize=9)
        axis.set_yticks([])
        axis.set_ylim(len(boxes) - 0.6, -0.7)
        axis.set_xlabel("Cosine: range, quartiles and median")
        axis.grid(axis="x", color=GREY, alpha=0.25)
    return Figure(
        name=f"similarity-{name}",
        title=f"Similarity of questions and sections on {name}.",
        caption="Inside the question's own guideline. The further the best section stands clear of all sections, the "
        "more the ranking can tell them apart.",
        svg=svg.getvalue(),
    )


def inline(figure: Figure) -> str:
    """The SVG for inside a page: sized by the page, in its colours, with ids of its own, and without any address."""
    svg = figure.svg[figure.svg.index("<svg") :]
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r'(<svg[^>]*?)\swidth="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?)\sheight="[^"]*"', r"\1", svg, count=1)
    svg = svg.replace("xlink:href", "href").replace(INK, "currentColor")
    svg = re.sub(r'(\sid="|href="#|url\(#)', rf"\g<1>{figure.name}-", svg)
    return svg.replace("<svg", f'<svg role="img" aria-labelledby="{figure.name}-caption"', 1)


def _rows(axis: Any, labels: Sequence[str]) -> None:
    """One labelled row an item, the first on top."""
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(len(labels) - 0.5, -0.5)


@contextmanager
def _drawing(height: float, rows: int = 1) -> Iterator[tuple[list[Any], io.StringIO]]:
    """Axes to draw on, one below the other, and the text that holds the SVG after the block."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas

    svg = io.StringIO()
    whole: dict[Any, Any] = {**matplotlib.rcParamsDefault, **SETTINGS}  # whatever the machine has set
    with matplotlib.rc_context(whole):
        figure = Canvas(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
        yield list(axes), svg
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(svg, format="svg", transparent=True, metadata=nothing)
