"""Whether words are words: fonts that do not say which letters they draw give signs and letters in no order."""

import re
from collections.abc import Sequence
from itertools import groupby

from tasks.records import Word

_LEAST = 20  # words of a page, to judge it
_MOST = 0.3  # of its words; real pages have less than 0.05
_SIGNS = re.compile(
    r"[.\u2024\u2026\u00b7\u2022_|/&+=<>\u2264\u2265\u00b1\u00d7*\u2020\u2021\u00a7\u00b0:;,%\u2010-\u2015-]+"
)
_ODD = re.compile(r"[^\w\s]*[!\"#$'()@\\\[\]^`{}~%&*+,-][^\w\s]*")
_VOWELLESS = re.compile(r"[b-df-hj-np-tv-xz]{5,}|[^\W\d_][!\"#$%&*+<=>@\[\\\]^`{|}~][^\W\d_]", re.IGNORECASE)


def illegible(words: Sequence[Word]) -> list[int]:
    """The pages most of whose words are no words: signs alone that do not stand alone, and letters without a vowel."""
    found: list[int] = []
    for page, group in groupby(words, key=lambda word: word.page):
        texts = [word.text for word in group if not _SIGNS.fullmatch(word.text)]
        if len(texts) >= _LEAST and sum(map(_is_odd, texts)) > _MOST * len(texts):
            found.append(page)
    return found


def _is_odd(text: str) -> bool:
    return _ODD.fullmatch(text) is not None or _VOWELLESS.search(text) is not None
