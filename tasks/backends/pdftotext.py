"""poppler's pdftotext, the extraction engine of the paper, with the place of every word (`-bbox-layout`)."""

import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from tasks.backends import raised
from tasks.backends.legible import illegible
from tasks.errors import Unavailable, UnreadablePdf
from tasks.records import Word

MAX_OUTPUT = 512 * 1024 * 1024  # bytes of text of one PDF; about 3 million words

_INSTALL = "install poppler, e.g. `apt-get install poppler-utils poppler-data`"
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_NO_LETTER = re.compile("[\ue000-\uf8ff\ufffd\U000f0000-\U0010fffd]")


class Pdftotext:
    """Reads one PDF within `timeout` seconds."""

    def __init__(self, timeout: float) -> None:
        """Nothing is started yet; without poppler, `read` raises Unavailable."""
        self.timeout = timeout

    def read(self, pdf: Path) -> list[Word]:
        """Every word in poppler's reading order; blocks and lines are numbered from 1 within their page.

        Raises UnreadablePdf for a file that is no PDF, is encrypted, broken, or (also in part) a picture of text, and
        Unavailable without poppler. `Word.guideline` is the file's stem. A page without words and without a picture
        is blank, and passes.
        """
        _looks_like_pdf(pdf)
        pages = _pages(pdf, self._run(pdf, "pdftotext", "-bbox-layout", "-enc", "UTF-8", str(pdf.resolve()), "-"))
        words = [word for number, page in enumerate(pages, 1) for word in _words(pdf.stem, number, page)]
        self._has_no_pictured_page(pdf, words, len(pages))
        _has_letters(pdf, words)
        return raised.cut(words, lambda: self._run(pdf, sys.executable, str(raised.PROGRAM), str(pdf.resolve())))

    def _has_no_pictured_page(self, pdf: Path, words: list[Word], pages: int) -> None:
        wordless = sorted(set(range(1, pages + 1)) - {word.page for word in words})
        if not wordless:
            return
        listed = self._run(pdf, "pdfimages", "-list", str(pdf.resolve())).decode("utf-8", "replace")
        pictured = {int(number) for number in re.findall(r"^\s*(\d+)\s+\d+\s", listed, flags=re.MULTILINE)}
        pictures = [page for page in wordless if page in pictured]
        if not words:
            raise UnreadablePdf(f"{str(pdf)!r} has no text on its {pages} page(s): {_ocr(pdf)}")
        if pictures:
            raise UnreadablePdf(f"{str(pdf)!r}: page {_listed(pictures)} is an image without text: {_ocr(pdf)}")

    def _run(self, pdf: Path, *command: str) -> bytes:
        """The output of a poppler tool, bounded in time and size. No shell: the path is one argument, and absolute."""
        with tempfile.TemporaryFile() as complaints:
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, bufsize=0
                )
            except FileNotFoundError as error:
                raise Unavailable(f"{command[0]!r} is not on this machine: {_INSTALL}") from error
            output, timed_out = _read_bounded(process, self.timeout)
            complaints.seek(0)
            said = complaints.read(2000).decode("utf-8", "replace").strip()
        if "Missing language pack" in said:
            raise Unavailable(f"poppler cannot read the letters of {str(pdf)!r} ({said[:200]!r}): {_INSTALL}")
        if timed_out:
            raise UnreadablePdf(
                f"{command[0]} took more than {self.timeout:g} s on {str(pdf)!r}: raise extract.timeout in "
                "params.yaml, or split the file"
            )
        if len(output) > MAX_OUTPUT:
            raise UnreadablePdf(f"{str(pdf)!r} gives more than {MAX_OUTPUT} bytes of text: split the file")
        if process.returncode != 0:
            raise UnreadablePdf(_failure(pdf, command[0], process.returncode, said))
        return output


def _read_bounded(process: subprocess.Popen[bytes], timeout: float) -> tuple[bytes, bool]:
    """What the process writes, and whether it was stopped for its time; one byte over the bound stops it too."""
    timed_out = threading.Event()

    def stop() -> None:
        timed_out.set()
        process.kill()

    timer = threading.Timer(timeout, stop)
    timer.start()
    output = bytearray()
    try:
        assert process.stdout is not None
        with process.stdout as stream:
            while len(output) <= MAX_OUTPUT and (chunk := stream.read(1 << 20)):
                output += chunk
        if len(output) > MAX_OUTPUT:
            process.kill()
        process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
            process.wait()
    return bytes(output), timed_out.is_set()


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


def _failure(pdf: Path, tool: str, code: int, said: str) -> str:
    if "password" in said.lower():
        return (
            f"{str(pdf)!r} is encrypted and needs a password: decrypt it (e.g. `qpdf --decrypt --password=... "
            "IN OUT`) and put the decrypted file in its place"
        )
    return f"{str(pdf)!r} is broken: {tool} ended with {code} ({said[:300]!r}); repair or export it again"


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


def _has_letters(pdf: Path, words: list[Word]) -> None:
    text = "".join(word.text for word in words)
    if pages := illegible(words):
        raise UnreadablePdf(
            f"{str(pdf)!r}: the words of page {_listed(pages)} are not legible: the fonts do not say which letters they "
            f"draw; export it again, or {_ocr(pdf)}"
        )
    if 5 * len(_NO_LETTER.findall(text)) > len(text):
        raise UnreadablePdf(
            f"the text of {str(pdf)!r} is partly characters without a meaning ({text[:20]!r}): its fonts do not "
            f"say which letters they draw; export it again, or {_ocr(pdf)}"
        )


def _ocr(pdf: Path) -> str:
    return f"recognise its text first (e.g. `ocrmypdf --force-ocr {pdf.name} out.pdf`) and put the result in its place"


def _listed(pages: list[int]) -> str:
    return ", ".join(map(str, pages[:20])) + (", ..." if len(pages) > 20 else "")
