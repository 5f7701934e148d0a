"""The paired bootstrap of every metric of pairs of strategies, with Holm's adjustment and the effect size beside it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.errors import DataError
from tasks.records import Comparison, Score

_CHUNK = 1000


def resampled_means(differences: NDArray[np.float64], draws: int, seed: int) -> NDArray[np.float64]:
    """The mean differences of `draws` resamples of the n questions with replacement.

    `differences` has shape (n, columns), the result (draws, columns): every column sees the same resamples.
    """
    n = len(differences)
    random = np.random.default_rng(seed)
    chunks = [min(_CHUNK, draws - start) for start in range(0, draws, _CHUNK)]
    return np.concatenate([random.multinomial(n, [1 / n] * n, size=size) @ differences / n for size in chunks])


def p_value(means: NDArray[np.float64]) -> float:
    """Two-sided: twice the smaller tail at zero, with one added to the count and to the draws; at most 1."""
    tail = min(int((means <= 1e-12).sum()), int((means >= -1e-12).sum()))
    return min(1.0, 2 * (tail + 1) / (len(means) + 1))


def effect_size(differences: NDArray[np.float64]) -> float | None:
    """Cohen's d_z of paired differences: their mean over their standard deviation; 0 without any difference.

    None where all differ by the same, or where there is one question: then it has no size.
    """
    if not differences.any():
        return 0.0
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    return float(differences.mean()) / spread if spread > 1e-12 else None


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, running = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = running
    return adjusted


def against(strategies: Sequence[str], baseline: str) -> list[tuple[str, str]]:
    """Every other strategy with `baseline`; none where that was not run."""
    return [(strategy, baseline) for strategy in strategies if strategy != baseline and baseline in strategies]


def every_pair(strategies: Sequence[str]) -> list[tuple[str, str]]:
    """Every two strategies, the later one first."""
    return [(later, earlier) for at, later in enumerate(strategies) for earlier in strategies[:at]]


def compare(
    scores: Sequence[Score], pairs: Sequence[tuple[str, str]], metrics: Sequence[str], draws: int, seed: int
) -> list[Comparison]:
    """The first strategy of each pair against the second, in every metric that both have, paired by question.

    All metrics of the same questions see the same resamples; Holm's adjustment is over all that is returned. Raises
    DataError if the questions of two strategies differ.
    """
    table: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for score in scores:
        table[score.strategy, score.metric][score.question_id] = score.value
    tests = [(a, b, m) for a, b in pairs for m in metrics if (a, m) in table and (b, m) in table]
    if not tests:
        return []
    found: dict[tuple[str, str, str], tuple[float, float, float, float, float | None]] = {}
    columns: dict[tuple[str, ...], list[tuple[str, str, str]]] = defaultdict(list)
    for a, b, metric in tests:
        columns[_questions(table[a, metric], table[b, metric], a, b, metric)].append((a, b, metric))
    for questions, own in columns.items():
        differences = np.array(
            [
                [table[a, metric][question] - table[b, metric][question] for a, b, metric in own]
                for question in questions
            ],
            dtype=np.float64,
        )
        means = resampled_means(differences, draws, seed)
        lows, highs = np.percentile(means, [2.5, 97.5], axis=0)
        for at, test in enumerate(own):
            column = differences[:, at]
            values = float(column.mean()), float(lows[at]), float(highs[at]), p_value(means[:, at])
            found[test] = (*values, effect_size(column))
    adjusted = holm([found[test][3] for test in tests])
    return [
        Comparison(
            experiment=scores[0].experiment,
            strategy=a,
            baseline=b,
            metric=metric,
            difference=difference,
            low=low,
            high=high,
            p=p,
            p_holm=p_holm,
            effect=effect,
        )
        for (a, b, metric), p_holm in zip(tests, adjusted, strict=True)
        for difference, low, high, p, effect in [found[a, b, metric]]
    ]


def _questions(ours: Mapping[str, float], theirs: Mapping[str, float], a: str, b: str, metric: str) -> tuple[str, ...]:
    if set(ours) != set(theirs):
        odd = sorted(set(ours) ^ set(theirs))[:3]
        raise DataError(f"{a!r} and {b!r} do not have {metric!r} for the same questions, for example {odd}")
    return tuple(sorted(ours))
