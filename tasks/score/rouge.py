"""ROUGE-L by Google's rouge-score, without stemming; the paper's R-L is its F-measure."""

from functools import cache
from typing import Any

from tasks.score.prf import PRF


def rouge_l(reference: str, answer: str) -> PRF:
    """Precision, recall and F of the longest common subsequence of words; 0, 0, 0 if either text is empty."""
    score = _scorer().score(reference, answer)["rougeL"]
    return PRF(score.precision, score.recall, score.fmeasure)


@cache
def _scorer() -> Any:
    from rouge_score.rouge_scorer import RougeScorer

    return RougeScorer(["rougeL"], use_stemmer=False)
