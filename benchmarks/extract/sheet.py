"""A document on its way: Typst markup and the truth about its lines, written side by side."""

import json
import re
from collections.abc import Callable, Sequence

from benchmarks.extract.truth import Truth
from benchmarks.extract.words import LABEL, Text

PAGES = 20
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789−", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_HEAD = """
#set page(paper: "a4", margin: (x: 22mm, y: 26mm), footer: context [%s #h(1fr) #counter(page).display()])
#set text(size: 10.5pt, lang: "en", region: "GB", hyphenate: false)
#set par(leading: 0.65em, spacing: 1.2em)
#set list(marker: [•])
#show heading.where(level: 1): set text(size: 14pt)
#show heading.where(level: 2): set text(size: 12pt)
#show table.cell.where(y: 0): set text(weight: "bold")
"""
Style = (
    str  # "as it is": as the characters of Unicode; "drawn": small and raised; "glyph": the font's own raised glyphs
)


class Sheet:
    """Typst source with its truth. `style` says how superscripts are set."""

    def __init__(self, seed: int, style: Style = "as it is") -> None:
        self.truth = Truth()
        self.text = Text(seed)
        self._source = [_HEAD % LABEL]
        self._style = style

    @property
    def source(self) -> bytes:
        """The Typst source."""
        return "\n".join(self._source).encode()

    def raw(self, markup: str) -> None:
        """Markup that is no text of the document."""
        self._source.append(markup)

    def heading(self, text: str, level: int = 1) -> str:
        """A heading."""
        self.raw(f"#heading(level: {level}, {self.set(text)})")
        return self.truth.heading(text, level)

    def prose(self, text: str) -> str:
        """A paragraph."""
        self.raw(f"\n{self.markup(text)}\n")
        return self.truth.prose(text)

    def items(self, lead: str, items: Sequence[str | tuple[str, Sequence[str]]], numbered: bool = False) -> None:
        """A lead-in with its items; (item, items of it) is a nested list."""
        self.raw(f"\n{self.markup(lead)}\n")
        parent = self.truth.add(lead, "lead-in")
        parts = []
        for i, item in enumerate(items, 1):
            text, inner = (item, ()) if isinstance(item, str) else item
            said = self.truth.add(f"{i}. {text}" if numbered else text, "bullet", parent)
            for below in inner:
                self.truth.add(below, "bullet", said)
            nested = f" + list({','.join(self.set(below) for below in inner)})" if inner else ""
            parts.append(self.set(text) + nested)
        self.raw(f"#{'enum' if numbered else 'list'}({','.join(parts)})")

    def table(self, rows: Sequence[Sequence[str]], columns: str, options: str = "") -> None:
        """A table whose first row is its header."""
        header, *others = rows
        cells = ",".join(self.set(cell) for row in others for cell in row)
        heads = ",".join(self.set(cell) for cell in header)
        self.raw(f"#table(columns: {columns}, {options} table.header({heads}), {cells})")
        parent = self.truth.add(" | ".join(header), "row")
        for row in others:
            self.truth.add(" | ".join(row), "row", parent)

    def set(self, text: str) -> str:
        """The text as Typst content, in code."""
        return f"[{self.markup(text)}]"

    def markup(self, text: str) -> str:
        """The text as Typst markup."""
        if self._style == "as it is":
            return _quoted(text)
        option = "typographic: false" if self._style == "drawn" else "typographic: true"
        parts = re.split("([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|[₀-₉]+)", text)
        return "".join(_script(part, option) if part[:1] in {*_RAISED, *_LOWERED} else _quoted(part) for part in parts)

    def pages(self, fill: Callable[["Sheet"], None]) -> "Sheet":
        """Every page filled alike, with other text."""
        for page in range(PAGES):
            if page:
                self.raw("#pagebreak(weak: true)")
            fill(self)
        return self


def _quoted(text: str) -> str:
    return f"#{json.dumps(text, ensure_ascii=False)}" if text else ""


def _script(text: str, option: str) -> str:
    what = "super" if text[0] in _RAISED else "sub"
    return f"#{what}({option})[{''.join((_RAISED | _LOWERED)[letter] for letter in text)}]"
