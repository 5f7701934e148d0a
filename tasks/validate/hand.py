"""Hand-cleaned text, which is used instead of the PDF's where it exists: `safellm clean` writes it, a person edits it.

    % made from 9f86d0...       the SHA-256 of the PDF; a line that begins with % is a comment
    # Title                     a heading; ## and ### are lower ones
    - an item                   a bullet; two more spaces before the dash make it an item of the item above
      more of the item          a paragraph that belongs to the item: two more spaces than its dash
    Give all of these:          a line that ends in a colon and is followed by items or cells leads into them
      more below it             a paragraph that belongs to such a line: two more spaces than it has
    Drug | Dose | Route         cells of a table; the first row of a table is its header
    Anything else.              a paragraph: one line each
    [removed] text of the PDF   text that is left out on purpose, written where it stood; recorded as "removed by hand"

An empty line ends a table. A line that begins with such a mark and is none begins with a backslash ("\\- 5 is low"), and
a bar that parts no cells is written "\\|". Every word must stand in the PDF, in that order: cleaning removes words,
joins rows and says what a line is; it writes nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tasks.errors import UncleanText
from tasks.records import Kind, Line, Place
from tasks.validate.structure import Draft, lead_ins, number

FORMAT = (__doc__ or "").split("\n\n", 1)[1].rstrip()
REMOVED = "[removed]"
UNRESOLVED = "[unresolved]"
_MADE_FROM = re.compile(r"%\s*made from\s+([0-9a-f]{64})\s*")
_HEADING = re.compile(r"(#+)\s+(\S.*)")
_BULLET = re.compile(r"(\s*)[-\u2022*]\s+(\S.*)")
_MARK = re.compile(r"\s*(?:#+|[-\u2022*|]+)\s*")
_ESCAPED = re.compile(r"(\s*)\\([#\-\u2022*%\[].*)")
_NEEDS_ESCAPE = ("#", "-", "\u2022", "*", "%", "[")
_BAR = re.compile(r"(?<!\\)(?:\\\\)*\|")
_FORM = "write '# heading', '- item', 'cell | cell', or a paragraph on one line"


@dataclass(frozen=True)
class Entry:
    """One line of a hand-cleaned file that is not empty and not a comment; `at` is its number in the file, from 1.

    `removed` says that the text was left out on purpose; `cells` are the parts of the text that bars keep apart.
    """

    at: int
    kind: Kind
    text: str
    cells: tuple[str, ...]
    indent: float = 0.0
    level: float = 0.0
    table: int = 0
    removed: bool = False


@dataclass(frozen=True)
class Hand:
    """A hand-cleaned file as it was read; `made_from` is the SHA-256 of the PDF that it says it was made from."""

    made_from: str | None
    entries: tuple[Entry, ...]

    @property
    def lines(self) -> list[Entry]:
        """The entries that are lines of the guideline."""
        return [entry for entry in self.entries if not entry.removed]


def read_hand(file: str, text: str) -> Hand:
    """Read a hand-cleaned text; `file` is its path, for messages.

    Raises UncleanText, with the line of the file, for a mark without text, for an edit that is still unresolved, and
    for a text without any line.
    """
    entries: list[Entry] = []
    made_from: str | None = None
    table = 1
    for at, raw in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        row = raw.expandtabs(4).rstrip()
        if not row:
            table += 1
        elif row.lstrip().startswith("%"):
            found = _MADE_FROM.fullmatch(row.lstrip())
            made_from = found[1] if found else made_from
        else:
            entries.append(_entry(file, at, row, table))
    if all(entry.removed for entry in entries):
        raise UncleanText(f"{file} holds no line: {_FORM}; or delete it, and the PDF's text is used")
    return Hand(made_from, tuple(entries))


def hand_lines(guideline: str, hand: Hand, places: Sequence[tuple[Place, ...]]) -> list[Line]:
    """The numbered lines of a hand-cleaned text; `places` has, for each of its lines, where its words stand."""
    drafts = [
        Draft(entry.kind, entry.text, place, entry.indent, entry.level, entry.table)
        for entry, place in zip(hand.lines, places, strict=True)
    ]
    return number(guideline, lead_ins(drafts))


def hand_text(lines: Sequence[Line], made_from: str) -> str:
    """The text that is read as these lines again: kinds, parents and paragraphs too.

    `made_from` is the SHA-256 of the PDF. A blank line stands between paragraphs, but for the inside of a table.
    """
    whole = _inside_tables(lines)
    rows = [f"% made from {made_from}"]
    for i, line in enumerate(lines):
        parted = i == 0 or line.paragraph != lines[i - 1].paragraph or _begins_table(lines, line)
        if parted and line.number not in whole:
            rows.append("")
        rows.append(_written(lines, line))
    return "\n".join(rows) + "\n"


def _entry(file: str, at: int, row: str, table: int) -> Entry:
    bare = row.lstrip()
    if bare.startswith(UNRESOLVED):
        raise UncleanText(
            f"{file}:{at}: {row!r} is an edit that did not fit the new PDF: make it in the lines below, or do not, "
            "and delete this line"
        )
    if bare.startswith(REMOVED):
        said = bare.removeprefix(REMOVED)
        if not said.strip():
            raise UncleanText(
                f"{file}:{at}: {row!r} does not say what was removed: write the text of the PDF behind it"
            )
        return Entry(at, "prose", _said(said), tuple(_cells(said)), removed=True)
    escaped, heading, bullet = _ESCAPED.fullmatch(row), _HEADING.fullmatch(row), _BULLET.fullmatch(row)
    if heading and not escaped:
        return Entry(at, "heading", _said(heading[2]), (_said(heading[2]),), level=10.0 - len(heading[1]))
    if bullet and not escaped:
        return Entry(at, "bullet", _said(bullet[2]), (_said(bullet[2]),), indent=10.0 * len(bullet[1]))
    if not escaped and (_MARK.fullmatch(row) or bare.startswith("#")):
        raise UncleanText(f"{file}:{at}: {row!r} is a mark without text: {_FORM}")
    body = escaped[1] + escaped[2] if escaped else row
    if _BAR.search(body):
        return Entry(at, "row", " ".join(" | ".join(_cells(body)).split()), tuple(_cells(body)), table=table)
    return Entry(at, "prose", _said(body), (_said(body),), indent=10.0 * (len(body) - len(body.lstrip())))


def _said(text: str) -> str:
    """The text with single spaces, and without the backslashes of bars and backslashes."""
    return " ".join(re.sub(r"\\([\\|])", r"\1", text).split())


def _cells(text: str) -> Iterator[str]:
    """The texts between the bars that part cells."""
    start = 0
    for bar in _BAR.finditer(text):
        yield _said(text[start : bar.end() - 1])
        start = bar.end()
    yield _said(text[start:])


def _written(lines: Sequence[Line], line: Line) -> str:
    """One line of the file."""
    words = [word if word == "|" and line.kind == "row" else _escape(word) for word in line.text.split()]
    text = " ".join(words)
    if line.kind == "heading":
        return f"{'#' * _depth(lines, line)} {text}"
    if line.kind == "bullet":
        return f"{'  ' * (_depth(lines, line) - 1)}- {text}"
    return _unmarked(text) if line.kind == "row" else "  " * _inner(lines, line) + _unmarked(text)


def _inner(lines: Sequence[Line], line: Line) -> int:
    """How many steps a paragraph is indented: below an item by its depth, below a lead-in one more than that."""
    above = None if line.parent is None else lines[line.parent - 1]
    if above is None or above.kind not in ("bullet", "lead-in"):
        return 0
    return _depth(lines, above) if above.kind == "bullet" else _inner(lines, above) + 1


def _escape(word: str) -> str:
    return re.sub(r"([\\|])", r"\\\1", word)


def _unmarked(text: str) -> str:
    return f"\\{text}" if text.startswith(_NEEDS_ESCAPE) else text


def _depth(lines: Sequence[Line], line: Line) -> int:
    """How many lines of its own kind it hangs under, itself included."""
    depth, above = 1, line.parent
    while above is not None and lines[above - 1].kind == line.kind:
        depth, above = depth + 1, lines[above - 1].parent
    return depth


def _begins_table(lines: Sequence[Line], line: Line) -> bool:
    return line.kind == "row" and (line.parent is None or lines[line.parent - 1].kind != "row")


def _inside_tables(lines: Sequence[Line]) -> set[int]:
    """The numbers of the lines from behind the header of each table to its last row."""
    inside: set[int] = set()
    for line in lines:
        if line.kind == "row" and not _begins_table(lines, line):
            header = line
            while not _begins_table(lines, header):
                header = lines[(header.parent or 1) - 1]
            inside.update(range(header.number + 1, line.number + 1))
    return inside
