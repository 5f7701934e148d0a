"""questions.csv, checked: `question_id,guideline,question,reference,gold_lines`."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from tasks.errors import BadQuestions
from tasks.records import Line, Question

COLUMNS = ("question_id", "guideline", "question", "reference", "gold_lines")
_GOLD = re.compile(r"\d+(?:-\d+)?!?(?:[,;]\s*\d+(?:-\d+)?!?)*")


def read_questions(text: str, where: str, lines: Mapping[str, Sequence[Line]]) -> list[Question]:
    """The questions of a CSV text that came from `where`. Raises BadQuestions with file and line.

    `gold_lines` is like "3; 5-7!", where "!" marks lines whose omission could hurt a patient. Where it is empty and the
    reference was made by selecting lines, the gold lines are those of the reference.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    _check_columns(where, reader.fieldnames or ())
    questions: list[Question] = []
    seen: set[str] = set()
    try:
        for row in reader:
            questions.append(_question(row, f"{where}:{reader.line_num}", lines, seen))
            seen.add(questions[-1].question_id)
    except csv.Error as error:
        raise BadQuestions(f"{where}:{reader.line_num}: not CSV: {error}") from error
    return questions


def _check_columns(where: str, found: Sequence[str]) -> None:
    """Every column once and no other; their order does not matter."""
    if sorted(found) == sorted(COLUMNS):
        return
    missing = [name for name in COLUMNS if name not in found]
    unknown = [name for name in found if name not in COLUMNS]
    wrong = f"{missing[0]!r} is missing" if missing else "one stands twice"
    if unknown:
        close = get_close_matches(unknown[0], missing or COLUMNS, n=1)
        wrong = f"{unknown[0]!r} is unknown" + (f"; did you mean {close[0]!r}?" if close else "")
    raise BadQuestions(f"{where}:1: the columns are {list(found)}, and must be {list(COLUMNS)}: {wrong}")


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
    gold, critical = _gold(cells["gold_lines"], where, len(own))
    gold = gold or selected_lines(cells["reference"], own)
    return Question(**{**cells, "gold_lines": gold, "critical_lines": critical})  # type: ignore[arg-type]


def selected_lines(reference: str, lines: Sequence[Line]) -> tuple[int, ...]:
    """The numbers of the lines that a reference consists of; none if any of its lines is not one of the guideline's.

    Where a text stands more than once ("Do not:"), the line meant is the one next to the other lines: below the one
    before it in the reference, or nearest to the first line that stands only once.
    """
    rows = [" ".join(row.split()) for row in reference.splitlines() if row.strip()]
    places = [[line.number for line in lines if line.text == row] for row in rows]
    if not all(places):
        return ()
    anchor = next((place[0] for place in places if len(place) == 1), places[0][0] if places else 0)
    first = [i for i, place in enumerate(places) if len(place) == 1][:1]
    found: list[int] = []
    for i, place in enumerate(places):
        before = found[-1] if found and (not first or i > first[0]) else anchor
        found.append(min(place, key=lambda number: (abs(number - before), number)))
    return tuple(sorted(set(found)))


def _gold(text: str, where: str, last: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The gold lines, and the critical ones among them."""
    if not text:
        return (), ()
    if not _GOLD.fullmatch(text):
        raise BadQuestions(f"{where}: gold_lines is {text!r}, and must be like '3; 5-7!'")
    items = re.split(r"[,;]\s*", text)
    numbers, critical = _numbers(items), _numbers([item for item in items if item.endswith("!")])
    if not numbers or min(numbers) < 1 or max(numbers) > last:
        raise BadQuestions(f"{where}: gold_lines {text!r} does not lie within lines 1 to {last}")
    return tuple(sorted(numbers)), tuple(sorted(critical))


def _numbers(items: Sequence[str]) -> set[int]:
    ends = [tuple(map(int, item.removesuffix("!").split("-"))) for item in items]
    return {number for item in ends for number in range(item[0], item[-1] + 1)}
