"""What scoring and the bootstrap take: every metric but terms, beside rouge-score alone; all pairs, beside scipy's bootstrap.

1,000 answers, each of 12 lines chosen at random (seeded) of the guideline of one of the demo's questions. The bootstrap: 10,000
draws, 96 questions, 20 metrics, 10 pairs; scipy draws as often for one column, and its time is multiplied by their number.
Writes reports/benchmarks/scoring.json: `scoring_seconds` (bar: 30), `scoring_ratio`, `bootstrap_seconds` (bar: 5) and
`bootstrap_ratio`.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import numpy as np
from scipy.stats import bootstrap

from benchmarks.corpora import Corpus, demo
from flows.stage import console
from tasks import params as settings
from tasks import store
from tasks.records import Answer, Excerpt, Score
from tasks.score import compare, every_pair, score
from tasks.score.rouge import rouge_l

_ANSWERS, _LINES = 1_000, 12
_QUESTIONS, _METRICS, _STRATEGIES, _DRAWS = 96, 20, 5, 10_000
T = TypeVar("T")


class NoTerms:
    """Finds none."""

    def find(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """An empty set a text."""
        return [frozenset() for _ in texts]


def main() -> None:
    """Time both, and print them."""
    corpus = demo(settings.load())
    questions = {question.question_id: question for question in corpus.questions}
    answers = _answers(corpus)
    scoring, scores = _timed(lambda: score(answers, corpus.questions, corpus.lines, NoTerms(), settings.Scoring()))
    rouge, _ = _timed(lambda: [rouge_l(questions[item.question_id].reference, item.text) for item in answers])
    console.print(
        f"scoring {len(answers):,} answers, {len(scores):,} values: {scoring:.2f} s; rouge-score alone: {rouge:.2f} s",
        highlight=False,
    )
    drawn, differences = _drawn()
    metrics = tuple(dict.fromkeys(item.metric for item in drawn))
    pairs = every_pair(tuple(dict.fromkeys(item.strategy for item in drawn)))
    ours, found = _timed(lambda: compare(drawn, pairs, metrics, _DRAWS, 1))
    one, _ = _timed(
        lambda: bootstrap(
            (differences,), np.mean, n_resamples=_DRAWS, method="percentile", rng=np.random.default_rng(1)
        )
    )
    theirs = one * len(found)
    console.print(
        f"bootstrap of {len(found)} comparisons: {ours:.2f} s; scipy, one column times {len(found)}: {theirs:.2f} s",
        highlight=False,
    )
    result = {
        "answers": len(answers),
        "scoring_seconds": round(scoring, 2),
        "scoring_ratio": round(scoring / rouge, 2),
        "comparisons": len(found),
        "bootstrap_seconds": round(ours, 2),
        "bootstrap_ratio": round(ours / theirs, 3),
    }
    store.write_text(Path("reports/benchmarks/scoring.json"), json.dumps(result, indent=1) + "\n")


def _answers(corpus: Corpus) -> list[Answer]:
    random = Random(1)
    made = []
    for at in range(_ANSWERS):
        question = corpus.questions[at % len(corpus.questions)]
        lines = random.sample(corpus.lines[question.guideline], _LINES)
        excerpts = tuple(
            Excerpt(claimed=line.text, text=line.text, lines=(line.number,), verdict="verbatim", label=None)
            for line in sorted(lines, key=lambda line: line.number)
        )
        made.append(
            Answer(
                experiment="bench",
                strategy="lines",
                question_id=question.question_id,
                guideline=question.guideline,
                outcome="answered",
                excerpts=excerpts,
                invalid_ids=(),
                replies=(),
            )
        )
    return made


def _drawn() -> tuple[list[Score], "np.ndarray[tuple[int], np.dtype[np.float64]]"]:
    """Values at random for every strategy, metric and question; and the differences of one column."""
    values = np.random.default_rng(2).uniform(size=(_STRATEGIES, _METRICS, _QUESTIONS))
    scores = [
        Score(experiment="bench", strategy=f"s{s}", question_id=f"q{q}", metric=f"m{m}", value=float(values[s, m, q]))
        for s in range(_STRATEGIES)
        for m in range(_METRICS)
        for q in range(_QUESTIONS)
    ]
    return scores, values[0, 0] - values[1, 0]


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.monotonic()
    found = work()
    return time.monotonic() - started, found


if __name__ == "__main__":
    main()
