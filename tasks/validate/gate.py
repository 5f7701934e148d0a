"""The gate: a Great Expectations suite over the lines, whose failure stops the run."""

import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from tasks.records import Kind, Line, Question, Removal, Rule, Word
from tasks.validate.docs import page
from tasks.validate.matter import without_watermarks
from tasks.validate.repair import plain
from tasks.validate.scripts import MERGED_POWER, with_scripts
from tasks.vital import NEGATION

if TYPE_CHECKING:
    import pandas as pd

SUITE = "guideline-lines"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SIGN = re.compile(r"[^\W_]|[<>=≤≥±×÷%+]")
_FORBIDDEN = {
    "no line is empty": r"^\s*$",
    "no control or private-use characters": r"[\x00-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]",
    "no ligatures, soft hyphens or odd spaces": r"[\ufb00-\ufb06\u00ad\u00a0\u2000-\u200f\u202f\u2060\ufeff]|  ",
    "no word broken at the end of a row or into letters": r"[a-z][-\u2010\u2011]$|(?<!\S)(?:[A-Za-z] ){4,}",
    "no power of ten whose exponent is merged into the number": MERGED_POWER,
}
_UNLESS_KEPT: dict[Rule, tuple[str, str]] = {
    "contents page": ("no contents leaders", r"(?:\s?[.\u2024\u2025\u2026]){4,}"),
    "page number": ("no page numbers as lines", r"^(?:[Pp]age )?\d+(?: of \d+)?$"),
}


@dataclass(frozen=True)
class Gate:
    """What the suite found: each expectation with whether it was met, and examples of what was not; and its page."""

    passed: bool
    rows: tuple[tuple[str, bool, str], ...]
    html: str = ""

    @property
    def failures(self) -> list[str]:
        """The expectations that were not met, each with examples."""
        return [f"{name}: {examples}" for name, met, examples in self.rows if not met]


def check(
    words: Sequence[Word],
    lines: Sequence[Line],
    removals: Sequence[Removal],
    min_words_kept: float,
    kept: Callable[[str], Collection[Rule]] = lambda guideline: (),
    questions: Sequence[Question] = (),
    selected: bool = False,
) -> Gate:
    """Run the suite over all guidelines of a dataset. `min_words_kept` is a share of each PDF's words, removed or not.

    `kept` are the rules of cleaning that were switched off for a guideline: what they look for may be in its lines. If
    the references of the `questions` were made by selecting lines (`selected`), each must consist of lines of its
    guideline. A guideline without any line, and an expectation that could not be computed, do not pass.
    """
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations as gx

    logging.getLogger("great_expectations").setLevel(logging.WARNING)
    words, _ = without_watermarks(words)
    words, _ = with_scripts(words)
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    results = []
    for name, frame, index, expectations in (
        ("lines", _lines_frame(words, lines, removals, kept), ["guideline", "number"], _line_expectations()),
        ("documents", _documents_frame(words, lines, removals), ["guideline"], _document_expectations(min_words_kept)),
        ("questions", _questions_frame(lines, questions), ["question_id"], _question_expectations(lines, selected)),
    ):
        asset = context.data_sources.add_pandas(name).add_dataframe_asset(name)
        batch = asset.add_batch_definition_whole_dataframe(name).get_batch({"dataframe": frame})
        suite = gx.ExpectationSuite(name=f"{SUITE}: {name}", expectations=expectations)
        form = {"result_format": "COMPLETE", "unexpected_index_column_names": index}
        results.append(batch.validate(suite, result_format=form))
    rows = tuple(
        (str(item.expectation_config.meta["rule"]), bool(item.success), _examples(item))
        for result in results
        for item in result.results
    )
    return Gate(all(met for _, met, _ in rows), rows, page(results, SUITE))


