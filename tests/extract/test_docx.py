"""Word documents: what Word shows is read to the letter, what it does not show is not, and what cannot be read is refused."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import docx
import pytest
from docx.document import Document

from tasks.errors import UnreadableText
from tasks.extract import docx as module
from tasks.extract.docx import read_docx
from tasks.extract.pageless import Parsed
from tasks.validate import check, clean, numbered

NS = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def _bytes(document: Document) -> bytes:
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def _read(data: bytes) -> Parsed:
    return read_docx("g", "g.docx", data)


def _body(xml: str) -> bytes:
    """A document whose body is this XML."""
    return _with(
        _bytes(docx.Document()),
        {"word/document.xml": lambda part: re.sub("<w:sectPr", f"{xml}<w:sectPr", part, count=1)},
    )


def _with(data: bytes, change: dict[str, Callable[[str], str]]) -> bytes:
    source, target = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in {*source.namelist(), *change}:
            text = source.read(name) if name in source.namelist() else b""
            archive.writestr(name, change[name](text.decode()).encode() if name in change else text)
    return target.getvalue()


def _passes(parsed: Parsed) -> list[str]:
    """The lines, after the gate found nothing lost and nothing new."""
    cleaned = clean("g", parsed.words, b"", None, form="docx", blocks=parsed.blocks, removed=parsed.removals)
    assert check(parsed.words, cleaned.lines, cleaned.removals, 0.1).failures == []
    assert "None" not in numbered(cleaned, None) and "p.0" not in numbered(cleaned, None)
    return [line.text for line in cleaned.lines]


def _p(inner: str) -> str:
    return f"<w:p>{inner}</w:p>"


def _r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_headings_lists_tables_and_paragraphs_keep_their_kind_and_parent() -> None:
    document = docx.Document()
    document.add_heading("Anaphylaxis", 0)
    document.add_heading("Dose", 1)
    document.add_paragraph("Do not give:")
    document.add_paragraph("antihistamines first", style="List Bullet")
    document.add_paragraph("not even IV", style="List Bullet 2")
    document.add_heading("Steps", 1)
    document.add_paragraph("Call for help", style="List Number")
    document.add_paragraph("Lie flat", style="List Number")
    parsed = _read(_bytes(document))
    assert _passes(parsed)[-2:] == ["1. Call for help", "2. Lie flat"]
    lines = clean("g", parsed.words, b"", None, form="docx", blocks=parsed.blocks, removed=parsed.removals).lines
    assert [line.kind for line in lines] == ["heading"] * 2 + ["lead-in"] + ["bullet"] * 2 + ["heading"] + [
        "bullet"
    ] * 2
    assert [line.parent for line in lines] == [None, 1, 2, 3, 4, 1, 6, 6]
    assert all(line.places == () and line.page is None for line in lines)


def test_numbers_units_and_comparators_are_kept_to_the_letter() -> None:
    text = "Give 0.5 mL/kg (≤ 10 µg) if K⁺ ≥ 6.5 mmol/L, &lt; 7.0 or &gt; 1,000 ± 5 %; 10–20 mg × 3"
    assert _passes(_read(_body(_p(_r(text))))) == [text.replace("&lt;", "<").replace("&gt;", ">")]


def test_a_raised_number_stays_raised() -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    xml = _p(
        _r("4 × 10")
        + _r("9", raised)
        + _r("/L, 10")
        + _r("-3", raised)
        + _r(" on the 1")
        + _r("st", raised)
        + _r(" day")
    )
    assert _passes(_read(_body(xml))) == ["4 × 10⁹/L, 10⁻³ on the 1st day"]


@pytest.mark.parametrize(
    "run",
    [
        _r("³ ", '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'),
        '<w:r><w:sym w:font="Symbol" w:char="F0B3"/></w:r>' + _r(" "),
    ],
)
def test_a_sign_of_the_symbol_font_is_the_sign_that_is_seen(run: str) -> None:
    assert _passes(_read(_body(_p(_r("pH ") + run + _r("7.3"))))) == ["pH ≥ 7.3"]


def test_tracked_changes_are_read_as_accepted_and_comments_are_not_read() -> None:
    xml = _p(
        _r("Give ")
        + '<w:del w:id="1" w:author="a"><w:r><w:delText>50</w:delText></w:r></w:del>'
        + '<w:ins w:id="2" w:author="a">'
        + _r("5")
        + "</w:ins>"
        + '<w:commentRangeStart w:id="0"/>'
        + _r(" mg")
        + '<w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r>'
    )
    parsed = _read(_body(xml))
    assert _passes(parsed) == ["Give 5 mg"]
    assert [(item.text, item.rule) for item in parsed.removals] == [("50", "deleted by a tracked change")]


def test_a_row_deleted_by_a_tracked_change_is_no_line() -> None:
    row = "<w:tr>{}<w:tc>" + _p(_r("{}")) + "</w:tc><w:tc>" + _p(_r("{}")) + "</w:tc></w:tr>"
    gone = '<w:trPr><w:del w:id="1" w:author="a"/></w:trPr>'
    xml = "<w:tbl>" + row.format("", "Drug", "Dose") + row.format(gone, "Old", "9 mg") + row.format("", "New", "5 mg")
    parsed = _read(_body(xml + "</w:tbl>"))
    assert _passes(parsed) == ["Drug | Dose", "New | 5 mg"]


def test_hidden_text_is_a_removal() -> None:
    parsed = _read(_body(_p(_r("Give 5 mg") + _r(" or 50 mg", "<w:vanish/>"))))
    assert _passes(parsed) == ["Give 5 mg"] and [item.rule for item in parsed.removals] == ["hidden text"]


def test_a_merged_cell_stands_in_every_row_and_column_that_it_covers() -> None:
    document = docx.Document()
    table = document.add_table(4, 3)
    for i, row in enumerate(
        (("Drug", "Dose", ""), ("Adrenaline", "500 micrograms", "IM"), ("", "1 mg", "IV"), ("Call 2222", "", ""))
    ):
        for j, text in enumerate(row):
            table.cell(i, j).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    table.cell(3, 0).merge(table.cell(3, 2))
    assert _passes(_read(_bytes(document))) == [
        "Drug | Dose | Dose",
        "Adrenaline | 500 micrograms | IM",
        "Adrenaline | 1 mg | IV",
        "Call 2222",
    ]


def test_a_box_of_one_cell_is_its_paragraphs() -> None:
    document = docx.Document()
    table = document.add_table(1, 1)
    table.cell(0, 0).text = "Do not give:"
    table.cell(0, 0).add_paragraph("potassium", style="List Bullet")
    parsed = _read(_bytes(document))
    assert _passes(parsed) == ["Do not give:", "potassium"] and [b.kind for b in parsed.blocks] == ["prose", "bullet"]


def test_the_text_of_a_text_box_is_read_once() -> None:
    box = f"<w:txbxContent>{_p(_r('Stop at 3 doses.'))}</w:txbxContent>"
    ns = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    xml = _p(
        _r("Give 5 mg.")
        + f'<w:r><mc:AlternateContent {ns}><mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice>'
        + f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert _passes(_read(_body(xml))) == ["Give 5 mg.", "Stop at 3 doses."]


def _footnoted(body: str, notes: str) -> bytes:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    rel = f'<Relationship Id="rId99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
    form = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = f'<Override PartName="/word/footnotes.xml" ContentType="{form}"/></Types>'
    return _with(
        _body(body),
        {
            "word/_rels/document.xml.rels": lambda text: text.replace("</Relationships>", rel),
            "[Content_Types].xml": lambda text: text.replace("</Types>", part),
            "word/footnotes.xml": lambda text: f"<w:footnotes {NS}>{notes}</w:footnotes>",
        },
    )


def test_a_footnote_stands_below_its_paragraph_and_its_mark_is_no_number() -> None:
    body = _p(_r("Give 5") + '<w:r><w:footnoteReference w:id="7"/></w:r>' + _r(" mg.")) + _p(_r("Wait."))
    note = f'<w:footnote w:id="7">{_p("<w:r><w:footnoteRef/></w:r>" + _r("Not over 50 mg."))}</w:footnote>'
    assert _passes(_read(_footnoted(body, note))) == ["Give 5[1] mg.", "[1] Not over 50 mg.", "Wait."]


def test_headers_and_footers_are_removals() -> None:
    document = docx.Document()
    document.add_paragraph("Give 5 mg")
    document.sections[0].header.paragraphs[0].text = "Ward 7, valid until 2027"
    parsed = _read(_bytes(document))
    assert _passes(parsed) == ["Give 5 mg"]
    assert [(item.text, item.page) for item in parsed.removals] == [("Ward 7, valid until 2027", 0)]


def test_numbered_headings_and_letters_are_written_as_word_writes_them() -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for i, (start, form, text) in enumerate(
            [(3, "decimal", "%1."), (1, "lowerLetter", "%1.%2)"), (1, "upperRoman", "%3")]
        )
    )
    numbering = (
        f'<w:abstractNum w:abstractNumId="77">{levels}</w:abstractNum>',
        '<w:num w:numId="77"><w:abstractNumId w:val="77"/></w:num>',
    )
    items = [("Call", 0), ("the team", 1), ("the lab", 1), ("Wait", 0), ("outside", 1), ("again", 2)]
    xml = "".join(
        _p(f'<w:pPr><w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="77"/></w:numPr></w:pPr>' + _r(text))
        for text, depth in items
    )

    def numbered_part(part: str) -> str:
        part = re.sub(r"(<w:abstractNum )", lambda match: numbering[0] + match[1], part, count=1)
        return part.replace("</w:numbering>", numbering[1] + "</w:numbering>")

    data = _with(_body(xml), {"word/numbering.xml": numbered_part})
    assert _passes(_read(data)) == ["3. Call", "3.a) the team", "3.b) the lab", "4. Wait", "4.a) outside", "I again"]


MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
DIAGRAM = (
    '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData uri="http://x/diagram"/>'
    "</a:graphic>"
)


def _table(inner: str) -> str:
    return f"<w:tbl><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>"


@pytest.mark.parametrize(
    ("xml", "what"),
    [
        (_p(_r("Give ") + _r("50", "<w:strike/>") + _r(" 5 mg")), "struck-through text near '50'"),
        (_p(f"<m:oMath {MATH}><m:r><m:t>x=5</m:t></m:r></m:oMath>"), "an equation near 'x=5'"),
        (_p('<w:r><w:sym w:font="Webdings" w:char="F041"/></w:r>'), "a sign of the font 'Webdings'"),
        (_p(_r("Q", '<w:rFonts w:ascii="Symbol"/>')), "a sign of the font 'Symbol'"),
        (_p("<w:r><w:object/></w:r>"), "an embedded object"),
        (_table(_table(_p(_r("5"))) + _p("")), "a table inside a table"),
        (_p(f"<w:r><w:drawing>{DIAGRAM}</w:drawing></w:r>"), "a chart or diagram"),
        (_p('<w:r><w:footnoteReference w:id="9"/></w:r>'), "a reference to the footnote 9, which is not there"),
        (f"<w:unknown>{_p(_r('Give 5 mg'))}</w:unknown>", "an element 'unknown' near 'Give 5 mg'"),
    ],
)
def test_what_cannot_be_read_faithfully_is_refused(xml: str, what: str) -> None:
    with pytest.raises(UnreadableText, match=re.escape(what)):
        _read(_body(_p(_r("Before.")) + xml))


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _with(_bytes(docx.Document()), {"word/big.xml": lambda part: " " * (module.MAX_XML + 1)})
    assert len(data) < 200_000
    with pytest.raises(UnreadableText, match="unpacks to more than"):
        _read(data)
    monkeypatch.setattr(module, "MAX_PARTS", 3)
    with pytest.raises(UnreadableText, match="or 3 parts"):
        _read(_bytes(docx.Document()))


def test_an_entity_of_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    declared = f'<!DOCTYPE w [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    data = _with(_body(_p(_r("&x;"))), {"word/document.xml": lambda part: part.replace("?>", f"?>{declared}", 1)})
    with pytest.raises(UnreadableText, match="declares a document type"):
        _read(data)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "is no Word document"),
        (b"PK\x03\x04broken", "is no Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old or an encrypted Word document"),
        (_bytes(docx.Document()), "holds no text"),
        (_with(_bytes(docx.Document()), {"word/document.xml": lambda part: part[:200]}), "is no Word document"),
    ],
)
def test_what_is_no_word_document_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(UnreadableText, match=what):
        _read(data)
