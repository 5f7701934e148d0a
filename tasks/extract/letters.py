"""Whether the characters of a PDF are its text: fonts that do not say which letters they draw, and doubled glyphs.

The bounds were measured on the 43 readable PDFs of the shared data (Latin letters in five languages, Arabic, Chinese, tables of
numbers, mathematics) and on their texts with the letters exchanged: U+FFFD was at most 3 % of a page's characters, and
words of five or more Latin letters without a vowel at most 3.3 % of those of a page with 12 or more such words; in text
whose letters are shifted, as when glyph numbers are taken for characters ("*LYH" for "Give"), it is about a third.
Words of signs that do not stand alone in text ("&&", "#") were at most 11 % of those of a page of 20 or more (mathematics).
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tasks.errors import UnreadablePdf
from tasks.records import Box, Removal, Word

DOUBLE = "drawn twice at the same place"

_CELL = 12  # points: words are looked for in squares of the page

_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_CID = re.compile(r"\(cid:\d+\)")
_LATIN = re.compile("[a-zæøœıəßþðł]{5,}")
_SIGNS = re.compile(
    r"[.\u2024\u2026\u00b7\u2022_|/&+=<>\u2264\u2265\u00b1\u00d7*\u2020\u2021\u00a7\u00b0:;,%\u2010-\u2015-]+"
)
_ODD = re.compile(r"[^\w\s]*[!\"#$'()@\\\[\]^`{}~%&*+,-][^\w\s]*")
_VOWELS = set("aeiouyæøœıə")
_PAIRS = re.compile(r"\w?((?:(\w)\2){3,})")


def check_letters(name: str, words: Sequence[Word]) -> None:
    """Raise UnreadablePdf where what was read of the file `name` is not its text; words read by OCR are not judged."""
    pages: dict[int, list[str]] = defaultdict(list)
    for word in words:
        if not word.ocr and word.page:
            pages[word.page].append(word.text)
    for page, texts in pages.items():
        if why := _nonsense(texts):
            raise UnreadablePdf(
                f"{name!r}: {why} on page {page} ({' '.join(texts)[:40]!r}): its fonts do not say which letters they "
                "draw; export it again, or recognise its text (e.g. `ocrmypdf --force-ocr IN.pdf OUT.pdf`)"
            )
        if twice := next((text for text in texts if _is_doubled(text)), None):
            raise UnreadablePdf(
                f"{name!r}: {twice!r} on page {page} has every letter twice (bold that is faked): export it again, or "
                "recognise its text (e.g. `ocrmypdf --force-ocr IN.pdf OUT.pdf`)"
            )


def _nonsense(texts: Sequence[str]) -> str | None:
    """What is wrong with the words of a page, or None."""
    text = "".join(texts)
    unknown = text.count("\ufffd")
    private = len(_PRIVATE.findall(text)) + unknown
    cids = len(_CID.findall(text))
    if 5 * private > len(text) or (unknown >= 5 and 10 * unknown > len(text)):
        return "there are characters without a meaning"
    if cids >= 3 and 5 * cids > len(texts):
        return "there are numbers of glyphs instead of letters"
    found = _LATIN.findall(_plain(texts))
    mute = sum(not set(word) & _VOWELS for word in found)
    if mute >= 3 and 8 * mute > len(found):
        return f"{mute} of {len(found)} words have no vowel"
    spoken = [text for text in texts if not _SIGNS.fullmatch(text)]
    odd = sum(bool(_ODD.fullmatch(text)) for text in spoken)
    if len(spoken) >= 20 and 10 * odd > 3 * len(spoken):
        return f"{odd} of {len(spoken)} words are signs without a letter"
    return None


def _plain(texts: Iterable[str]) -> str:
    """Lower case without accents."""
    parted = unicodedata.normalize("NFD", " ".join(texts).lower())
    return "".join(letter for letter in parted if not unicodedata.combining(letter))


def _is_doubled(text: str) -> bool:
    """ "GGiivvee": pairs of letters that have a case, three different ones at least (in Chinese, pairs are words)."""
    match = _PAIRS.fullmatch(text)
    letters = set(match[1].lower()) if match else set()
    return len({letter for letter in letters if letter.upper() != letter}) >= 3


def right_to_left(words: Sequence[Word]) -> list[str]:
    """The guidelines of which a tenth of the words or more is written from right to left."""
    own: dict[str, list[bool]] = defaultdict(list)
    for word in words:
        own[word.guideline].append(any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in word.text))
    return [guideline for guideline, found in own.items() if 10 * sum(found) >= len(found)]


def without_doubles(words: Sequence[Word]) -> tuple[list[Word], list[Removal]]:
    """The words without those that are drawn twice for a bold or a shadow, and the removals.

    A double lies on a word of its page, by half of its area or more, and is the same word or a piece of it of two
    characters at least. Words read by OCR are drawn once.
    """
    near: dict[tuple[int, int, int], list[Word]] = defaultdict(list)
    doubles: set[int] = set()
    for i in sorted(range(len(words)), key=lambda i: (-len(words[i].text), i)):
        word = words[i]
        if not word.page or word.ocr:
            continue
        x0, y0, x1, y1 = word.box
        middle = (word.page, int((x0 + x1) / 2 // _CELL), int((y0 + y1) / 2 // _CELL))  # half of its area covers it
        if any(_doubles(word, other) for other in near[middle]):
            doubles.add(i)
            continue
        for column in range(int(x0 // _CELL), int(x1 // _CELL) + 1):
            for row in range(int(y0 // _CELL), int(y1 // _CELL) + 1):
                near[word.page, column, row].append(word)
    removed = [
        Removal(guideline=word.guideline, page=word.page, text=word.text, rule=DOUBLE, box=word.box)
        for word in (words[i] for i in sorted(doubles))
    ]
    return [word for i, word in enumerate(words) if i not in doubles], removed


def _doubles(word: Word, other: Word) -> bool:
    alike = word.text == other.text or (len(word.text) > 1 and word.text in other.text)
    return alike and _lies_on(word.box, other.box)


def _lies_on(inner: Box, outer: Box) -> bool:
    width = min(inner[2], outer[2]) - max(inner[0], outer[0])
    height = min(inner[3], outer[3]) - max(inner[1], outer[1])
    area = (inner[2] - inner[0]) * (inner[3] - inner[1])
    return width > 0 and height > 0 and area > 0 and 2 * width * height >= area