def _line_expectations() -> list[Any]:
    import great_expectations.expectations as gxe

    return [
        *(
            gxe.ExpectColumnValuesToNotMatchRegex(column="text", regex=regex, meta={"rule": rule})
            for rule, regex in _FORBIDDEN.items()
        ),
        *(
            gxe.ExpectColumnValuesToNotMatchRegex(column=column, regex=regex, meta={"rule": rule})
            for column, (rule, regex) in _UNLESS_KEPT.items()
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="furniture", value_set=[""], meta={"rule": "no running head or foot inside a line"}
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="kind",
            value_set=list(get_args(Kind)),
            meta={"rule": "every kind is known"},
        ),
        gxe.ExpectCompoundColumnsToBeUnique(
            column_list=["guideline", "number"], meta={"rule": "every number is one line of its guideline"}
        ),
        gxe.ExpectColumnPairValuesToBeEqual(
            column_A="number", column_B="expected", meta={"rule": "numbers run from 1 without a gap"}
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="number", column_B="parent", meta={"rule": "a line hangs under an earlier one"}
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="pages", column_B="page", or_equal=True, meta={"rule": "every page is one of the PDF's"}
        ),
    ]


def _document_expectations(min_words_kept: float) -> list[Any]:
    import great_expectations.expectations as gxe

    return [
        gxe.ExpectColumnValuesToBeBetween(
            column="kept",
            min_value=min_words_kept,
            meta={"rule": f"at least {min_words_kept:.0%} of the words are kept"},
        ),
        *(
            gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[""], meta={"rule": rule})
            for column, rule in (
                ("lost", "every number of the PDF is in a line or a recorded removal"),
                ("new", "every number of a line is in the PDF"),
                ("unnegated", "every negation of the PDF is in a line or a recorded removal"),
                ("unwritten", "every letter, digit and sign of the PDF is in a line or a recorded removal"),
            )
        ),
        gxe.ExpectColumnValuesToBeUnique(column="guideline", meta={"rule": "every guideline has one text"}),
    ]


def _question_expectations(lines: Sequence[Line], selected: bool) -> list[Any]:
    import great_expectations.expectations as gxe

    found = gxe.ExpectColumnValuesToBeInSet(
        column="not_found", value_set=[""], meta={"rule": "every reference consists of lines of its guideline"}
    )
    return [
        gxe.ExpectColumnValuesToBeUnique(column="question_id", meta={"rule": "every question has an id of its own"}),
        gxe.ExpectColumnValuesToBeInSet(
            column="guideline",
            value_set=sorted({line.guideline for line in lines}),
            meta={"rule": "every question is about a guideline of the dataset"},
        ),
        gxe.ExpectColumnValuesToNotMatchRegex(
            column="reference", regex=r"^\s*$", meta={"rule": "every question has a reference"}
        ),
        *([found] if selected else []),
    ]


def _questions_frame(lines: Sequence[Line], questions: Sequence[Question]) -> "pd.DataFrame":
    import pandas as pd

    texts: dict[str, set[str]] = {}
    for line in lines:
        texts.setdefault(line.guideline, set()).add(line.text)
    rows = []
    for item in questions:
        wanted = [" ".join(row.split()) for row in item.reference.splitlines() if row.strip()]
        missing = [row for row in wanted if row not in texts.get(item.guideline, ())]
        rows.append((item.question_id, item.guideline, item.reference, "; ".join(missing)))
    return pd.DataFrame(rows, columns=["question_id", "guideline", "reference", "not_found"])


def _lines_frame(
    words: Sequence[Word],
    lines: Sequence[Line],
    removals: Sequence[Removal],
    kept: Callable[[str], Collection[Rule]],
) -> "pd.DataFrame":
    import pandas as pd

    counts: Counter[str] = Counter()
    pages = {word.guideline: word.page for word in sorted(words, key=lambda word: word.page)}
    heads = _heads(removals)
    rows = []
    for line in lines:
        counts[line.guideline] += 1
        found = next((head for head in heads.get(line.guideline, ()) if head in line.text), "")
        rows.append(
            {
                "guideline": line.guideline,
                "number": line.number,
                "expected": counts[line.guideline],
                "parent": line.parent or 0,
                "kind": line.kind,
                "page": line.page or 0,
                "pages": pages.get(line.guideline, 0),
                "furniture": found if line.kind == "prose" else "",
                "text": line.text,
            }
            | {rule: "" if rule in kept(line.guideline) else line.text for rule in _UNLESS_KEPT}
        )
    columns = ["guideline", "number", "expected", "parent", "kind", "page", "pages", "furniture", *_UNLESS_KEPT, "text"]
    return pd.DataFrame(rows, columns=columns)


