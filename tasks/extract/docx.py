"""Word documents (.docx): what Word shows of them when all tracked changes are accepted, and nothing that it does not show.

What cannot be read faithfully is refused: equations, diagrams, embedded objects, struck-through text, unknown symbols.
"""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from tasks.errors import UnreadableText
from tasks.extract.docx_lists import Labels
from tasks.extract.docx_names import M, W, local, symbols
from tasks.extract.pageless import Parsed, block, raised, removal, words_of
from tasks.records import Block, Removal

MAX_UNPACKED = 256 * 1024 * 1024  # bytes of all parts together
MAX_XML = 48 * 1024 * 1024  # bytes of one part of XML: some 10,000 pages
MAX_PARTS = 5000

_GLYPH = re.compile(r"[•·▪◦‣●■–-]\s+(?=\S)")
_THROUGH = ("hyperlink", "smartTag", "fldSimple", "ins", "moveTo", "customXml", "dir", "bdo", "sdtContent")
_GONE = ("del", "moveFrom")
_NO_TEXT = {
    "pPr", "rPr", "proofErr", "bookmarkStart", "bookmarkEnd", "commentRangeStart", "commentRangeEnd", "commentReference",
    "annotationRef", "footnoteRef", "endnoteRef", "separator", "continuationSeparator", "lastRenderedPageBreak",
    "instrText", "delInstrText", "fldChar", "softHyphen", "sectPr", "permStart", "permEnd", "sdtPr", "sdtEndPr",
    "moveFromRangeStart", "moveFromRangeEnd", "moveToRangeStart", "moveToRangeEnd", "tblPr", "tblGrid", "trPr",
    "tblPrEx", "tcPr", "fldData",
}  # fmt: skip
_REFUSED = {
    "object": "an embedded object", "oMath": "an equation", "oMathPara": "an equation", "ruby": "ruby text",
    "altChunk": "another document inside it", "subDoc": "another document inside it", "cellDel": "a deleted cell",
}  # fmt: skip


def read_docx(guideline: str, name: str, data: bytes) -> Parsed:
    """The words and lines of a Word document. Raises UnreadableText, with what it is that cannot be read."""
    document = _opened(name, data)
    return _Reader(guideline, name, document).read()


def _opened(name: str, data: bytes) -> Any:
    """python-docx's document; its parser resolves no entities, and the sizes are checked before anything is unpacked."""
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import XMLSyntaxError

    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise UnreadableText(f"{name!r} is an old or an encrypted Word document: save it as .docx without a password")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_parts(name, archive)
        return docx.Document(io.BytesIO(data))
    except (zipfile.BadZipFile, PackageNotFoundError, XMLSyntaxError, KeyError, ValueError, EOFError) as error:
        raise UnreadableText(f"{name!r} is no Word document, or is broken ({error}): save it again as .docx") from error


def _check_parts(name: str, archive: zipfile.ZipFile) -> None:
    parts = archive.infolist()
    if len(parts) > MAX_PARTS or sum(part.file_size for part in parts) > MAX_UNPACKED:
        raise UnreadableText(f"{name!r} unpacks to more than {MAX_UNPACKED} bytes or {MAX_PARTS} parts: split it")
    for part in parts:
        if not part.filename.endswith((".xml", ".rels")):
            continue
        if part.file_size > MAX_XML:
            raise UnreadableText(f"{name!r}: {part.filename!r} unpacks to more than {MAX_XML} bytes: split it")
        if b"<!DOCTYPE" in archive.read(part):
            raise UnreadableText(f"{name!r}: {part.filename!r} declares a document type, as no Word document does")


