"""Our scorer of word overlap against an outside one: the committed predictions of 10 systems on acl-verbatim's gold.

Every column of their summary.csv that is about spans is computed anew of their predictions (all but `latency_s` and `errors`).
SAFELLM_ACL_VERBATIM names the folder of the data. The gold spans are those of their records: 43 of 78 stand in the text to the
letter, and the others were placed by them. Writes reports/benchmarks/acl-verbatim.json: `systems`, `max_abs_diff`, `rows`.
"""

import csv
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from rich.table import Table

from flows.stage import console
from tasks import store
from tasks.errors import DataError
from tasks.score.overlap import VERSION, Overlap, Span, overlap

_FOLDER = "SAFELLM_ACL_VERBATIM"
_GOLD = "333_20260206_dense_top5_20260305.json"
_SYSTEMS = {
    "mistral-small-2603.json": "Mistral Small 2603",
    "mistral-small-2603_paragraph.json": "Mistral Small 2603 + paragraph",
    "nemotron-120b-a12b.json": "Nemotron-120B-A12B",
    "nemotron-120b-a12b_paragraph.json": "Nemotron-120B-A12B + paragraph",
    "glm-5.json": "GLM-5",
    "qwen_default_gold.json": "Qwen 3.6 35B",
    "qwen_paragraph_gold.json": "Qwen 3.6 35B + paragraph",
    "gte-reranker.thr_0.2_merged.json": "ACL-Verbatim ModernBERT reranker",
    "provence_gold.jsonl": "Provence",
    "zilliz_spans_03_gold.jsonl": "Zilliz Semantic Highlight",
}
Key = tuple[str, str, int]


def folder() -> Path | None:
    """Where the data is, or None where it is not."""
    named = Path(os.environ.get(_FOLDER, "../shared/data/acl-verbatim"))
    return named if (named / _GOLD).is_file() else None


def replayed(data: Path) -> list[dict[str, Any]]:
    """For each system, our value of each column less theirs. Raises DataError if a system or a text is missing."""
    texts = {
        _key(row["query"], chunk["document_id"], chunk["chunk_number"]): chunk["chunk"]
        for row in _rows(data / _GOLD)
        for chunk in row["results"]
    }
    gold = {_key_of(row): _spans(row["gold_spans"]) for row in _records(data / "predictions/glm-5.json")}
    summary = csv.DictReader(io.StringIO(store.read_text(data / "predictions/summary.csv")))
    theirs = {row["model"]: row for row in summary}
    found = []
    for file, system in _SYSTEMS.items():
        if system not in theirs:
            raise DataError(f"{data / 'predictions/summary.csv'}: there is no row for {system!r}")
        total = Overlap()
        for row in _records(data / "predictions" / file):
            key = _key_of(row)
            if key not in texts:
                raise DataError(f"{file}: no text is known for {key}")
            spans = row["predicted_spans"] if "predicted_spans" in row else row["pred_spans"]
            total += overlap(texts[key], gold[key], _spans(spans))
        scores = total.scores()
        found.append(
            {"system": system, "word_f1": scores["word_f1"]}
            | {f"diff {name}": value - float(theirs[system][name]) for name, value in scores.items()}
        )
    return found


def main() -> None:
    """Replay all systems."""
    data = folder()
    if data is None:
        sys.exit(f"acl-verbatim is not on this machine: {_FOLDER} may name its folder")
    rows = replayed(data)
    columns = [name for name in rows[0] if name.startswith("diff ")]
    table = Table("system", "word F1", "largest difference", title=f"word overlap, version {VERSION}")
    for row in rows:
        table.add_row(row["system"], f"{row['word_f1']:.4f}", f"{max(abs(row[name]) for name in columns):.1e}")
    largest = max(abs(row[name]) for row in rows for name in columns)
    shown = ", ".join(name.removeprefix("diff ") for name in columns)
    console.print(table, f"{len(rows)} systems, max_abs_diff {largest:.1e} over {shown}", highlight=False)
    result = {"version": VERSION, "systems": len(rows), "max_abs_diff": largest, "rows": rows}
    store.write_text(Path("reports/benchmarks/acl-verbatim.json"), json.dumps(result, indent=1) + "\n")


def _records(file: Path) -> list[dict[str, Any]]:
    if file.suffix == ".jsonl":
        return _rows(file)
    records: list[dict[str, Any]] = json.loads(store.read_text(file))["records"]
    return records


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(row) for row in store.read_text(file).splitlines() if row.strip()]


def _key_of(row: dict[str, Any]) -> Key:
    return _key(row["query"], row["paper_id"], row["chunk_index"])


def _key(query: str, document: str, chunk: int) -> Key:
    return query, document, chunk


def _spans(spans: list[dict[str, Any]]) -> list[Span]:
    return [(span["start"], span["end"]) for span in spans]


if __name__ == "__main__":
    main()
