"""The lines of a page, and what was removed from it, drawn on the page's picture."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tasks.records import Box, Line, Removal

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw as Pen
    from PIL.ImageFont import FreeTypeFont as Font
    from PIL.ImageFont import ImageFont as PlainFont

DPI = 110
COLOURS = {
    "heading": "#1f4e9c",
    "lead-in": "#8a4b00",
    "bullet": "#0a6b2d",
    "row": "#6a1b9a",
    "prose": "#37474f",
}
_OTHER = "#00695c"
_REMOVED = "#c62828"


def drawn(png: bytes, page: int, lines: Sequence[Line], removals: Sequence[Removal]) -> bytes:
    """The picture `png` of page `page` (at `DPI`) with every line's box and number, and every removal's box, as a PNG."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=DPI * 9 // 72)
    for line in lines:
        for place in line.places:
            if place.page == page:
                _box(pen, place.box, str(line.number), COLOURS.get(line.kind, _OTHER), font)
    for removal in removals:
        if removal.page == page and removal.box[2] > removal.box[0]:
            _box(pen, removal.box, "removed", _REMOVED, font)
    out = io.BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


def _box(pen: "Pen", box: Box, name: str, colour: str, font: "Font | PlainFont") -> None:
    x0, y0, x1, y1 = (side * DPI / 72 for side in box)
    pen.rectangle((x0 - 2, y0 - 1, x1 + 2, y1 + 1), outline=colour, width=2)
    pen.text((x0 - 6 - pen.textlength(name, font=font), y0), name, fill=colour, font=font)
