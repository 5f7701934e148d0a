"""What is written otherwise than in the PDF: broken words, ligatures, odd spaces; never a number."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tasks.records import Repair
from tasks.validate.bullets import PRIVATE
from tasks.validate.row import Row

_LIGATURES = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
_SPACES = dict.fromkeys(
    "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
)
_NOTHING = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u200e\u200f", "")
_TABLES = (
    ("ligature", str.maketrans(_LIGATURES)),
    ("odd space", str.maketrans(_SPACES | _NOTHING)),
    ("bullet of a symbol font", str.maketrans(dict.fromkeys(PRIVATE, "\u2022"))),
    ("soft hyphen", str.maketrans({"\u00ad": ""})),
)
_ODD = re.compile("[" + "".join(map(chr, sorted({letter for _, table in _TABLES for letter in table}))) + "]")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")


def spelled(rows: Sequence[Row]) -> Iterator[str]:
    """Every word of the rows as it stands inside them, in lower case; not the two halves of one broken at the end."""
    for row in rows:
        for i, word in enumerate(row.words):
            at_edge = i == len(row.words) - 1 and word.text.endswith(("-", "\u2010", "\u00ad"))
            if not at_edge:
                yield from (found.casefold().replace("\u2010", "-") for found in _WORD.findall(_unligated(word.text)))


def joined(head: str, tail: str, known: Counter[str], row: Row) -> tuple[str, list[Repair]]:
    """Two rows as one text. A word that was broken at the end of the first is made whole, and that is recorded.

    What was broken behind a slash ("mmol/" "L") or inside a range ("5–" "10", "10-" "15") is one again, with its sign.
    A soft hyphen goes. A hyphen goes only where the word goes on in lower case and stands without it, and not with it,
    elsewhere in the document; else it stays, as in "12-lead" and "beta-blocker".
    """
    before, after = head.rsplit(" ", 1)[-1], tail.split(" ", 1)[0]
    if _goes_on(before, after):
        whole = _repair(
            row.words[0].guideline, row.page, f"{before} {after}", before + after, "broken at a slash or dash"
        )
        return head + tail, [whole]
    match = re.fullmatch(r".*\w\u00ad*([-\u2010\u2011\u00ad])", before)
    if match is None or not after[0].isalnum():
        return f"{head} {tail}", []
    hyphen = match[1]
    digits = before[-2].isdigit()
    if after[0].isdigit() and hyphen == "\u00ad":
        return f"{head} {tail}", []
    goes = hyphen == "\u00ad" or (not digits and after[0].islower() and _stands_whole(before, after, known))
    text = (head[:-1] if goes else head) + tail
    rule = "word broken at the end of a row" if goes else "hyphen kept at the end of a row"
    return text, [
        _repair(
            row.words[0].guideline,
            row.page,
            f"{before} {after}",
            text[len(head) - len(before) :].split(" ", 1)[0],
            rule,
        )
    ]


def _goes_on(before: str, after: str) -> bool:
    """Whether a word was broken behind its slash, an address behind one, or a range between numbers behind its dash."""
    if re.fullmatch(r".*\w/", before) is not None:
        address = "://" in before or before.lower().startswith("www.")
        return after[0].isalnum() and (not address or re.search(r"[./?=_]\w", after) is not None)
    return re.fullmatch(r".*\d[-\u2010\u2011\u2013]", before) is not None and after[0].isdigit()


def _stands_whole(before: str, after: str, known: Counter[str]) -> bool:
    first, second = _WORD.findall(_unligated(before[:-1])), _WORD.findall(_unligated(after))
    if not first or not second:
        return False
    left, right = first[-1].casefold(), second[0].casefold()
    return known[left + right] > known[f"{left}-{right}"]


def _unligated(text: str) -> str:
    return text.translate(_TABLES[0][1])


def plain(guideline: str, text: str, page: int) -> tuple[str, list[Repair]]:
    """The text with ligatures, odd spaces and soft hyphens made plain, and the repairs; nothing else changes."""
    repairs: list[Repair] = []
    if _ODD.search(text) is None:
        return " ".join(text.split()), repairs
    for rule, table in _TABLES:
        for word in text.split(" "):
            clean = word.translate(table)
            if clean != word:
                repairs.append(_repair(guideline, page, word, clean, rule))
        text = text.translate(table)
    return " ".join(text.split()), repairs


def _repair(guideline: str, page: int, before: str, after: str, rule: str) -> Repair:
    return Repair(guideline=guideline, page=page, before=before, after=after, rule=rule)
