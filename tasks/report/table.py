"""One table as cells of plain text with their marks apart, written as Markdown, CSV, LaTeX or HTML."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

Mark = Literal["best", "second", "higher", "lower"]
MISSING = "–"
MINUS = "\u2212"
_SIGNS: dict[Mark, str] = {"higher": "*▲", "lower": "*▼"}


@dataclass(frozen=True)
class Cell:
    """`text` is as printed, without its marks; "higher" and "lower" are starred differences from the baseline."""

    text: str
    marks: frozenset[Mark] = frozenset()

    @property
    def star(self) -> str:
        """ "*▲", "*▼" or nothing."""
        return next((sign for mark, sign in _SIGNS.items() if mark in self.marks), "")


@dataclass(frozen=True)
class Table:
    """`name` is a file name without its ending; the first `heads` columns are the headers of their row.

    `experiment` is None for a table about datasets.
    """

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    heads: int = 1
    experiment: str | None = None


def plain(*texts: str) -> tuple[Cell, ...]:
    """Cells without marks."""
    return tuple(Cell(text) for text in texts)


def ranks(texts: Sequence[str], lower_is_better: bool = False) -> list[frozenset[Mark]]:
    """Which of these printed numbers is best and which second.

    Numbers that are printed alike are marked alike. Two that share the first place leave no second one, and where all
    are alike, or there are not two numbers, nothing is marked. Text that is no number (missing) is never marked.
    """
    sign = -1.0 if lower_is_better else 1.0
    numbers = [None if text == MISSING else sign * float(text.replace(",", "").replace(MINUS, "-")) for text in texts]
    order = sorted((number for number in numbers if number is not None), reverse=True)
    if len(order) < 2 or order[0] == order[-1]:
        return [frozenset() for _ in texts]
    return [_rank(number, order) for number in numbers]


def _rank(number: float | None, order: list[float]) -> frozenset[Mark]:
    if number is None:
        return frozenset()
    place = order.index(number)
    return frozenset({"best"}) if place == 0 else frozenset({"second"}) if place == 1 else frozenset()


def to_markdown(table: Table) -> str:
    """The table with its title and caption; best is bold, second is underlined."""
    head = "| " + " | ".join(map(_markdown_text, table.columns)) + " |"
    rule = "| " + " | ".join(["---"] * table.heads + ["---:"] * (len(table.columns) - table.heads)) + " |"
    rows = ["| " + " | ".join(map(_markdown_cell, row)) + " |" for row in table.cells]
    return "\n".join(
        [f"### {_markdown_text(table.title)}", "", head, rule, *rows, "", _markdown_text(table.caption), ""]
    )


def to_csv(table: Table) -> str:
    """The numbers as printed, without marks and thousands separators; missing is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_csv_text(cell.text) for cell in row] for row in table.cells)
    return out.getvalue()


def to_latex(table: Table) -> str:
    """A `table` environment for booktabs and any engine; best is bold, second underlined, a difference starred.

    `▲` and `▼` are arrows of math mode; other letters than LaTeX's own are left to the engine (UTF-8).
    """
    align = "l" * table.heads + "r" * (len(table.columns) - table.heads)
    rows = [" & ".join(map(_latex_cell, row)) + r" \\" for row in table.cells]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{\textbf{{{_latex_text(table.title)}}} {_latex_text(table.caption)}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{align}}}",
            r"\toprule",
            " & ".join(map(_latex_text, table.columns)) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def to_html(table: Table) -> str:
    """A `<table>` with caption and scopes; all text is escaped."""
    kinds = [' class="head"' if position < table.heads else "" for position in range(len(table.columns))]
    head = "".join(
        f'<th scope="col"{kind}>{escape(column)}</th>' for kind, column in zip(kinds, table.columns, strict=True)
    )
    rows = "".join(f"<tr>{''.join(_html_cells(row, table.heads))}</tr>\n" for row in table.cells)
    caption = f"<caption><b>{escape(table.title)}</b> {escape(table.caption)}</caption>"
    starred = ' class="starred"' if any(cell.star for row in table.cells for cell in row) else ""
    return f"<table{starred}>\n{caption}\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\|*_<>`\[\]])", r"\\\1", text.replace("\n", " "))


def _markdown_cell(cell: Cell) -> str:
    text = _markdown_text(cell.text)
    if "best" in cell.marks:
        text = f"**{text}**"
    if "second" in cell.marks:
        text = f"<ins>{text}</ins>"
    return text + cell.star.replace("*", r"\*")


_LATEX = {
    "\\": r"\textbackslash{}",
    **{letter: rf"\{letter}" for letter in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    MINUS: r"\ensuremath{-}",
    "▲": r"\ensuremath{\uparrow}",
    "▼": r"\ensuremath{\downarrow}",
    MISSING: "--",
}


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text.replace("\n", " "))


def _latex_cell(cell: Cell) -> str:
    text = _latex_text(cell.text)
    if "best" in cell.marks:
        text = rf"\textbf{{{text}}}"
    if "second" in cell.marks:
        text = rf"\underline{{{text}}}"
    return text + _latex_text(cell.star)


def _csv_text(text: str) -> str:
    number = text.replace(",", "").replace(MINUS, "-")
    return "" if text == MISSING else number if re.fullmatch(r"-?\d+(\.\d+)?", number) else text


def _html_cells(row: Iterable[Cell], heads: int) -> Iterable[str]:
    for position, cell in enumerate(row):
        text = escape(cell.text)
        if "best" in cell.marks:
            text = f"<strong>{text}</strong>"
        if "second" in cell.marks:
            text = f"<u>{text}</u>"
        if cell.star:
            text += f'<span class="star">{cell.star}</span>'
        yield f'<th scope="row">{text}</th>' if position < heads else f"<td>{text}</td>"