class _Reader:
    """Reads one document; `_notes` are the foot- and endnotes by kind and id, `_label` their numbers so far."""

    def __init__(self, guideline: str, name: str, document: Any) -> None:
        self._guideline, self._name, self._document = guideline, name, document
        self._styles = {style.get(W + "styleId"): style for style in document.styles.element.iter(W + "style")}
        self._lists = Labels(name, _part(document, "numbering"), self._styles)
        self._notes = {kind: _notes(_part(document, f"{kind}s"), kind) for kind in ("footnote", "endnote")}
        self._label: dict[tuple[str, str], str] = {}
        self._blocks: list[Block] = []
        self._removals: list[Removal] = []
        self._made: list[str] = []  # labels that Word writes and the file does not
        self._tables = 0
        self._held: list[tuple[str, str]] | None = None  # the notes of a table wait for its end

    def read(self) -> Parsed:
        body = self._document.element.body
        self._body(body)
        edges = list(self._edges())
        for text in edges:
            self._remove(text, "header or footer of the pages")
        notes = [note for notes in self._notes.values() for note in notes.values()]
        raw = [text for part in (body, *notes) for text in self._raw(part)]
        words = words_of(self._guideline, [*raw, *self._made, *edges])
        blocks = [item for item in self._blocks if item.text.strip(" |")]
        if not blocks:
            raise UnreadableText(f"{self._name!r} holds no text: export it again")
        return Parsed(words, blocks, self._removals)

    def _remove(self, text: str, rule: str) -> None:
        if text.strip():
            self._removals.append(removal(self._guideline, text, rule))

    def _refuse(self, what: str, near: str = "") -> UnreadableText:
        at = f" near {' '.join(near.split())[:40]!r}" if near.strip() else ""
        return UnreadableText(f"{self._name!r} holds {what}{at}, which cannot be read as text: write it as text")

    def _edges(self) -> Iterator[str]:
        """The text of the headers and footers, each once."""
        seen: dict[str, None] = {}
        rels = self._document.part.rels.values()
        for part in {id(rel.target_part): rel.target_part for rel in rels if _is_edge(rel)}.values():
            for text in self._raw(part.element):
                if text.strip():
                    seen.setdefault(text)
        return iter(seen)

    # What the document shows, in order

    def _body(self, container: Any) -> None:
        for child in container:
            kind = local(child)
            if kind == "p":
                self._paragraph(child)
            elif kind == "tbl":
                self._table(child)
            elif kind == "sdt":
                self._body(child.find(W + "sdtContent") if child.find(W + "sdtContent") is not None else [])
            elif kind in _THROUGH:
                self._body(child)
            elif kind in _GONE:
                self._remove(" ".join(self._raw(child)), "deleted by a tracked change")
            else:
                self._pass(child)

    def _pass(self, child: Any) -> None:
        """Nothing, for what shows no text; anything else is refused rather than lost."""
        kind = local(child)
        if kind in _REFUSED:
            near = "".join(text.text or "" for text in child.iter(M + "t", W + "t"))
            raise self._refuse(_REFUSED[kind], near)
        if kind not in _NO_TEXT and any(text.strip() for text in self._raw(child)):
            raise self._refuse(f"an element {kind!r}", " ".join(self._raw(child)))

    def _paragraph(self, paragraph: Any) -> None:
        aside: list[Any] = []
        references: list[tuple[str, str]] = []
        text = "".join(self._inline(paragraph, aside, references)).strip()
        style = self._style_chain(paragraph)
        if text and any(re.match(r"toc \d", name) for name in _names(style)):
            self._remove(text, "contents page")
            text = ""
        if text:
            self._blocks.append(self._block(paragraph, style, text))
        for box in aside:
            self._body(box)
        if self._held is not None:
            self._held += references
            return
        for reference in references:
            self._note(reference)

    def _block(self, paragraph: Any, style: list[Any], text: str) -> Block:
        label, depth = self._lists.label(paragraph, style)
        level = _level(paragraph, style)
        if label:
            self._made.append(label)
        shown = f"{label} {text}" if label else text
        if level is not None:
            return block(self._guideline, "heading", shown, level=10.0 - level)
        if depth is not None:
            depth = max(
                [depth, *(int(name[-1]) - 1 for name in _names(style) if re.fullmatch(r"list \w+ [2-5]", name))]
            )
            return block(self._guideline, "bullet", shown, indent=20.0 * depth)
        if _GLYPH.match(text):
            return block(self._guideline, "bullet", _GLYPH.sub("", text, count=1))
        return block(self._guideline, "prose", text)

    def _note(self, reference: tuple[str, str]) -> None:
        """A foot- or endnote, below the paragraph or table that refers to it."""
        kind, number = reference
        note = self._notes[kind].get(number)
        if note is None:
            raise self._refuse(f"a reference to the {kind} {number}, which is not there")
        aside: list[Any] = []
        text = " ".join("".join(self._inline(p, aside, [])).strip() for p in note.iter(W + "p"))
        if aside:
            raise self._refuse(f"a text box in a {kind}", text)
        label = f"[{self._label[reference]}]"
        self._made.append(label)
        self._blocks.append(block(self._guideline, "prose", f"{label} {text}"))

    def _inline(self, node: Any, aside: list[Any], references: list[tuple[str, str]]) -> Iterator[str]:
        """The text of a paragraph; the text boxes in it go to `aside`, the notes that it refers to to `references`."""
        for child in node:
            kind = local(child)
            if kind == "r":
                yield from self._run(child, aside, references)
            elif kind in _THROUGH:
                yield from self._inline(child, aside, references)
            elif kind == "sdt":
                yield from self._inline(child.findall(W + "sdtContent"), aside, references)
            elif kind in _GONE:
                self._remove(" ".join(self._raw(child)), "deleted by a tracked change")
            elif kind == "AlternateContent":
                yield from self._inline(_choice(child), aside, references)
            else:
                self._pass(child)

    def _run(self, run: Any, aside: list[Any], references: list[tuple[str, str]]) -> Iterator[str]:
        style = self._style_of(run)
        if _on(run, style, "vanish"):
            self._remove(self._run_text(run), "hidden text")
            return
        if (_on(run, style, "strike") or _on(run, style, "dstrike")) and self._run_text(run).strip():
            raise self._refuse("struck-through text", self._run_text(run))
        for child in run:
            self._drawn(child, aside)
            if local(child) in ("footnoteReference", "endnoteReference"):
                references.append((local(child)[:-9], child.get(W + "id")))
        yield self._run_text(run)

    def _drawn(self, child: Any, aside: list[Any]) -> None:
        """Text boxes go aside; a picture is a removal; diagrams and charts are refused."""
        kind = local(child)
        if kind == "AlternateContent":
            for inner in _choice(child):
                self._drawn(inner, aside)
        elif kind in ("drawing", "pict"):
            uris = {data.get("uri", "") for data in child.iter() if local(data) == "graphicData"}
            if any(uri.endswith(("/chart", "/diagram")) for uri in uris):
                raise self._refuse("a chart or diagram", _described(child))
            boxes = [box for box in child.iter(W + "txbxContent") if not _in_fallback(box)]
            aside += boxes
            if not boxes:
                self._removals.append(removal(self._guideline, _described(child), "picture: no text is read from it"))
        elif kind in _REFUSED:
            raise self._refuse(_REFUSED[kind])

    def _run_text(self, run: Any) -> str:
        """The text of a run as Word shows it: symbols of symbol fonts as characters, raised digits raised."""
        properties = run.find(W + "rPr")
        fonts = properties.find(W + "rFonts") if properties is not None else None
        font = fonts.get(W + "ascii", "") if fonts is not None else ""
        text = ""
        for child in run:
            kind = local(child)
            if kind in ("t", "delText"):
                text += self._symbols(font, child.text or "")
            elif kind in ("tab", "ptab", "br", "cr"):
                text += " "
            elif kind == "noBreakHyphen":
                text += "-"
            elif kind == "sym":
                code = chr(int(child.get(W + "char", "0"), 16))
                text += self._symbols(child.get(W + "font", ""), code)
            elif kind in ("footnoteReference", "endnoteReference"):
                text += f"[{self._number(kind[:-9], child.get(W + 'id'))}]"
            elif kind not in ("drawing", "pict", "AlternateContent"):
                self._pass(child)
        align = properties.find(W + "vertAlign") if properties is not None else None
        return raised(text) if align is not None and align.get(W + "val") == "superscript" else text

    def _symbols(self, font: str, text: str) -> str:
        shown = symbols(font, text)
        if shown is None:
            raise self._refuse(f"a sign of the font {font!r} that is not known", text)
        return shown

    def _number(self, kind: str, key: str) -> str:
        if (kind, key) not in self._label:
            count = 1 + sum(known == kind for known, _ in self._label)
            self._label[kind, key] = str(count) if kind == "footnote" else f"e{count}"
        return self._label[kind, key]

    def _style_of(self, run: Any) -> list[Any]:
        """The styles of a run and of its paragraph, each with those it is based on."""
        above = next((up for up in run.iterancestors() if local(up) == "p"), None)
        return self._style_chain(run) + ([] if above is None else self._style_chain(above))

    def _style_chain(self, node: Any) -> list[Any]:
        """The style of a paragraph or run, and those it is based on."""
        tag = "pStyle" if local(node) == "p" else "rStyle"
        named = node.find(f"{W}{tag[0]}Pr/{W}{tag}")
        chain: list[Any] = []
        key = named.get(W + "val") if named is not None else None
        while key in self._styles and self._styles[key] not in chain:
            chain.append(self._styles[key])
            based = self._styles[key].find(W + "basedOn")
            key = based.get(W + "val") if based is not None else None
        return chain

    # Tables

    def _table(self, table: Any) -> None:
        rows = list(self._rows(table))
        if any(local(child) == "tbl" for cell in table.iter(W + "tc") for child in cell):
            raise self._refuse("a table inside a table", " ".join(self._raw(table)))
        width = max((len(row) for row in rows), default=0)
        if width == 1:
            for row in rows:
                self._body(row[0])
            return
        self._tables += 1
        references: list[tuple[str, str]] = []
        texts: dict[int, str] = {}
        for row in rows:
            cells = [self._cell(cell, texts, references) for cell in row]
            whole = len({id(cell) for cell in row}) == 1
            text = cells[0] if whole else " | ".join(cells)
            self._blocks.append(block(self._guideline, "row", text, table=self._tables))
        for reference in references:
            self._note(reference)

    def _rows(self, table: Any) -> Iterator[list[Any]]:
        """The cells of each row; one that is merged over columns or rows stands in every place it covers."""
        above: list[Any] = []
        for row in _within(table, "tr"):
            properties = row.find(W + "trPr")
            if properties is not None and properties.find(W + "del") is not None:
                self._remove(" ".join(self._raw(row)), "deleted by a tracked change")
                continue
            cells: list[Any] = [None] * _skipped(properties)
            for cell in _within(row, "tc"):
                if cell.find(f"{W}tcPr/{W}cellDel") is not None:
                    raise self._refuse("a cell deleted by a tracked change", " ".join(self._raw(cell)))
                at = len(cells)
                merge = cell.find(f"{W}tcPr/{W}vMerge")
                goes_on = merge is not None and merge.get(W + "val", "continue") == "continue"
                covered = above[at] if goes_on and at < len(above) else cell
                cells += [covered] * _span(cell)
                if covered is not cell and any(text.strip() for text in self._raw(cell)):
                    raise self._refuse("text in a cell that is merged with the one above", " ".join(self._raw(cell)))
            yield [cell for cell in cells if cell is not None]
            above = cells

    def _cell(self, cell: Any, texts: dict[int, str], references: list[tuple[str, str]]) -> str:
        """The text of a cell, its paragraphs joined by a space; read once, for it may cover several places."""
        if id(cell) not in texts:
            before, self._blocks = self._blocks, []
            self._held = references
            self._body(cell)
            self._held = None
            texts[id(cell)] = " ".join(item.text for item in self._blocks)
            self._blocks = before
        return texts[id(cell)]

    # What the file holds, by another way: every paragraph, wherever it stands

    def _raw(self, part: Any) -> Iterator[str]:
        """The text of every paragraph below `part`; what is deleted or hidden stands apart from what is not."""
        paragraphs = [part] if local(part) == "p" else list(part.iter(W + "p"))
        if not paragraphs and any(True for _ in part.iter(W + "r")):
            paragraphs = [part]
        for paragraph in paragraphs:
            if _in_fallback(paragraph):
                continue
            shown, gone = "", ""
            for run in paragraph.iter(W + "r"):
                inside = local(paragraph) == "p" and _owner(run, paragraph) is not paragraph
                if inside or _in_fallback(run):
                    continue
                if any(local(up) in _GONE for up in run.iterancestors()) or _on(run, self._style_of(run), "vanish"):
                    gone += " " + self._run_text(run)
                else:
                    gone += " "
                    shown += self._run_text(run)
            yield f"{shown}  {gone}"


