"""AnsLen and word-level precision, recall and F1 (Automatic Evaluation): bags of normalised words, clipped counts."""

import re
from collections import Counter

from tasks.score.prf import PRF, prf

_OTHER = re.compile(r"[^a-z0-9\s]")


def norm(text: str) -> list[str]:
    """Lower-case words; every character but a-z, 0-9 and white space is deleted, so that "6.5 mmol/L" is 65, mmoll.

    Never a check of fidelity: 6.5 and 65 are the same here.
    """
    return _OTHER.sub("", text.lower()).split()


def answer_length(answer: str) -> int:
    """AnsLen: words of the raw text, split on white space; 0 for an empty answer."""
    return len(answer.split())


def word_prf(reference: str, answer: str, both_empty: float = 1.0) -> PRF:
    """Over bags of words; `both_empty` where neither holds a word, 0 where one does not."""
    wanted, given = Counter(norm(reference)), Counter(norm(answer))
    return prf((wanted & given).total(), given.total(), wanted.total(), both_empty)
