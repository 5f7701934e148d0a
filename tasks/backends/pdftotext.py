"""poppler's pdftotext, the extraction engine of the paper, with the place of every word (`-bbox-layout`)."""

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from xml.etree import ElementTree

from tasks.backends import bounded, decrypt, raised
from tasks.backends.tesseract import Tesseract
from tasks.errors import Unavailable, UnreadablePdf
from tasks.records import Word

MAX_OUTPUT = 128 * 1024 * 1024  # bytes of text of one PDF; about 750,000 words
MAX_DECRYPTED = 1024 * 1024 * 1024  # bytes of a decrypted PDF

_INSTALL = "install poppler, e.g. `apt-get install poppler-utils poppler-data`"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_PICTURE = re.compile(r"\s*(\d+)\s+\d+\s+image\s+(\d+)\s+(\d+)\s+(?:\S+\s+){6,7}?([1-9]\d*)\s+([1-9]\d*)\s+\S+\s+\S+$")
_LARGE = 9.7  # square inches: a tenth of A4
_TAIL = 4096  # bytes: where a whole PDF says that it ends


Made = TypeVar("Made")


class NeedsPassword(UnreadablePdf):
    """The PDF does not open without a password."""


class Pdftotext:
    """Reads one PDF within `timeout` seconds and `memory` MB a call.

    `password` gives the password of a guideline, or None; `variables` says where it looks, for messages; `ocr` reads
    the pages that have no text, if it is given.
    """

    def __init__(
        self,
        timeout: float,
        memory: int = 2048,
        ocr: Tesseract | None = None,
        password: Callable[[str], str | None] = lambda guideline: None,
        variables: Callable[[str], str] = lambda guideline: "",
    ) -> None:
        """Nothing is started yet; without poppler, `read` raises Unavailable."""
        self.limits = bounded.Limits(timeout, memory)
        self.ocr = ocr
        self._password = password
        self._variables = variables

    def read(self, pdf: Path) -> list[Word]:
        """Every word in poppler's reading order; blocks and lines are numbered from 1 within their page.

        Raises UnreadablePdf for a file that is no PDF, is encrypted, broken, or (also in part) a picture of text, and
        Unavailable without poppler. `Word.guideline` is the file's stem. A page without words and without a picture
        is blank, and passes. With `ocr`, every page without words is read by it, and its words say so.
        """
        _looks_like_pdf(pdf)
        return self._opened(pdf, lambda opened: self._read(pdf, opened))

    def picture(self, pdf: Path, page: int, dpi: int) -> bytes:
        """Page `page` (from 1) as a PNG at `dpi` dots an inch, upright as it is read. Raises what `read` raises."""
        wanted = ("-png", "-r", str(dpi), "-f", str(page), "-l", str(page), "-singlefile")
        return self._opened(pdf, lambda opened: self._run(pdf, "pdftoppm", *wanted, str(opened.resolve())))

    def large_pictures(self, pdf: Path) -> list[int]:
        """The pages, from 1, with a picture larger than a tenth of A4. Raises what `read` raises.

        Text in a picture is not read: a flowchart that is one says nothing to anybody who reads the lines.
        """
        listed = self._opened(pdf, lambda opened: self._run(pdf, "pdfimages", "-list", str(opened.resolve())))
        found = (_PICTURE.match(row) for row in listed.decode("utf-8", "replace").splitlines())
        areas = ((int(row[1]), int(row[2]) / int(row[4]) * int(row[3]) / int(row[5])) for row in found if row)
        return sorted({page for page, area in areas if area > _LARGE})

    def _opened(self, pdf: Path, act: Callable[[Path], Made]) -> Made:
        """What `act` makes of the PDF, or of the same without its encryption."""
        try:
            return act(pdf)
        except NeedsPassword:
            with self._decrypted(pdf) as opened:
                return act(opened)

    def _read(self, pdf: Path, opened: Path) -> list[Word]:
        """The words of `opened`, which is `pdf` or the same without encryption; messages name `pdf`."""
        output = self._run(pdf, "pdftotext", "-bbox-layout", "-enc", "UTF-8", str(opened.resolve()), "-")
        pages = _pages(pdf, output)
        if not pages:
            raise UnreadablePdf(f"{str(pdf)!r} has no page: repair or export it again")
        words = [word for number, page in enumerate(pages, 1) for word in _words(pdf.stem, number, page)]
        wordless = sorted(set(range(1, len(pages) + 1)) - {word.page for word in words})
        if self.ocr is not None and wordless:
            read = [self.ocr.read(str(pdf), opened, page, pdf.stem, self.limits) for page in wordless]
            words = sorted([*words, *(word for own in read for word in own)], key=lambda word: word.page)
        elif wordless:
            self._has_no_pictured_page(pdf, opened, wordless, len(pages))
        if not words:
            raise UnreadablePdf(f"{str(pdf)!r} has no text on its {len(pages)} page(s): {_ocr(pdf, self.ocr)}")
        script = (sys.executable, str(raised.PROGRAM), str(opened.resolve()))
        return raised.cut(words, lambda: self._run(pdf, *script))

    def _has_no_pictured_page(self, pdf: Path, opened: Path, wordless: list[int], pages: int) -> None:
        if len(wordless) == pages:
            return
        listed = self._run(pdf, "pdfimages", "-list", str(opened.resolve())).decode("utf-8", "replace")
        pictured = {int(number) for number in re.findall(r"^\s*(\d+)\s+\d+\s", listed, flags=re.MULTILINE)}
        pictures = [page for page in wordless if page in pictured]
        if pictures:
            raise UnreadablePdf(
                f"{str(pdf)!r}: page {_listed(pictures)} is an image without text: {_ocr(pdf, self.ocr)}"
            )

    @contextmanager
    def _decrypted(self, pdf: Path) -> Iterator[Path]:
        """The PDF without its encryption, in a folder that only this user can read and that is deleted."""
        password = self._password(pdf.stem)
        if password is None:
            raise UnreadablePdf(
                f"{str(pdf)!r} is encrypted and needs a password: set {self._variables(pdf.stem) or 'one'} in the "
                "environment, or decrypt it (e.g. `qpdf --decrypt --password-file=... IN OUT`) and put the decrypted "
                "file in its place"
            )
        with tempfile.TemporaryDirectory(prefix="safellm-") as folder:
            target = Path(folder) / "decrypted.pdf"
            command = (sys.executable, "-I", decrypt.__file__, str(pdf.resolve()), str(target))
            ended = bounded.run(command, "install Python", self.limits, MAX_DECRYPTED, os.fsencode(password))
            if ended.code == decrypt.WRONG_PASSWORD:
                raise UnreadablePdf(
                    f"{str(pdf)!r} is encrypted, and the password in {self._variables(pdf.stem) or 'use'} does not "
                    "open it: correct it"
                )
            self._ended_well(pdf, "decryption", ended, MAX_DECRYPTED)
            yield target

    def _run(self, pdf: Path, *command: str) -> bytes:
        """The output of a poppler tool, bounded in time, memory and size. The path is one argument, and absolute."""
        ended = bounded.run(command, _INSTALL, self.limits, MAX_OUTPUT)
        if "Missing language pack" in ended.said:
            raise Unavailable(f"poppler cannot read the letters of {str(pdf)!r} ({ended.said[:200]!r}): {_INSTALL}")
        if ended.bound is None and ended.code != 0 and "password" in ended.said.lower():
            raise NeedsPassword(f"{str(pdf)!r} is encrypted")
        self._ended_well(pdf, command[0], ended, MAX_OUTPUT)
        if ended.said and not _says_where_it_ends(pdf):
            raise UnreadablePdf(
                f"{str(pdf)!r} is cut short: it does not say where it ends, and {command[0]} complains "
                f"({ended.said[:200]!r}); download or export it again"
            )
        return ended.output

    def _ended_well(self, pdf: Path, tool: str, ended: bounded.Ended, most: int) -> None:
        if ended.bound == "time":
            raise UnreadablePdf(
                f"{tool} took more than {self.limits.timeout:g} s on {str(pdf)!r}: raise extract.timeout in "
                "params.yaml, or split the file"
            )
        if ended.bound == "memory":
            raise UnreadablePdf(
                f"{tool} needs more than {self.limits.memory} MB for {str(pdf)!r}: raise extract.memory in "
                "params.yaml, or split the file"
            )
        if ended.bound == "size":
            raise UnreadablePdf(f"{str(pdf)!r} gives more than {most} bytes of output: split the file")
        if ended.code != 0:
            raise UnreadablePdf(
                f"{str(pdf)!r} is broken: {tool} ended with {ended.code} ({ended.said[:300]!r}); repair or export it "
                "again"
            )


