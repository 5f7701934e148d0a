"""A picture may hold a flowchart: the pages that have a large one are recorded, and said."""

from pathlib import Path

from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from flows.extract import _listed
from tasks.backends.pdftotext import Pdftotext
from tasks.extract import PICTURE, document_words, with_pictures


def _pdf(path: Path) -> Path:
    """Page 1 has a picture of 4 x 4 inches (more than a tenth of A4: 9.7 square inches), page 2 one of 1 x 1, page 3 none."""
    picture = path.with_suffix(".png")
    Image.effect_noise((200, 200), 80).save(picture)
    canvas = Canvas(str(path))
    for size in (4 * 72, 72, 0):
        canvas.drawString(72, 700, "Follow the chart.")
        if size:
            canvas.drawImage(str(picture), 72, 100, size, size)
        canvas.showPage()
    canvas.save()
    return path


def test_only_large_pictures_are_recorded_with_their_page(tmp_path: Path) -> None:
    pdf, reader = _pdf(tmp_path / "a.pdf"), Pdftotext(60)
    assert reader.large_pictures(pdf) == [1]
    parsed = with_pictures(document_words(reader, pdf), "a", reader.large_pictures(pdf))
    assert [(item.guideline, item.page, item.rule) for item in parsed.removals] == [("a", 1, PICTURE)]


def test_pages_are_listed_by_guideline_and_long_lists_are_cut() -> None:
    pages = [("shock", 2), ("sepsis", 4), ("sepsis", 1), *(("burns", page) for page in range(1, 14))]
    assert _listed(pages) == "burns p. 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more; sepsis p. 1, 4; shock p. 2"
