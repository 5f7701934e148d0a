"""Run as a program: the words of a PDF that hold raised or lowered digits, by the outlines of their glyphs (pdfium).

Some fonts have glyphs of their own for these; they are as large as the others to poppler, which writes 109 for 10⁹. The
program is a process of its own, so that a PDF that stops or breaks pdfium stops nothing else.
"""

import json
import sys
from collections.abc import Iterator

import pypdfium2
import pypdfium2.raw as pdfium

_RAISED = 0.2  # of the font size: how far above the base line
_LOW = 0.05
_HIGH = 0.5  # of the font size: an inferior is less tall than any digit
_SIGNS = frozenset(map(ord, "+-\u2013\u2212"))  # these stand as high as the digit that follows them
Part = tuple[str, float, float, float, float]  # text, and box from the top left of the page


def main() -> None:
    """Print, for the PDF that the first argument names, [page, [[text, x0, y0, x1, y1], ...]] a word, as JSON."""
    found: list[tuple[int, list[Part]]] = []
    with pypdfium2.PdfDocument(sys.argv[1]) as document:
        for number in range(len(document)):
            page = document[number]
            if page.get_rotation() == 0:
                found += [(number + 1, word) for word in _words(page)]
            page.close()
    json.dump(found, sys.stdout)


def _words(page: pypdfium2.PdfPage) -> Iterator[list[Part]]:
    """The words of a page that have parts of different heights."""
    text = page.get_textpage()
    left, _, _, top = page.get_mediabox()
    codes = [pdfium.FPDFText_GetUnicode(text, i) for i in range(text.count_chars())]
    start = 0
    for i in range(len(codes) + 1):
        if i < len(codes) and not chr(codes[i]).isspace() and codes[i]:
            continue
        word = range(start, i)
        start = i + 1
        if any(48 <= codes[at] <= 57 for at in word):
            parts = _parts(text, word, codes, left, top)
            if len(parts) > 1 or (parts and parts[0][0] != "" and _script(text, word[0]) != 0):
                yield parts


def _parts(text: pypdfium2.PdfTextPage, word: range, codes: list[int], left: float, top: float) -> list[Part]:
    """The word cut where its digits begin or cease to be raised or lowered."""
    parts: list[Part] = []
    before = 2
    for i in word:
        digit = i + 1 if codes[i] in _SIGNS and i + 1 in word else i
        script = _script(text, digit) if 48 <= codes[digit] <= 57 else 0
        x0, low, x1, high = text.get_charbox(i, loose=script == 0)
        box = (x0 - left, top - high, x1 - left, top - low)
        if script == before:
            said, a, b, c, d = parts[-1]
            parts[-1] = (said + chr(codes[i]), min(a, box[0]), min(b, box[1]), max(c, box[2]), max(d, box[3]))
        else:
            parts.append((chr(codes[i]), *box))
        before = script
    return parts


def _script(text: pypdfium2.PdfTextPage, i: int) -> int:
    """1 for a raised glyph, -1 for a lowered one, 0 for one that stands on the base line."""
    size = pdfium.FPDFText_GetFontSize(text, i)
    _, low, _, high = text.get_charbox(i)
    x, y = pdfium.c_double(), pdfium.c_double()
    pdfium.FPDFText_GetCharOrigin(text, i, x, y)
    if low - y.value > _RAISED * size:
        return 1
    return -1 if low - y.value < -_LOW * size and high - low < _HIGH * size else 0


if __name__ == "__main__":
    main()
