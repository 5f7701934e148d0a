"""The best lines of a document for a question, by fused rankings: a line's own vector, its tokens', BM25 and neighbours.

Source: our own; late interaction (MaxSim) is that of ColBERT (Khattab and Zaharia, 2020), here over a sentence embedder's
token vectors. Chosen by measurement on PrivacyQA: `make bench-shortlist` prints what each ingredient adds.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tasks.protocols import Matrix

Scores = NDArray[np.float64]


def maxsim(question: Matrix, lines: Sequence[Matrix]) -> Scores:
    """For each line, the mean over the question's tokens of the best cosine with a token of the line.

    Rows are tokens, of length 1; a line or a question without tokens has 0.
    """
    if not len(question):
        return np.zeros(len(lines))
    return np.array([float((question @ line.T).max(axis=1).mean()) if len(line) else 0.0 for line in lines])


def bm25(question: str, lines: Sequence[str]) -> Scores:
    """BM25 (Lucene's, English stop words left out) of each line as a document; 0 for all if no word is left."""
    import bm25s

    terms = bm25s.tokenize([question], stopwords="en", return_ids=False, show_progress=False)[0]
    words = bm25s.tokenize(list(lines), stopwords="en", show_progress=False)
    if not terms or not words.vocab:
        return np.zeros(len(lines))
    index = bm25s.BM25()
    index.index(words, show_progress=False)
    return np.asarray(index.get_scores(terms), dtype=np.float64)


def fused(rankings: Sequence[tuple[Scores, float]]) -> Scores:
    """The weighted sum of scores, each made to have mean 0 and deviation 1; one that does not vary counts for nothing."""
    total: Scores = np.sum([weight * _standard(scores) for scores, weight in rankings], axis=0, dtype=np.float64)
    return total


def smoothed(scores: Scores, width: float, own: float) -> Scores:
    """Each line's score as the mean of its neighbours', weighted by a Gaussian of `width` lines, plus `own` of its own.

    What answers a question stands together: lines beside a good one are better than their own words say.
    """
    at = np.arange(len(scores))
    weights = np.exp(-((at[:, None] - at[None, :]) ** 2) / (2 * width**2))
    found: Scores = (weights / weights.sum(axis=1, keepdims=True)) @ scores + own * scores
    return found


def best(scores: Scores, count: int) -> list[int]:
    """The positions of the best scores, best first; ties in document order."""
    return [int(position) for position in np.argsort(-scores, kind="stable")[:count]]


def _standard(scores: Scores) -> Scores:
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros(len(scores))
