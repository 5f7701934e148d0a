"""What pdftotext gives, and what a PDF that cannot be read is told."""

from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from tasks.backends.pdftotext import Pdftotext
from tasks.errors import Unavailable, UnreadablePdf

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "data/raw/demo/guidelines"


def _pdf(path: Path, *pages: str, password: str | None = None) -> Path:
    canvas = Canvas(str(path), encrypt=password)
    for text in pages:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.save()
    return path


def _image_pdf(path: Path, text: str | None) -> Path:
    from PIL import Image

    picture = path.with_suffix(".png")
    Image.new("RGB", (200, 80), "grey").save(picture)
    canvas = Canvas(str(path))
    if text:
        canvas.drawString(72, 720, text)
        canvas.showPage()
    canvas.drawImage(str(picture), 72, 500)
    canvas.showPage()
    canvas.save()
    return path


def test_every_word_has_its_page_and_box(tmp_path: Path) -> None:
    words = Pdftotext(60).read(_pdf(tmp_path / "a.pdf", "Give 5 mg", "Then wait"))
    assert [(word.text, word.page) for word in words] == [("Give", 1), ("5", 1), ("mg", 1), ("Then", 2), ("wait", 2)]
    x0, y0, x1, y1 = words[0].box
    assert x0 == pytest.approx(72, abs=0.5) and y0 < 842 - 720 < y1 + 1 and x1 > x0


def test_the_signs_of_clinical_text_survive() -> None:
    text = " ".join(word.text for word in Pdftotext(60).read(DEMO / "hyperkalaemia.pdf"))
    for sign in ("≥ 6.5 mmol/L", "< 7.0 mmol/L", "10–20 mg", "50 mL/h"):
        assert sign in text


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").touch()
    with pytest.raises(UnreadablePdf, match="0 bytes"):
        Pdftotext(60).read(tmp_path / "a.pdf")


def test_a_page_of_html_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_text("<html><body>Not found</body></html>", encoding="utf-8")
    with pytest.raises(UnreadablePdf, match="not a PDF"):
        Pdftotext(60).read(tmp_path / "a.pdf")


def test_an_encrypted_file_says_how_to_decrypt_it(tmp_path: Path) -> None:
    with pytest.raises(UnreadablePdf, match="qpdf --decrypt"):
        Pdftotext(60).read(_pdf(tmp_path / "a.pdf", "secret", password="x"))


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\n" + b"\x00garbage" * 50)
    with pytest.raises(UnreadablePdf, match="broken"):
        Pdftotext(60).read(tmp_path / "a.pdf")


def test_a_scan_is_sent_to_ocr(tmp_path: Path) -> None:
    with pytest.raises(UnreadablePdf, match="ocrmypdf"):
        Pdftotext(60).read(_image_pdf(tmp_path / "a.pdf", None))


def test_one_scanned_page_among_others_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadablePdf, match="page 2 is an image"):
        Pdftotext(60).read(_image_pdf(tmp_path / "a.pdf", "Give 5 mg"))


def test_a_blank_page_is_no_reason_to_refuse(tmp_path: Path) -> None:
    assert len(Pdftotext(60).read(_pdf(tmp_path / "a.pdf", "Give", "", "mg"))) == 2


def test_without_poppler_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = _pdf(tmp_path / "a.pdf", "Give")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="poppler-utils"):
        Pdftotext(60).read(file)


@pytest.mark.slow
def test_no_public_pdf_ends_in_anything_but_words_or_a_clear_refusal(nasty: Path) -> None:
    outcomes = []
    for file in sorted(nasty.parent.rglob("*.pdf"))[:80]:
        try:
            outcomes.append(len(Pdftotext(60).read(file)))
        except UnreadablePdf as error:
            assert file.name in str(error)
    assert sum(outcomes) > 10_000
