"""The best lines of a document for a question, by fused rankings: a line's own vector, its tokens', BM25 and neighbours.

Source: our own; late interaction (MaxSim) is that of ColBERT (Khattab and Zaharia, 2020), here over a sentence embedder's
token vectors. Chosen by measurement on PrivacyQA: `make bench-shortlist` prints what each ingredient adds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tasks.params import Shortlist
from tasks.protocols import Embedder, Matrix
from tasks.records import Line, LineHit, Question

Scores = NDArray[np.float64]


class Ingredients(NamedTuple):
    """The scores of a document's lines for one question, of each kind; all 0 where a kind is not used."""

    line: Scores
    tokens: Scores
    words: Scores


class LineRanker:
    """Ranks the lines of documents for the same questions, which are embedded once.

    Raises ParamsError if tokens count and the embedder has none.
    """

    def __init__(self, questions: Sequence[Question], embedder: Embedder, how: Shortlist) -> None:
        self._ids = [question.question_id for question in questions]
        self._texts = [question.question for question in questions]
        self._embedder, self._how = embedder, how
        self._vectors = embedder.embed(self._texts, "query")
        self._tokens = embedder.tokens(self._texts) if how.tokens else []

    def best(self, lines: Sequence[Line]) -> list[LineHit]:
        """The best `how.lines` lines of one guideline for every question, best first, ties in document order.

        A heading raises the lines beside it, and is never among them.
        """
        places = [position for position, line in enumerate(lines) if line.kind != "heading"]
        hits: list[LineHit] = []
        for question, own in zip(self._ids, self.ingredients([line.text for line in lines]), strict=True):
            scores = scored(own, self._how)[places]
            hits += [
                LineHit(
                    question_id=question,
                    guideline=lines[places[at]].guideline,
                    line=lines[places[at]].number,
                    rank=rank,
                    score=float(scores[at]),
                )
                for rank, at in enumerate(best(scores, self._how.lines), 1)
            ]
        return hits

    def ingredients(self, lines: Sequence[str]) -> list[Ingredients]:
        """What the lines of one document score for each question."""
        rows = self._embedder.embed(lines, "document")
        line = [np.asarray(rows @ vector, dtype=np.float64) for vector in self._vectors]
        tokens = words = [np.zeros(len(lines)) for _ in self._texts]
        if self._how.tokens:
            pieces = self._embedder.tokens(lines)
            tokens = [maxsim(own, pieces) for own in self._tokens]
        if self._how.words:
            words = bm25(self._texts, lines)
        return [Ingredients(*own) for own in zip(line, tokens, words, strict=True)]


def scored(own: Ingredients, how: Shortlist) -> Scores:
    """The fused and smoothed scores of the lines."""
    return smoothed(fused([(own.line, 1), (own.tokens, how.tokens), (own.words, how.words)]), how.width, how.own)


def maxsim(question: Matrix, lines: Sequence[Matrix]) -> Scores:
    """For each line, the mean over the question's tokens of the best cosine with a token of the line.

    Rows are tokens, of length 1; a line or a question without tokens has 0.
    """
    if not len(question):
        return np.zeros(len(lines))
    return np.array([float((question @ line.T).max(axis=1).mean()) if len(line) else 0.0 for line in lines])


def bm25(questions: Sequence[str], lines: Sequence[str]) -> list[Scores]:
    """BM25 (Lucene's, English stop words left out) of each line as a document; 0 for all if no word is left."""
    import bm25s

    asked = bm25s.tokenize(list(questions), stopwords="en", return_ids=False, show_progress=False)
    words = bm25s.tokenize(list(lines), stopwords="en", show_progress=False)
    index = bm25s.BM25()
    if words.vocab:
        index.index(words, show_progress=False)
    return [
        np.asarray(index.get_scores(terms), dtype=np.float64) if terms and words.vocab else np.zeros(len(lines))
        for terms in asked
    ]


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
