"""The layouts: one function each, which sets twenty pages and says what stands on them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typst

from benchmarks.extract import printed
from benchmarks.extract.sheet import PAGES, Sheet
from benchmarks.extract.truth import Truth
from benchmarks.extract.words import LABEL


@dataclass(frozen=True)
class Layout:
    """A layout: what sets its PDF at a path and gives its truth; None where the PDF must be refused."""

    name: str
    build: Callable[[Path], Truth | None]


def one_column(sheet: Sheet) -> None:
    """Headings of two levels, prose and a list."""
    text = sheet.text
    sheet.heading(text.title())
    sheet.prose(text.prose(4))
    sheet.heading(text.title(), 2)
    sheet.prose(text.prose(3))
    sheet.items("Give or do the following:", [text.item() for _ in range(4)])
    sheet.prose(text.prose(5))


def two_columns(sheet: Sheet) -> None:
    """A heading over both columns, and two columns of prose and lists."""
    sheet.heading(sheet.text.title())
    sheet.raw("#columns(2, gutter: 9mm)[")
    for i in range(2):
        sheet.heading(sheet.text.title(), 2)
        sheet.prose(sheet.text.prose(5))
        sheet.items("Do not give:", [sheet.text.item() for _ in range(3)])
        sheet.prose(sheet.text.prose(4))
        if i == 0:
            sheet.raw("#colbreak()")
    sheet.raw("]")


def side_bar(sheet: Sheet) -> None:
    """A main column, and beside it a narrow grey box of smaller text."""
    sheet.heading(sheet.text.title())
    sheet.raw("#grid(columns: (11cm, 5cm), gutter: 8mm)[")
    for _ in range(3):
        sheet.prose(sheet.text.prose(5))
    sheet.raw("][#set text(size: 9pt)\n#block(fill: luma(235), inset: 6pt)[")
    sheet.prose(sheet.text.prose(4))
    sheet.prose(sheet.text.prose(3))
    sheet.raw("]]")


def table_wrapped(sheet: Sheet) -> None:
    """A ruled table whose cells are wrapped."""
    text = sheet.text
    sheet.heading(text.title())
    sheet.prose(text.prose(2))
    rows = [[text.drug(), text.dose(), text.sentence(), text.item()] for _ in range(6)]
    sheet.table([["Medicine", "Dose", "How it is given", "When"], *rows], "(2.6cm, 2.6cm, 1fr, 4cm)")
    sheet.prose(text.prose(2))


def table_narrow(sheet: Sheet) -> None:
    """Tables without rules, whose columns are near one another; and one without a header row."""
    text = sheet.text
    sheet.heading(text.title())
    rows = [[text.drug(), text.dose(), text.dose(), "once"] for _ in range(8)]
    sheet.table([["Medicine", "Adult", "Child", "Repeat"], *rows], "4", "stroke: none, inset: (x: 2.5pt, y: 4pt),")
    sheet.prose(text.prose(3))
    cells = [(f"Age {i} to {i + 4} years", text.dose()) for i in (1, 6, 11)]
    joined = ",".join(sheet.set(cell) for row in cells for cell in row)
    sheet.raw(f"#table(columns: 2, stroke: none, inset: (x: 5pt, y: 5pt), {joined})")
    for row in cells:
        sheet.truth.add(" | ".join(row), "row")
    sheet.prose(text.prose(1))


def table_long() -> Sheet:
    """A table over all pages, whose header is repeated on each."""
    sheet = Sheet(5)
    text = sheet.text
    sheet.heading(text.title())
    rows = [[str(i), text.drug(), text.dose(), text.sentence()] for i in range(1, 25 * PAGES)]
    header = ["No", "Medicine", "Dose", "How it is given"]
    sheet.table([header, *rows], "(1.2cm, 3cm, 3cm, 1fr)")
    sheet.truth.furniture += [" ".join(header)] * PAGES
    return sheet


def lists(sheet: Sheet) -> None:
    """Nested and numbered lists, with items that are wrapped."""
    text = sheet.text
    sheet.heading(text.title())
    nested = [(text.item(), [text.item(), text.item()]), text.sentence(), (text.item(), [text.sentence()])]
    sheet.items("Call for help when there is:", nested)
    sheet.prose(text.prose(2))
    sheet.items("Work through these steps:", [text.prose(2) for _ in range(5)], numbered=True)
    sheet.prose(text.prose(2))
    sheet.items("Never combine", [text.item() for _ in range(3)])


def contents() -> Sheet:
    """A list of contents with leaders, and its headings on the pages that follow."""
    sheet = Sheet(7)
    sheet.raw("#outline(title: [Contents])\n#pagebreak()")

    def page(sheet: Sheet) -> None:
        number = 1 + len(sheet.truth.furniture)
        title = sheet.heading(f"{number}. {sheet.text.title()}")
        sheet.truth.furniture.append(f"{title} {number + 1}")
        for _ in range(3):
            sheet.prose(sheet.text.prose(4))

    return sheet.pages(page)


def running_heads(sheet: Sheet) -> None:
    """Heads and feet that differ between left and right pages."""
    one_column(sheet)


HEADS = """
#set page(
  header: context if calc.even(counter(page).get().first()) [Exampleton Hospital #h(1fr) Acute medicine] else [Version 2.1 of
    May 2026 #h(1fr) Exampleton Hospital],
  footer: context if calc.even(counter(page).get().first()) [#counter(page).display() #h(1fr) %s] else [%s #h(1fr)
    Page #counter(page).display()])
"""


def footnotes(sheet: Sheet) -> None:
    """Prose with footnotes, and a table with a note below it."""
    text = sheet.text
    sheet.heading(text.title())
    number = 2 * (len([line for line in sheet.truth.lines if line.kind == "footnote"]) // 2)
    notes = [text.sentence(), text.prose(2)]
    said = []
    for i, note in enumerate(notes, 1):
        before, after = text.prose(2), text.prose(1)
        sheet.raw(f"\n{sheet.markup(before)}#footnote{sheet.set(note)}{sheet.markup(' ' + after)}\n")
        said.append(sheet.truth.prose(f"{before}{_raised(number + i)} {after}"))
    sheet.prose(text.prose(3))
    for i, (note, line) in enumerate(zip(notes, said, strict=True), 1):
        sheet.truth.add(f"{_raised(number + i)} {note}", "footnote", line)


def _raised(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))


def card(sheet: Sheet) -> None:
    """A landscape card of three columns, headings above, lists inside."""
    sheet.raw('#set page(paper: "a5", flipped: true, margin: (x: 8mm, top: 8mm, bottom: 14mm))\n#set text(size: 8pt)')
    sheet.raw(
        "#show heading.where(level: 1): set text(size: 12pt)\n#show heading.where(level: 2): set text(size: 9.5pt)"
    )
    sheet.heading(sheet.text.title())
    sheet.raw("#columns(3, gutter: 6mm)[")
    for i in range(3):
        sheet.heading(sheet.text.title(), 2)
        sheet.items("Give at once:", [sheet.text.item() for _ in range(4)])
        sheet.prose(sheet.text.prose(4))
        if i < 2:
            sheet.raw("#colbreak()")
    sheet.raw("]")


def justified(sheet: Sheet) -> None:
    """Two columns of justified, hyphenated prose."""
    sheet.heading(sheet.text.title())
    sheet.raw("#columns(2, gutter: 7mm)[#set par(justify: true)\n#set text(hyphenate: true)")
    for _ in range(6):
        sheet.prose(sheet.text.prose(4))
    sheet.raw("]")


def counts(sheet: Sheet) -> None:
    """Powers of ten, squares, indices and units in prose, items and cells."""
    text = sheet.text
    sheet.heading(text.title())
    sheet.prose(" ".join(text.count() for _ in range(4)))
    sheet.items("Tell the haematologist about:", [text.count().rstrip(".") for _ in range(4)])
    rows = [[text.drug(), f"{text.dose()}/m²", f"{i}.5 × 10⁹/L"] for i in range(1, 5)]
    sheet.table([["Medicine", "Dose", "Least count"], *rows], "(4cm, 4cm, 4cm)")
    sheet.prose(text.count() + " " + text.prose(2))


def warning(sheet: Sheet) -> None:
    """Boxed warnings between prose."""
    text = sheet.text
    sheet.heading(text.title())
    sheet.prose(text.prose(3))
    said = f"Warning: {text.sentence()} {text.sentence()}"
    sheet.raw(f"#rect(width: 100%, inset: 8pt)[#strong{sheet.set(said)}]")
    sheet.truth.add(said, "warning")
    sheet.prose(text.prose(2))
    sheet.raw(f"#rect(inset: 8pt)[{sheet.markup('CAUTION')}\n\n")
    parent = sheet.truth.add("CAUTION", "warning")
    said = text.prose(2)
    sheet.raw(f"{sheet.markup(said)}]")
    sheet.truth.add(said, "warning", parent)
    sheet.prose(text.prose(2))


def odd_characters(sheet: Sheet) -> None:
    """Ligatures, soft hyphens and odd spaces typed as characters; bold headings no larger than the text."""
    text = sheet.text
    sheet.raw("#show heading.where(level: 2): set text(size: 10.5pt)")
    sheet.heading(text.title())
    for _ in range(3):
        title = text.title()
        sheet.heading(title, 2)
        said = text.prose(4).replace("Infuse", "Efficiently flush in") + " The first offer is fluid."
        odd = said.replace("ffi", "\ufb03").replace("ff", "\ufb00").replace("fi", "\ufb01").replace("fl", "\ufb02")
        odd = re.sub(r"(\d) (?=m[gL]|%)", "\\1\u00a0", odd).replace("≥ ", "≥\u2009").replace("minutes", "min\u00adutes")
        sheet.raw(f"\n{sheet.markup(odd)}\n")
        sheet.truth.prose(said)


def _typst(sheet: Sheet, pdf: Path, tags: bool = False) -> Truth:
    made = typst.compile(sheet.source, ignore_system_fonts=True, pdf_tags=tags)
    assert isinstance(made, bytes)
    pdf.write_bytes(made)
    pages = sum(len(re.findall(rb"/Type\s*/Page\b", part)) for part in (made,))
    sheet.truth.furniture += [f"{LABEL} {page}" for page in range(1, pages + 2)]
    return sheet.truth


def _paged(
    fill: Callable[[Sheet], None], seed: int, style: str = "as it is", tags: bool = False, head: str = ""
) -> Callable[[Path], Truth]:
    def build(pdf: Path) -> Truth:
        sheet = Sheet(seed, style)
        sheet.raw(head)
        return _typst(sheet.pages(fill), pdf, tags)

    return build


def _without_unicode(pdf: Path) -> None:
    """A PDF whose fonts do not say which letters they draw."""
    _typst(Sheet(30).pages(one_column), pdf)
    pdf.write_bytes(pdf.read_bytes().replace(b"/ToUnicode", b"/ToNothing"))


LAYOUTS = (
    Layout("one column", _paged(one_column, 1)),
    Layout("one column, tagged", _paged(one_column, 1, tags=True)),
    Layout("two columns", _paged(two_columns, 2)),
    Layout("side bar", _paged(side_bar, 3)),
    Layout("table, wrapped cells", _paged(table_wrapped, 4)),
    Layout("table, narrow gaps", _paged(table_narrow, 5)),
    Layout("table over pages", lambda pdf: _typst(table_long(), pdf)),
    Layout("nested and numbered lists", _paged(lists, 6)),
    Layout("contents page", lambda pdf: _typst(contents(), pdf)),
    Layout("alternating heads and feet", _paged(running_heads, 8, head=HEADS % (LABEL, LABEL))),
    Layout("footnotes", _paged(footnotes, 9, "glyph")),
    Layout("landscape card", _paged(card, 10)),
    Layout("justified and hyphenated", _paged(justified, 11)),
    Layout("superscripts, small and raised", _paged(counts, 12, "drawn")),
    Layout("superscripts, glyphs of the font", _paged(counts, 13, "glyph")),
    Layout("superscripts, of Unicode", _paged(counts, 14)),
    Layout("boxed warnings", _paged(warning, 15)),
    Layout("ligatures and odd spaces", _paged(odd_characters, 16)),
    Layout("rotated pages", printed.rotated),
    Layout("reportlab flow", printed.flow),
    Layout("no ToUnicode, CID font", _without_unicode),
    Layout("no ToUnicode, TrueType font", printed.without_unicode),
)