def _part(document: Any, kind: str) -> Any:
    """The XML of the numbering, footnotes or endnotes part, or None."""
    from docx.oxml import parse_xml

    for rel in document.part.rels.values():
        if not rel.is_external and rel.reltype.endswith(f"/{kind}"):
            return parse_xml(rel.target_part.blob)
    return None


def _is_edge(rel: Any) -> bool:
    return not rel.is_external and rel.reltype.endswith(("/header", "/footer"))


def _notes(part: Any, kind: str) -> dict[str, Any]:
    """The notes by id, without the lines that Word draws between text and notes."""
    found = part.iter(W + kind) if part is not None else []
    return {note.get(W + "id"): note for note in found if note.get(W + "type", "normal") == "normal"}


def _names(style: Iterable[Any]) -> list[str]:
    return [str(name.get(W + "val")).lower() for item in style if (name := item.find(W + "name")) is not None]


def _level(paragraph: Any, style: list[Any]) -> int | None:
    """The level of a heading: 0 for the title, 1 to 9; None for anything else."""
    for name in _names(style):
        if name == "title":
            return 0
        if match := re.fullmatch(r"heading ([1-9])", name):
            return int(match[1])
    for holder in (paragraph, *style):
        outline = holder.find(f"{W}pPr/{W}outlineLvl")
        if outline is not None and int(outline.get(W + "val", "9")) < 9:
            return int(outline.get(W + "val")) + 1
    return None


