"""The gate: a Great Expectations suite over the lines, whose failure stops the run."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tasks.records import Line, Removal, Word

if TYPE_CHECKING:
    import pandas as pd

SUITE = "guideline-lines"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True)
class Gate:
    """What the suite found: each expectation with whether it was met, and examples of what was not."""

    passed: bool
    rows: tuple[tuple[str, bool, str], ...]

    @property
    def failures(self) -> list[str]:
        """The expectations that were not met, each with examples."""
        return [f"{name}: {examples}" for name, met, examples in self.rows if not met]


def check(words: Sequence[Word], lines: Sequence[Line], removals: Sequence[Removal], min_words_kept: float) -> Gate:
    """Run the suite over all guidelines of a dataset."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    import great_expectations as gx

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    lines_frame, documents_frame = _lines_frame(lines), _documents_frame(words, lines, removals)
    rows: list[tuple[str, bool, str]] = []
    for name, frame, expectations in (
        ("lines", lines_frame, _line_expectations()),
        ("documents", documents_frame, _document_expectations(min_words_kept)),
    ):
        asset = context.data_sources.add_pandas(name).add_dataframe_asset(name)
        batch = asset.add_batch_definition_whole_dataframe(name).get_batch({"dataframe": frame})
        suite = gx.ExpectationSuite(name=f"{SUITE}: {name}", expectations=expectations)
        for result in batch.validate(suite).results:
            rows.append((str(result.expectation_config.meta["rule"]), bool(result.success), _examples(result)))
    return Gate(all(met for _, met, _ in rows), tuple(rows))


def _line_expectations() -> list[Any]:
    import great_expectations.expectations as gxe

    forbidden = {
        "no line is empty": r"^\s*$",
        "no contents leaders": r"(?:\s?[.\u2024\u2025\u2026]){4,}",
        "no control or private-use characters": r"[\x00-\x1f\x7f-\x9f\ue000-\uf8ff\ufffd]",
        "no ligatures, soft hyphens or odd spaces": r"[\ufb00-\ufb04\u00ad\u00a0\u200b\u2060\ufeff]",
        "no page numbers as lines": r"^(?:Page )?\d+(?: of \d+)?$",
    }
    return [
        *(
            gxe.ExpectColumnValuesToNotMatchRegex(column="text", regex=regex, meta={"rule": rule})
            for rule, regex in forbidden.items()
        ),
        gxe.ExpectColumnValuesToBeInSet(
            column="kind",
            value_set=["heading", "lead-in", "bullet", "row", "prose"],
            meta={"rule": "every kind is known"},
        ),
        gxe.ExpectColumnPairValuesToBeEqual(
            column_A="number", column_B="expected", meta={"rule": "numbers run from 1 without a gap"}
        ),
        gxe.ExpectColumnPairValuesAToBeGreaterThanB(
            column_A="number", column_B="parent", meta={"rule": "a line hangs under an earlier one"}
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
        gxe.ExpectColumnValuesToBeInSet(
            column="lost", value_set=[""], meta={"rule": "every number of the PDF is in a line or a recorded removal"}
        ),
        gxe.ExpectColumnValuesToBeUnique(column="guideline", meta={"rule": "every guideline has one text"}),
    ]


def _lines_frame(lines: Sequence[Line]) -> "pd.DataFrame":
    import pandas as pd

    counts: Counter[str] = Counter()
    rows = []
    for line in lines:
        counts[line.guideline] += 1
        rows.append((line.guideline, line.number, counts[line.guideline], line.parent or 0, line.kind, line.text))
    return pd.DataFrame(rows, columns=["guideline", "number", "expected", "parent", "kind", "text"])


def _documents_frame(words: Sequence[Word], lines: Sequence[Line], removals: Sequence[Removal]) -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for guideline in dict.fromkeys(word.guideline for word in words):
        read = [word.text for word in words if word.guideline == guideline]
        removed = [item.text for item in removals if item.guideline == guideline]
        kept = [line.text for line in lines if line.guideline == guideline]
        outside = len(read) - sum(len(text.split()) for text in removed)
        share = sum(len(text.split()) for text in kept) / max(outside, 1)
        lost = Counter(_numbers(read)) - Counter(_numbers(kept)) - Counter(_numbers(removed))
        rows.append((guideline, min(share, 1.0), ", ".join(sorted(lost))))
    return pd.DataFrame(rows, columns=["guideline", "kept", "lost"])


def _numbers(texts: Sequence[str]) -> list[str]:
    return [number for text in texts for number in _NUMBER.findall(text)]


def _examples(result: Any) -> str:
    found = (result.result or {}).get("partial_unexpected_list") or []
    return "; ".join(repr(item) for item in found[:3])
