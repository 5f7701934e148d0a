"""Where the user asks for it, pages without text are read by tesseract, and every word and line of them says so."""

import shutil
from pathlib import Path

import pytest
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tasks.backends.pdftotext import Pdftotext
from tasks.backends.tesseract import Tesseract
from tasks.errors import Unavailable, UnreadablePdf
from tasks.extract import document_words
from tasks.params import Extract, Ocr
from tasks.validate import clean, numbered, version_of

tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed (tesseract-ocr)")


def _picture(text: str) -> ImageReader:
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    font = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"), 40)
    image = Image.new("L", (1400, 120), 255)
    ImageDraw.Draw(image).text((20, 30), text, fill=0, font=font)
    return ImageReader(image)


def _scan(path: Path, *, text_page: bool) -> Path:
    canvas = Canvas(str(path))
    if text_page:
        canvas.drawString(72, 720, "Give adrenaline 500 micrograms.")
        canvas.showPage()
    canvas.drawImage(_picture("Repeat after 5 minutes."), 72, 600, 420, 36)
    canvas.showPage()
    canvas.save()
    return path


@tesseract
def test_only_the_page_without_text_is_read_by_ocr_with_boxes_in_points(tmp_path: Path) -> None:
    words = Pdftotext(60, ocr=Tesseract()).read(_scan(tmp_path / "a.pdf", text_page=True))
    assert [(word.text, word.page, word.ocr) for word in words] == [
        *((text, 1, False) for text in "Give adrenaline 500 micrograms.".split()),
        *((text, 2, True) for text in "Repeat after 5 minutes.".split()),
    ]
    x0, y0, x1, y1 = words[4].box
    assert 72 <= x0 < x1 <= 200 and 842 - 636 <= y0 < y1 <= 842 - 600


@tesseract
def test_every_line_of_it_says_so_and_the_same_page_gives_the_same_words(tmp_path: Path) -> None:
    file = _scan(tmp_path / "a.pdf", text_page=True)
    reader = Pdftotext(60, ocr=Tesseract())
    words = document_words(reader, file).words
    assert words == document_words(reader, file).words
    cleaned = clean("a", words, b"", None)
    assert [(line.text, line.ocr) for line in cleaned.lines] == [
        ("Give adrenaline 500 micrograms.", False),
        ("Repeat after 5 minutes.", True),
    ]
    assert "p.2 OCR  prose    Repeat after 5 minutes." in numbered(cleaned, None)


@tesseract
def test_hand_cleaned_text_of_a_scan_is_marked_too(tmp_path: Path) -> None:
    words = Pdftotext(60, ocr=Tesseract()).read(_scan(tmp_path / "a.pdf", text_page=True))
    hand = f"% made from {version_of(b'')}\nRepeat after 5 minutes.\n[removed] Give adrenaline 500 micrograms.\n"
    lines = clean("a", words, b"", hand).lines
    assert [(line.text, line.page, line.ocr) for line in lines] == [("Repeat after 5 minutes.", 2, True)]


@tesseract
def test_a_language_that_is_not_installed_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="tesseract-ocr-xxx"):
        Pdftotext(60, ocr=Tesseract("xxx")).read(_scan(tmp_path / "a.pdf", text_page=False))


@tesseract
def test_a_picture_without_text_is_refused_as_a_document(tmp_path: Path) -> None:
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.drawImage(_picture(""), 72, 600, 420, 36)
    canvas.save()
    with pytest.raises(UnreadablePdf, match="tesseract found none"):
        Pdftotext(60, ocr=Tesseract()).read(tmp_path / "a.pdf")


def test_without_being_asked_the_refusal_names_the_setting(tmp_path: Path) -> None:
    for text_page in (True, False):
        with pytest.raises(UnreadablePdf, match="set `ocr: true` under extract"):
            Pdftotext(60).read(_scan(tmp_path / "a.pdf", text_page=text_page))


def test_without_tesseract_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = _scan(tmp_path / "a.pdf", text_page=False)
    (tmp_path / "bin").mkdir()
    for tool in ("pdftotext", "pdftoppm", "pdfimages", "prlimit"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / "bin" / tool).symlink_to(found)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(Unavailable, match="tesseract-ocr"):
        Pdftotext(60, ocr=Tesseract()).read(file)


def test_the_setting_is_a_switch_or_a_mapping() -> None:
    assert Extract.model_validate({"ocr": True}).ocr is True
    assert Extract.model_validate({"ocr": {"language": "deu+fra"}}).ocr == Ocr(language="deu+fra")
    assert Extract().ocr is False