def _on(run: Any, style: list[Any], what: str) -> bool:
    """Whether a run, or its style, has a property that is on or off."""
    for holder in (run, *style):
        found = holder.find(f"{W}rPr/{W}{what}")
        if found is not None:
            return str(found.get(W + "val", "true")) not in ("0", "false", "off")
    return False


def _choice(alternate: Any) -> Any:
    """The first of the ways in which something may be drawn, which is what Word shows."""
    return alternate[0] if len(alternate) else ()


def _in_fallback(node: Any) -> bool:
    """Inside a second way to draw what is drawn already."""
    return any(local(up) == "Fallback" for up in node.iterancestors())


def _owner(run: Any, paragraph: Any) -> Any:
    return next((up for up in run.iterancestors() if local(up) == "p"), paragraph)


def _described(drawing: Any) -> str:
    return " ".join(node.get("descr") or "" for node in drawing.iter() if local(node) == "docPr")


def _within(node: Any, kind: str) -> Iterator[Any]:
    """The rows of a table or the cells of a row, also those inside content controls and inserted ones."""
    for child in node:
        if local(child) == kind:
            yield child
        elif local(child) in ("sdt", *_THROUGH):
            yield from _within(child, kind)


def _span(cell: Any) -> int:
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    return max(1, min(int(span.get(W + "val", "1")), 64)) if span is not None else 1


def _skipped(properties: Any) -> int:
    before = properties.find(W + "gridBefore") if properties is not None else None
    return max(0, min(int(before.get(W + "val", "0")), 64)) if before is not None else 0
