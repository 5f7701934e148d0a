"""tesseract, where the user asks for it: the words of a page that is a picture, each with its box, marked as OCR."""

import csv
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tasks.backends import bounded
from tasks.errors import Unavailable, UnreadablePdf
from tasks.records import Word

MAX_IMAGE = 256 * 1024 * 1024  # bytes of one page's picture: A0 in grey at 300 dpi is 140 MB

_POPPLER = "install poppler, e.g. `apt-get install poppler-utils poppler-data`"
_TESSERACT = "install it, e.g. `apt-get install tesseract-ocr`, or set extract.ocr to false in params.yaml"


@dataclass(frozen=True)
class Tesseract:
    """`language` is tesseract's ("eng", "deu+fra"); `dpi` is how finely a page is drawn for it."""

    language: str = "eng"
    dpi: int = 300

    def read(self, name: str, pdf: Path, page: int, guideline: str, limits: bounded.Limits) -> list[Word]:
        """The words of one page, in tesseract's order. `name` is what the PDF is called in messages.

        Raises Unavailable without pdftoppm, tesseract or the language, and UnreadablePdf where a bound is reached.
        One thread, fixed resolution: the same page gives the same words.
        """
        with tempfile.TemporaryDirectory(prefix="safellm-") as folder:
            picture = Path(folder) / "page.pgm"
            drawn = self._run(name, page, limits, _POPPLER, "pdftoppm", *self._drawing(page), str(pdf.resolve()))
            picture.write_bytes(drawn)
            command = ("tesseract", str(picture), "-", "-l", self.language, "--dpi", str(self.dpi), "--psm", "3", "tsv")
            table = self._run(name, page, limits, _TESSERACT, *command).decode("utf-8", "replace")
        return list(self._words(table, page, guideline))

    def _drawing(self, page: int) -> tuple[str, ...]:
        return ("-gray", "-r", str(self.dpi), "-f", str(page), "-l", str(page), "-singlefile")

    def _run(self, name: str, page: int, limits: bounded.Limits, install: str, *command: str) -> bytes:
        ended = bounded.run(command, install, limits, MAX_IMAGE)
        if ended.bound:
            what = {"time": f"{limits.timeout:g} s", "memory": f"{limits.memory} MB", "size": f"{MAX_IMAGE} bytes"}
            raise UnreadablePdf(
                f"{command[0]} needs more than {what[ended.bound]} for page {page} of {name!r}: raise extract.timeout "
                "or extract.memory in params.yaml, or lower extract.ocr.dpi"
            )
        if ended.code != 0 and "language" in ended.said.lower():
            raise Unavailable(
                f"tesseract cannot load the language {self.language!r}: install it, e.g. "
                f"`apt-get install tesseract-ocr-{self.language.split('+')[0]}`, or correct extract.ocr.language"
            )
        if ended.code != 0:
            raise UnreadablePdf(
                f"{command[0]} ended with {ended.code} on page {page} of {name!r}: {ended.said[:300]!r}"
            )
        return ended.output

    def _words(self, table: str, page: int, guideline: str) -> Iterator[Word]:
        """Rows of level 5 are words; their lines are numbered within the page, and pixels become points."""
        lines: dict[tuple[str, str, str], int] = {}
        for row in csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE):
            text = (row["text"] or "").strip()
            if row["level"] != "5" or not text:
                continue
            line = lines.setdefault((row["block_num"], row["par_num"], row["line_num"]), len(lines) + 1)
            x, y, width, height = (float(row[key]) * 72 / self.dpi for key in ("left", "top", "width", "height"))
            box = (round(x, 2), round(y, 2), round(x + width, 2), round(y + height, 2))
            for part in text.split():
                yield Word(
                    guideline=guideline, page=page, block=int(row["block_num"]), line=line, text=part, box=box, ocr=True
                )
