"""Layouts that reportlab sets, so that not one producer alone is measured."""

from pathlib import Path
from xml.sax.saxutils import escape

import reportlab
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, ListItem, PageBreak, Paragraph, SimpleDocTemplate, Table

from benchmarks.extract.sheet import PAGES
from benchmarks.extract.truth import Truth
from benchmarks.extract.words import LABEL, Text

_FONTS = Path(reportlab.__file__).parent / "fonts"
_STYLES = getSampleStyleSheet()
_BODY = ParagraphStyle("body", parent=_STYLES["BodyText"], fontName="Vera", fontSize=9.5, leading=13, spaceAfter=6)
_BOLD = ParagraphStyle("bold", parent=_BODY, fontName="VeraBd", spaceBefore=8)
_TITLE = ParagraphStyle("title", parent=_BODY, fontName="VeraBd", fontSize=14, leading=18)
_SCRIPTS = {"⁹": "<super>9</super>", "¹²": "<super>12</super>", "²": "<super>2</super>", "₂": "<sub>2</sub>"}


def rotated(pdf: Path) -> Truth:
    """Upright pages whose text is drawn from bottom to top and shown with /Rotate 90."""
    truth, text = Truth(), Text(20)
    _fonts()
    canvas = Canvas(str(pdf), pagesize=(A4[1], A4[0]), invariant=1)  # reportlab turns it back
    width, height = A4
    for page in range(1, PAGES + 1):
        canvas.setPageRotation(90)
        canvas.translate(width, 0)
        canvas.rotate(90)
        y = width - 2 * cm
        for part, style in (
            (truth.heading(text.title()), _TITLE),
            *((truth.prose(_plain(text.prose(4))), _BODY) for _ in range(4)),
        ):
            paragraph = Paragraph(escape(part), style)
            y -= paragraph.wrap(height - 4 * cm, width)[1] + 8
            paragraph.drawOn(canvas, 2 * cm, y)
        canvas.setFont("Vera", 8)
        canvas.drawString(2 * cm, 1 * cm, LABEL)
        canvas.drawRightString(height - 2 * cm, 1 * cm, str(page))
        truth.furniture.append(f"{LABEL} {page}")
        canvas.showPage()
    canvas.save()
    return truth


def flow(pdf: Path) -> Truth:
    """Headings in bold that are no larger than the text, raised numbers, lists and a ruled table."""
    truth, text = Truth(), Text(21)
    _fonts()
    story = []
    for _ in range(PAGES):
        story.append(Paragraph(escape(truth.heading(text.title())), _TITLE))
        for _ in range(2):
            story.append(Paragraph(escape(truth.heading(text.title(), 2)), _BOLD))
            story.append(Paragraph(_marked(truth.prose(f"{_count(text)} {_plain(text.prose(2))}")), _BODY))
        lead = truth.add("Do not give:", "lead-in")
        items = [truth.add(_plain(text.item()), "bullet", lead) for _ in range(3)]
        story.append(Paragraph(lead, _BODY))
        parts = [ListItem(Paragraph(escape(item), _BODY)) for item in items]
        story.append(ListFlowable(parts, bulletType="bullet", bulletFontName="Vera", start="•"))
        rows = [["Medicine", "Dose", "Repeat"], *([text.drug(), text.dose(), "once"] for _ in range(4))]
        head = truth.add(" | ".join(rows[0]), "row")
        for row in rows[1:]:
            truth.add(" | ".join(row), "row", head)
        story += [Table(rows, colWidths=[5 * cm, 4 * cm, 4 * cm], style=[("GRID", (0, 0), (-1, -1), 0.5, "black")])]
        story.append(PageBreak())

    def foot(canvas: Canvas, template: SimpleDocTemplate) -> None:
        canvas.setFont("Vera", 8)
        canvas.drawString(2 * cm, 1 * cm, LABEL)
        canvas.drawRightString(19 * cm, 1 * cm, str(template.page))

    truth.furniture += [f"{LABEL} {page}" for page in range(1, PAGES + 1)]
    SimpleDocTemplate(str(pdf), pagesize=A4, invariant=1).build(story, onFirstPage=foot, onLaterPages=foot)
    return truth


def without_unicode(pdf: Path) -> None:
    """A TrueType subset whose codes are mere numbers of glyphs, and which does not say which letters they draw."""
    _fonts()
    font = TTFont("Mute", str(_FONTS / "VeraIt.ttf"), asciiReadable=False)
    pdfmetrics.registerFont(font)
    style = ParagraphStyle("mute", parent=_BODY, fontName="Mute")
    text = Text(31)
    canvas = Canvas(str(pdf), pagesize=A4, invariant=1, pageCompression=0)
    for _ in range(3):
        for i in range(6):
            paragraph = Paragraph(escape(_plain(text.prose(4))), style)
            paragraph.wrap(17 * cm, 10 * cm)
            paragraph.drawOn(canvas, 2 * cm, (25 - 4 * i) * cm)
        canvas.setFont("Vera", 8)
        canvas.drawString(2 * cm, 1 * cm, LABEL)
        canvas.showPage()
    canvas.save()
    made = pdf.read_bytes()
    pdf.write_bytes(made.replace(b"/ToUnicode", b"/ToNothing"))


def _fonts() -> None:
    for name in ("Vera", "VeraBd"):
        pdfmetrics.registerFont(TTFont(name, str(_FONTS / f"{name}.ttf")))


def _plain(text: str) -> str:
    """The text without the sign that the fonts lack."""
    return text.replace("≥", "≤") if "≥" in text and not _has("≥") else text


def _has(letter: str) -> bool:
    face = pdfmetrics.getFont("Vera").face
    return ord(letter) in face.charToGlyph


def _count(text: Text) -> str:
    return _plain(text.sentence(("Ask {who} if the neutrophils are < {y} × 10⁹/L and SpO₂ is {p}% for {m} minutes.",)))


def _marked(text: str) -> str:
    made = escape(text)
    for letters, mark in _SCRIPTS.items():
        made = made.replace(letters, mark)
    return made
