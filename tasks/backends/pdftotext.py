"""poppler's pdftotext, the extraction engine of the paper, with the place of every word (`-bbox-layout`)."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tasks.errors import Unavailable, UnreadablePdf
from tasks.records import Word

_XHTML = "{http://www.w3.org/1999/xhtml}"
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TITLE = re.compile(r"<title>.*?</title>|<meta [^>]*>", re.S)
_GARBAGE = re.compile(r"[\ue000-\uf8ff\ufffd]")


class Pdftotext:
    """Reads one PDF within `timeout` seconds."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout

    def read(self, pdf: Path) -> list[Word]:
        """Every word, in pdftotext's order. Raises UnreadablePdf, or Unavailable without poppler."""
        _check_header(pdf)
        page_list = ElementTree.fromstring(self._xhtml(pdf)).iter(f"{_XHTML}page")
        pages = [_words(pdf.stem, number, page) for number, page in enumerate(page_list, 1)]
        self._refuse_images(pdf, [number for number, words in enumerate(pages, 1) if not words], len(pages))
        words = [word for page in pages for word in page]
        garbage = sum(len(_GARBAGE.findall(word.text)) for word in words)
        if garbage * 5 > sum(len(word.text) for word in words):
            raise UnreadablePdf(
                f"{str(pdf)!r}: its fonts do not say which characters they show ({garbage} unknown): "
                "export it again from its source, or run `ocrmypdf --force-ocr` on it"
            )
        return words

    def _xhtml(self, pdf: Path) -> str:
        done = self._run("pdftotext", "-bbox-layout", "-enc", "UTF-8", str(pdf.resolve()), "-")
        if done.returncode:
            raise UnreadablePdf(_reason(pdf, done.stderr.decode("utf-8", "replace")))
        text = done.stdout.decode("utf-8", "replace")
        return _TITLE.sub("", _NOT_XML.sub("\ufffd", text))

    def _refuse_images(self, pdf: Path, wordless: list[int], pages: int) -> None:
        """A page without words is refused if it shows an image: its text would be lost in silence. Blank pages pass."""
        if not wordless:
            return
        listing = self._run("pdfimages", "-list", str(pdf.resolve())).stdout.decode("utf-8", "replace")
        rows = [row.split() for row in listing.splitlines()[2:]]
        images = {int(row[0]) for row in rows if row and row[0].isdigit()}
        scanned = [number for number in wordless if number in images]
        if scanned or len(wordless) == pages:
            which = f"page {', '.join(map(str, scanned))} is an image" if scanned else "no page has any text"
            raise UnreadablePdf(f"{str(pdf)!r}: {which}: make it searchable first, with `ocrmypdf IN.pdf OUT.pdf`")

    def _run(self, *command: str) -> "subprocess.CompletedProcess[bytes]":
        if shutil.which(command[0]) is None:
            raise Unavailable(f"{command[0]!r} is not installed: run `apt-get install poppler-utils poppler-data`")
        try:
            return subprocess.run(command, capture_output=True, timeout=self._timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise UnreadablePdf(
                f"{command[-2]!r}: {command[0]} took longer than extract.timeout ({self._timeout:g} s)"
            ) from error


def _check_header(pdf: Path) -> None:
    if not pdf.is_file():
        raise UnreadablePdf(f"{str(pdf)!r} does not exist, or is not a file")
    with pdf.open("rb") as data:
        head = data.read(1024)
    if not head:
        raise UnreadablePdf(f"{str(pdf)!r} is empty (0 bytes): copy it again")
    if b"%PDF-" not in head:
        raise UnreadablePdf(f"{str(pdf)!r} is not a PDF (it begins with {head[:16]!r}): download or export it again")


def _reason(pdf: Path, said: str) -> str:
    if "Incorrect password" in said:
        return f"{str(pdf)!r} is encrypted: put a copy without password there (`qpdf --decrypt --password=... IN OUT`)"
    return f"{str(pdf)!r} is broken: pdftotext says {said.strip()[-200:]!r}: export it again, or try `qpdf IN OUT`"


def _words(guideline: str, page: int, node: ElementTree.Element) -> list[Word]:
    return [
        Word(
            guideline=guideline,
            page=page,
            block=block,
            line=line,
            text=(word.text or "").strip(),
            box=(_at(word, "xMin"), _at(word, "yMin"), _at(word, "xMax"), _at(word, "yMax")),
        )
        for block, block_node in enumerate(node.iter(f"{_XHTML}block"), 1)
        for line, line_node in enumerate(block_node.iter(f"{_XHTML}line"), 1)
        for word in line_node.iter(f"{_XHTML}word")
        if (word.text or "").strip()
    ]


def _at(node: ElementTree.Element, side: str) -> float:
    return round(float(node.attrib[side]), 2)
