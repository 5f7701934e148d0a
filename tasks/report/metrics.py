"""The mean of every metric over the questions: what the tables print and what `dvc metrics show` compares."""

import math
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from tasks.records import Score
from tasks.report.data import Study

Means = dict[str, dict[str, float]]


def metrics(study: Study) -> dict[str, Means]:
    """{experiment: {strategy: {metric: mean}}}, to 4 decimals; a metric that no question has is left out."""
    return {
        name: {
            strategy: {metric: round(value, 4) for metric, value in sorted(row.items())}
            for strategy, row in means(rows.scores).items()
        }
        for name, rows in study.experiments.items()
    }


def means(scores: Iterable[Score]) -> Means:
    """{strategy: {metric: mean}}: a plain mean over the questions that have the metric; NaN counts as not having it."""
    return {
        strategy: {metric: fmean(found) for metric, found in row.items()} for strategy, row in values(scores).items()
    }


def values(scores: Iterable[Score]) -> dict[str, dict[str, list[float]]]:
    """{strategy: {metric: [one value a question]}}, without NaN."""
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for score in scores:
        if not math.isnan(score.value):
            found[score.strategy][score.metric].append(score.value)
    return {strategy: dict(row) for strategy, row in found.items()}


def questions_scored(scores: Iterable[Score]) -> int:
    """How many questions have any score."""
    return len({score.question_id for score in scores})
