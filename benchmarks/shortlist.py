"""How many of the experts' lines are among the best k: the shortlist and each of its ingredients, on all of PrivacyQA.

Measured beside BM25 and the embedder's own lines, in the same run, with the installed MiniLM on the CPU. "Consider X's
privacy policy;" is taken off the questions. The settings of the shortlist were chosen on these questions; the row
"chosen on the other policies" takes, for each policy, those that are best on the other six. Writes
reports/benchmarks/shortlist.json: `recall_at_20` of the shortlist, `held_out`, and `rows`.
"""

import json
import sys
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.corpora import Corpus, absent, privacyqa
from flows.stage import console, progress
from tasks import store
from tasks.backends.prefixed import Prefixed
from tasks.backends.sentence_transformers import SentenceTransformersVectors
from tasks.params import Prefixes, Shortlist
from tasks.retrieve import LineRanker
from tasks.retrieve.shortlist import Ingredients, Scores, best, fused, scored

_AT = (5, 10, 20, 40)


_CHOSEN = Shortlist()
_GRID = [
    Shortlist(tokens=tokens, words=words, width=width, own=own)
    for tokens, words, width, own in product((0.0, 0.5, 1.0), (0.0, 0.25), (1.0, 2.0, 3.0, 4.0, 6.0), (0.0, 0.2, 0.5))
]


def main() -> None:
    """Score every line of every question's policy, every way."""
    corpus = privacyqa()
    if corpus is None:
        sys.exit(absent())
    started = time.monotonic()
    found = _ingredients(corpus)
    seconds = time.monotonic() - started

    def mixed(how: Shortlist) -> list[Scores]:
        return [scored(own, how) for own in found]

    grid = {setting: _recalls(corpus, mixed(setting), 20) for setting in _GRID}
    no_words, line_only = {"words": 0.0}, {"words": 0.0, "tokens": 0.0}
    ways: dict[str, list[Scores]] = {
        "BM25": [own.words for own in found],
        "embedder, line": [own.line for own in found],
        "embedder, tokens (MaxSim)": [own.tokens for own in found],
        "line + tokens": [fused([(own.line, 1), (own.tokens, _CHOSEN.tokens)]) for own in found],
        "line, smoothed": mixed(_CHOSEN.model_copy(update=line_only)),
        "line + tokens, smoothed": mixed(_CHOSEN.model_copy(update=no_words)),
        "shortlist: line + tokens + BM25, smoothed": mixed(_CHOSEN),
    }
    rows = [
        {"way": name, **{f"recall_at_{k}": round(float(_recalls(corpus, scores, k).mean()), 4) for k in _AT}}
        for name, scores in ways.items()
    ]
    held_out = round(float(_held_out(corpus, grid)), 4)
    table = Table(
        "recall of gold lines", *(f"@{k}" for k in _AT), title=f"PrivacyQA, {len(corpus.questions)} questions"
    )
    for row in rows:
        table.add_row(str(row["way"]), *(f"{row[f'recall_at_{k}']:.3f}" for k in _AT))
    table.add_row("shortlist, chosen on the other policies", "", "", f"{held_out:.3f}", "")
    console.print(table, f"{seconds:.0f} s to embed and score everything", highlight=False)
    result: dict[str, Any] = {
        "recall_at_20": rows[-1]["recall_at_20"],
        "held_out": held_out,
        "rows": rows,
        "seconds": round(seconds, 1),
    }
    store.write_text(Path("reports/benchmarks/shortlist.json"), json.dumps(result, indent=1) + "\n")


def _ingredients(corpus: Corpus) -> list[Ingredients]:
    """The scores of the lines of each question's policy, of every kind."""
    embedder = Prefixed(SentenceTransformersVectors("minilm", "all-MiniLM-L6-v2"), Prefixes(), "window")
    ranker = LineRanker(corpus.questions, embedder, _CHOSEN)
    found = {
        name: ranker.ingredients([line.text for line in lines])
        for name, lines in progress(corpus.lines.items(), "score lines", len(corpus.lines))
    }
    return [found[question.guideline][at] for at, question in enumerate(corpus.questions)]


def _recalls(corpus: Corpus, scores: Sequence[Scores], count: int) -> Scores:
    """For each question, the share of its gold lines among the best `count`."""
    found = []
    for question, own in zip(corpus.questions, scores, strict=True):
        lines = corpus.lines[question.guideline]
        chosen = {lines[position].number for position in best(own, count)}
        found.append(len(chosen & set(question.gold_lines)) / len(set(question.gold_lines)))
    return np.array(found)


def _held_out(corpus: Corpus, grid: dict[Shortlist, Scores]) -> float:
    """Mean recall where each policy's settings are those that are best on the others."""
    names = np.array([question.guideline for question in corpus.questions])
    total = 0.0
    for name in sorted(set(names)):
        means = {setting: float(recalls[names != name].mean()) for setting, recalls in grid.items()}
        total += float(grid[max(means, key=means.__getitem__)][names == name].sum())
    return total / len(names)


if __name__ == "__main__":
    main()
