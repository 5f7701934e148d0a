"""Bounds on the number of tokens of a text, for servers that do not count before they read."""

import math
import re

_LETTERS = re.compile(r"[A-Za-z]+")
_TEMPLATE = 64  # tokens that a chat template may put around one message


def most(text: str) -> int:
    """More tokens than a chat prompt of this text has: 3 letters a token, 1 other sign, half a sign beyond ASCII.

    Tokenizers of English need about 4.5 letters a token; digits and signs may stand alone in one, and spaces belong to
    the word behind them.
    """
    letters = sum(math.ceil(len(word) / 3) for word in _LETTERS.findall(text))
    others = sum(1 if sign.isascii() else 2 for sign in _LETTERS.sub("", text) if sign != " ")
    return letters + others + text.count("  ") + _TEMPLATE


def least(text: str) -> int:
    """Fewer tokens than the text has: one a word, for no token spans a space between words."""
    return len(text.split())
