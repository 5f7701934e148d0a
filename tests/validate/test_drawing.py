"""Every line's box, drawn on the page's picture, covers the line: no ink of the page is outside of the boxes."""

import io
from pathlib import Path

import pytest
from PIL import Image

from tasks.backends.pdftotext import Pdftotext
from tasks.errors import UnreadablePdf
from tasks.validate import clean
from tasks.validate.drawing import COLOURS, DPI, drawn

DEMO = Path(__file__).resolve().parents[2] / "data/raw/demo/guidelines"


@pytest.mark.parametrize("name", sorted(pdf.stem for pdf in DEMO.glob("*.pdf")))
def test_all_text_of_a_page_is_inside_the_boxes_of_lines_and_removals(name: str) -> None:
    pdf = DEMO / f"{name}.pdf"
    cleaned = clean(name, Pdftotext(60).read(pdf), b"", None)
    for page in range(1, cleaned.document.pages + 1):
        picture = Image.open(io.BytesIO(Pdftotext(60).picture(pdf, page, DPI))).convert("L")
        places = [place.box for line in cleaned.lines for place in line.places if place.page == page]
        places += [item.box for item in cleaned.removals if item.page == page]
        for x0, y0, x1, y1 in places:
            box = (int(x0 * DPI / 72) - 3, int(y0 * DPI / 72) - 3, int(x1 * DPI / 72) + 3, int(y1 * DPI / 72) + 3)
            picture.paste(255, box)
        dark = sum(picture.histogram()[:90])
        assert dark < 0.004 * picture.width * picture.height, f"{dark} dark pixels outside of the boxes"


def test_a_picture_has_the_page_in_its_size_and_the_colours_of_the_lines() -> None:
    pdf = DEMO / "anaphylaxis.pdf"
    cleaned = clean("anaphylaxis", Pdftotext(60).read(pdf), b"", None)
    png = Pdftotext(60).picture(pdf, 2, DPI)
    made = Image.open(io.BytesIO(drawn(png, 2, cleaned.lines, cleaned.removals)))
    assert made.size == Image.open(io.BytesIO(png)).size
    colours = {colour for _, colour in made.getcolors(1 << 24) or []}
    wanted = {tuple(bytes.fromhex(COLOURS[kind][1:])) for kind in ("heading", "bullet", "lead-in", "prose")}
    assert wanted <= colours


def test_a_page_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnreadablePdf, match="pdftoppm"):
        Pdftotext(60).picture(DEMO / "anaphylaxis.pdf", 9, DPI)