def _heads(removals: Sequence[Removal]) -> dict[str, set[str]]:
    """The running heads and feet of each guideline that are long enough not to be a phrase of its text."""
    heads: dict[str, set[str]] = {}
    for removal in removals:
        if removal.rule == "running head or foot" and len(removal.text.split()) >= 4:
            heads.setdefault(removal.guideline, set()).add(removal.text)
    return heads


def _documents_frame(words: Sequence[Word], lines: Sequence[Line], removals: Sequence[Removal]) -> "pd.DataFrame":
    import pandas as pd

    names = dict.fromkeys([*(word.guideline for word in words), *(line.guideline for line in lines)])
    rows = []
    for guideline in names:
        read = [plain(guideline, word.text, 0)[0] for word in words if word.guideline == guideline]
        gone = [plain(guideline, item.text, 0)[0] for item in removals if item.guideline == guideline]
        kept = [line.text for line in lines if line.guideline == guideline]
        rows.append(
            {
                "guideline": guideline,
                "kept": min(1.0, _spoken(kept) / max(_spoken(read), 1)),
                "lost": _listed(_found(_NUMBER, read) - _found(_NUMBER, [*kept, *gone])),
                "new": _listed(Counter(set(_found(_NUMBER, kept)) - set(_found(_NUMBER, read)))),
                "unnegated": _listed(_found(NEGATION, read) - _found(NEGATION, [*kept, *gone])),
                "unwritten": _listed(_found(_SIGN, _no_glyphs(read)) - _found(_SIGN, [*kept, *gone])),
            }
        )
    return pd.DataFrame(rows, columns=["guideline", "kept", "lost", "new", "unnegated", "unwritten"])


def _found(pattern: re.Pattern[str], texts: Iterable[str]) -> Counter[str]:
    return Counter(item.casefold() for text in texts for item in pattern.findall(text))


def _no_glyphs(words: Iterable[str]) -> list[str]:
    """The words but for the "o" that marks a list item."""
    return [word for word in words if word != "o"]


def _spoken(texts: Iterable[str]) -> int:
    """How many words there are that are not mere punctuation, such as leaders."""
    return sum(any(letter.isalnum() for letter in word) for text in texts for word in text.split())


def _listed(items: Counter[str]) -> str:
    return ", ".join(f"{item} ({count}x)" if count > 1 else item for item, count in sorted(items.items()))


def _examples(result: Any) -> str:
    found = result.result or {}
    places = found.get("unexpected_index_list") or []
    if places:
        return "; ".join(_place(place) for place in places[:3]) + (
            f"; and {len(places) - 3} more" if places[3:] else ""
        )
    said = [str(item.get("exception_message")) for item in _exceptions(result) if item.get("raised_exception")]
    return "; ".join(said or [repr(item) for item in (found.get("partial_unexpected_list") or [])[:3]])


def _exceptions(result: Any) -> list[dict[str, Any]]:
    info = result.exception_info or {}
    return [info] if "raised_exception" in info else [item for item in info.values() if isinstance(item, dict)]


def _place(place: dict[str, Any]) -> str:
    """Guideline and line number, or question; and the text (or, for a document, what was found)."""
    who = f"question {place['question_id']}" if "question_id" in place else place["guideline"]
    known = ("question_id",) if "question_id" in place else ("guideline", "number")
    what = [_short(str(value)) for key, value in place.items() if key not in known]
    line = f" line {place['number']}" if "number" in place else ""
    return f"{who}{line}: {', '.join(what)}"


def _short(text: str) -> str:
    return repr(text) if len(text) <= 160 else f"{text[:150]!r}..."
