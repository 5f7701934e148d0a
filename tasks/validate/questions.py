"""questions.csv, checked: `question_id,guideline,question,reference,gold_lines`."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from tasks.errors import BadQuestions
from tasks.records import Line, Question

COLUMNS = ("question_id", "guideline", "question", "reference", "gold_lines")
_GOLD = re.compile(r"\d+(?:-\d+)?(?:[,;]\s*\d+(?:-\d+)?)*")


def read_questions(text: str, where: str, lines: Mapping[str, Sequence[Line]]) -> list[Question]:
    """The questions of a CSV text that came from `where`. Raises BadQuestions with file and line.

    `gold_lines` is like "3; 5-7". Where it is empty and the reference was made by selecting lines, the gold lines are
    those of the reference.
    """
    reader = csv.DictReader(io.StringIO(text), strict=True)
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise BadQuestions(f"{where}:1: the columns are {reader.fieldnames}, and must be {list(COLUMNS)}")
    questions: list[Question] = []
    seen: set[str] = set()
    try:
        for row in reader:
            questions.append(_question(row, f"{where}:{reader.line_num}", lines, seen))
            seen.add(questions[-1].question_id)
    except csv.Error as error:
        raise BadQuestions(f"{where}:{reader.line_num}: not CSV: {error}") from error
    return questions


def _question(
    row: Mapping[str, str | None], where: str, lines: Mapping[str, Sequence[Line]], seen: set[str]
) -> Question:
    if None in row or None in row.values():
        raise BadQuestions(f"{where}: the row that ends here does not have {len(COLUMNS)} columns: {row!r}")
    cells = {name: (value or "").strip() for name, value in row.items()}
    for name in COLUMNS[:4]:
        if not cells[name]:
            raise BadQuestions(f"{where}: {name} is empty")
    if cells["question_id"] in seen:
        raise BadQuestions(f"{where}: the question_id {cells['question_id']!r} stands twice")
    if cells["guideline"] not in lines:
        close = get_close_matches(cells["guideline"], list(lines), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {sorted(lines)}"
        raise BadQuestions(f"{where}: no guideline is called {cells['guideline']!r}: {hint}")
    own = lines[cells["guideline"]]
    gold = _gold(cells["gold_lines"], where, len(own)) or selected_lines(cells["reference"], own)
    return Question(**{**cells, "gold_lines": gold})  # type: ignore[arg-type]


def selected_lines(reference: str, lines: Sequence[Line]) -> tuple[int, ...]:
    """The numbers of the lines that a reference consists of; none if any of its lines is not one of the guideline's."""
    numbers = {line.text: line.number for line in reversed(lines)}
    found = [numbers.get(" ".join(row.split())) for row in reference.splitlines() if row.strip()]
    return () if None in found else tuple(sorted({number for number in found if number is not None}))


def _gold(text: str, where: str, last: int) -> tuple[int, ...]:
    if not text:
        return ()
    if not _GOLD.fullmatch(text):
        raise BadQuestions(f"{where}: gold_lines is {text!r}, and must be like '3; 5-7'")
    ends = [tuple(map(int, item.split("-"))) for item in re.split(r"[,;]\s*", text)]
    numbers = {number for item in ends for number in range(item[0], item[-1] + 1)}
    if not numbers or min(numbers) < 1 or max(numbers) > last:
        raise BadQuestions(f"{where}: gold_lines {text!r} does not lie within lines 1 to {last}")
    return tuple(sorted(numbers))
