"""Every hostile public PDF is read right, or refused for the right reason (shared/data/pdf/nasty, see its manifest)."""

import csv
import shutil
from pathlib import Path

import pytest

from tasks.backends.pdftotext import Pdftotext
from tasks.backends.tesseract import Tesseract
from tasks.errors import UnreadablePdf
from tasks.extract import document_words
from tasks.extract.letters import DOUBLE

READ = {  # words that must stand in a row
    "pypdf/multicolumn.pdf": "Two-Column Document with Lorem Ipsum",
    "pypdf/GeoTopo-komprimiert.pdf": "Einführung in die Geometrie und Topologie",
    "pypdf/habibi.pdf": "حَبيبي حَبيبي habibi",
    "pypdf/habibi-rotated.pdf": "حَبيبي حَبيبي habibi",
    "pypdf/pdflatex-outline.pdf": "Hello, here is some text",
    "pypdf/mistitled_outlines_example.pdf": "Hello, here is some text",
    "pypdf/output_with_metadata_pymupdf.pdf": "Hello, World!",
    "pypdf/with-attachment.pdf": "Lorem ipsum dolor sit amet, consetetur",
    "pypdf/annotated_pdf.pdf": "Some text.",
    "pypdf/pdflatex-forms.pdf": "Name",
    "pypdf/crazyones-pdfa.pdf": "The Crazy Ones",
    "pdfplumber/federal-register-2020-17221.pdf": "This section of the FEDERAL REGISTER contains",
    "pdfplumber/pr-138-example.pdf": "Home Loan Interest Rates",
    "pdfplumber/nics-background-checks-2015-11-rotated.pdf": "District of Columbia",
    "pdfplumber/nics-background-checks-2015-11.pdf": "NICS Firearm Background Checks",
    "pdfplumber/senate-expenditures.pdf": "DOCUMENT NO.",
    "pdfplumber/issue-67-example.pdf": "东北电气发展股份有限公司",
    "pdfplumber/issue-336-example.pdf": "安徽省建设用地使用标准（2020",
    "pdfplumber/issue-461-example.pdf": "住院/门诊号:",
    "pdfplumber/chelsea_pdta.pdf": "Plan directeur de transport actif",
    "pdfplumber/issue-71-duplicate-chars.pdf": "使得炸药单耗降低17%，开挖进",
    "pdfplumber/issue-71-duplicate-chars-2.pdf": "Troubles de l’équilibre acido-basique",
    "pdfplumber/WARN-Report-for-7-1-2015-to-03-25-2016.pdf": "WARN Report*",
    "pdfplumber/la-precinct-bulletin-2014-p1.pdf": "GENERAL ELECTION",
    "pdfplumber/scotus-transcript-p1.pdf": "IN THE SUPREME COURT OF THE UNITED STATES",
    "pdfplumber/issue-848.pdf": "The movie opens with a news report",
    "pdfplumber/malformed-from-issue-932.pdf": "2021 3 31",
}
REFUSED = {
    "pdfplumber/password-example.pdf": "needs a password",
    "pypdf/libreoffice-writer-password.pdf": "needs a password",
    "pdfplumber/issue-203-decimalize.pdf": r"no text on its 3 page\(s\)",
    "pypdf/imagemagick-CCITTFaxDecode.pdf": r"no text on its 1 page\(s\)",
    "pypdf/unreadablemetadata.pdf": r"no text on its 4 page\(s\)",
    "pdfplumber/empty.pdf": "0 bytes",
}


@pytest.mark.parametrize("name", READ)
def test_what_can_be_read_is_read_right(nasty: Path, name: str) -> None:
    parsed = document_words(Pdftotext(60), nasty / name)
    text = " ".join(word.text for word in parsed.words)
    assert READ[name] in text
    assert all(word.box[0] <= word.box[2] and word.box[1] <= word.box[3] for word in parsed.words)
    assert not any(word.ocr for word in parsed.words)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_for_the_right_reason(nasty: Path, name: str) -> None:
    with pytest.raises(UnreadablePdf, match=REFUSED[name]):
        document_words(Pdftotext(60), nasty / name)


def test_every_file_of_the_manifest_has_an_expectation(nasty: Path) -> None:
    with (nasty / "manifest.tsv").open(encoding="utf-8") as file:
        named = {row["file"] for row in csv.DictReader(file, delimiter="\t")}
    assert {name for name in named if (nasty / name).is_file()} <= READ.keys() | REFUSED.keys()


@pytest.mark.parametrize(
    ("name", "password", "text"),
    [
        ("pdfplumber/password-example.pdf", "test", "the"),
        ("pypdf/libreoffice-writer-password.pdf", "openpassword", "Lorem"),
        ("pypdf/libreoffice-writer-password.pdf", "permissionpassword", "Lorem"),
    ],
)
def test_with_its_password_it_is_read(nasty: Path, name: str, password: str, text: str) -> None:
    words = Pdftotext(60, password=lambda guideline: password).read(nasty / name)
    assert text in [word.text for word in words]


def test_words_of_a_bold_drawn_twice_are_there_once(nasty: Path) -> None:
    parsed = document_words(Pdftotext(60), nasty / "pdfplumber/issue-71-duplicate-chars-2.pdf")
    assert [(item.text, item.rule) for item in parsed.removals] == [("non", DOUBLE), ("indicatif", DOUBLE)]
    text = " ".join(word.text for word in parsed.words)
    assert "Alcaloses (non incluses dans le programme" in text


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed (tesseract-ocr)")
def test_a_scan_in_strips_is_read_by_ocr_and_says_so(nasty: Path) -> None:
    words = Pdftotext(60, ocr=Tesseract(dpi=100)).read(nasty / "pdfplumber/issue-203-decimalize.pdf")
    assert words and all(word.ocr for word in words)


def test_the_same_table_rotated_has_the_same_words(nasty: Path) -> None:
    both = [
        Pdftotext(60).read(nasty / f"pdfplumber/nics-background-checks-2015-11{name}.pdf") for name in ("", "-rotated")
    ]
    upright, rotated = ({word.text for word in words} for words in both)
    assert upright == rotated
