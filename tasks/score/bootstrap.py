"""The paired bootstrap of every metric of every strategy against a baseline, with Holm's adjustment beside it."""

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


def holm(p: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment, in the order given."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, running = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        running = max(running, min(1.0, (len(p) - place) * p[i]))
        adjusted[i] = running
    return adjusted


def compare(scores: Sequence[Score], baseline: str, metrics: Sequence[str], draws: int, seed: int) -> list[Comparison]:
    """Every other strategy of one experiment against `baseline`, paired by question.

    No comparison where the baseline was not run. Raises DataError if the questions of two strategies differ.
    """
    table: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for score in scores:
        table[score.strategy, score.metric][score.question_id] = score.value
    strategies = list(dict.fromkeys(score.strategy for score in scores))
    pairs = [(s, m) for s in strategies if s != baseline for m in metrics if (s, m) in table and (baseline, m) in table]
    if not pairs:
        return []
    n_by_pair = {pair: _paired(table[pair], table[baseline, pair[1]], pair) for pair in pairs}
    found: list[tuple[float, float, float, float]] = []
    for pair in pairs:
        means = resampled_means(n_by_pair[pair][:, None], draws, seed)[:, 0]
        low, high = np.percentile(means, [2.5, 97.5])
        found.append((float(n_by_pair[pair].mean()), float(low), float(high), p_value(means)))
    adjusted = holm([item[3] for item in found])
    return [
        Comparison(
            experiment=scores[0].experiment,
            strategy=strategy,
            baseline=baseline,
            metric=metric,
            difference=difference,
            low=low,
            high=high,
            p=p,
            p_holm=p_holm,
        )
        for (strategy, metric), (difference, low, high, p), p_holm in zip(pairs, found, adjusted, strict=True)
    ]


def _paired(ours: Mapping[str, float], theirs: Mapping[str, float], pair: tuple[str, str]) -> NDArray[np.float64]:
    if set(ours) != set(theirs):
        odd = sorted(set(ours) ^ set(theirs))[:3]
        raise DataError(f"{pair[0]!r} and the baseline do not have {pair[1]} for the same questions, for example {odd}")
    return np.array([ours[question] - theirs[question] for question in sorted(ours)], dtype=np.float64)