def _looks_like_pdf(pdf: Path) -> None:
    if not pdf.is_file():
        raise UnreadablePdf(f"{str(pdf)!r} does not exist, or is not a file")
    with pdf.open("rb") as file:
        head = file.read(1024)
    if not head:
        raise UnreadablePdf(f"{str(pdf)!r} is empty (0 bytes): download or export it again")
    if b"%PDF-" not in head:
        kind = "not a PDF but an HTML page" if re.search(rb"<(!doctype\s+html|html)", head, re.I) else "not a PDF"
        raise UnreadablePdf(f"{str(pdf)!r} is {kind} (it begins {head[:24]!r}): download or export it again as a PDF")


def _says_where_it_ends(pdf: Path) -> bool:
    with pdf.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        return b"%%EOF" in file.read()


def _pages(pdf: Path, output: bytes) -> list[ElementTree.Element]:
    """The pages of the XHTML. Its head, which holds whatever the PDF calls itself, is not parsed.

    A control character inside a word becomes U+FFFD: it stays visible, and does not pass the validation gate.
    """
    text = _NOT_XML.sub("\ufffd", output.decode("utf-8", "replace"))
    start, end = text.find("<doc>"), text.rfind("</doc>")
    try:
        if start < 0 or end < 0:
            raise ElementTree.ParseError("no <doc> in it")
        return list(ElementTree.fromstring(text[start:end] + "</doc>").iter("page"))
    except ElementTree.ParseError as error:
        raise UnreadablePdf(
            f"what pdftotext wrote of {str(pdf)!r} cannot be read ({error}): update poppler, or export the PDF again"
        ) from error


def _words(guideline: str, number: int, page: ElementTree.Element) -> Iterator[Word]:
    line_number = 0
    for block_number, block in enumerate(page.iter("block"), 1):
        for line in block.iter("line"):
            line_number += 1
            for word in line.iter("word"):
                if text := (word.text or "").strip():
                    box = tuple(round(float(word.get(side, "0")), 2) for side in ("xMin", "yMin", "xMax", "yMax"))
                    yield Word(
                        guideline=guideline,
                        page=number,
                        block=block_number,
                        line=line_number,
                        text=text,
                        box=(box[0], box[1], box[2], box[3]),
                    )


def _ocr(pdf: Path, tried: Tesseract | None) -> str:
    if tried is not None:
        return "tesseract found none either; take it out of the folder, or export it again"
    return (
        "set `ocr: true` under extract in params.yaml, or recognise its text first (e.g. `ocrmypdf --force-ocr "
        f"{pdf.name} out.pdf`) and put the result in its place"
    )


def _listed(pages: list[int]) -> str:
    return ", ".join(map(str, pages[:20])) + (", ..." if len(pages) > 20 else "")
