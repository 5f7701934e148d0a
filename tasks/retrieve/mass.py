"""The cumulative similarity mass: the shortest prefix of the ranking that holds `threshold` of the similarity in scope."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasks.errors import DataError
from tasks.params import Retrieve


def weights(ranked: Any, settings: Retrieve) -> NDArray[np.float64]:
    """The weights of the first `scope` similarities: the cosine clipped at 0, or a softmax.

    The softmax has the temperature `temperature` times the standard deviation of all the query's similarities, so that
    it does not depend on the scale of the embedder; where they do not vary, all weights are equal.
    """
    values = np.asarray(ranked, dtype=np.float64)
    if np.isnan(values).any():
        raise DataError("a similarity is NaN: the embedder gave a vector that is not normalised")
    scope = values[: settings.scope]
    if settings.weight == "cosine":
        return np.maximum(scope, 0.0)
    spread = settings.temperature * float(values.std())
    return np.exp((scope - scope.max(initial=-1.0)) / spread) if spread > 0 else np.ones_like(scope)


def cumulative_mass(ranked: Any, settings: Retrieve) -> NDArray[np.float64]:
    """The share of the scope's weight up to each rank of the scope, ending at 1; all zero if the scope has no weight."""
    weight = weights(ranked, settings)
    total = weight.sum()
    return np.cumsum(weight) / total if total > 0 else np.zeros_like(weight)


def kept_by_mass(ranked: Any, settings: Retrieve) -> int:
    """How many of the best sections are kept: at least `min_sections`, at most those there are.

    `ranked` are similarities in descending order. Without any weight in scope `min_sections` are kept.
    """
    mass = cumulative_mass(ranked, settings)
    reached = np.flatnonzero(mass >= settings.threshold - 1e-12)
    prefix = int(reached[0]) + 1 if len(reached) else 0
    return min(max(prefix, settings.min_sections), len(ranked))
