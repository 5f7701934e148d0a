"""The names of Word's XML, and what its symbol fonts show for a character: a "³" in the font Symbol is "≥"."""

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"

_SAME = {code: chr(code) for code in [*range(0x30, 0x3B), *map(ord, " !%()+,./;<=>?[]{|}")]}
_SYMBOL = _SAME | {
    0x2D: "−", 0x6D: "μ", 0x61: "α", 0x62: "β", 0x67: "γ", 0x64: "δ", 0x44: "Δ", 0x57: "Ω", 0x70: "π", 0x73: "σ",
    0xA3: "≤", 0xB3: "≥", 0xB1: "±", 0xB4: "×", 0xB0: "°", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈",
    0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xD7: "⋅", 0xD6: "√",
}  # fmt: skip
_WINGDINGS = {
    0x6C: "●", 0x6E: "■", 0x6F: "□", 0x71: "□", 0x76: "❖", 0xA7: "▪", 0xA8: "□", 0xD8: "➢", 0xE0: "→", 0xE8: "→",
    0xDF: "←", 0xE1: "↑", 0xE2: "↓", 0xF0: "⇒", 0xFC: "✓", 0xFB: "✗", 0xFE: "☑", 0xFD: "☒", 0x20: " ",
}  # fmt: skip
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS}
_OTHERS = ("wingdings 2", "wingdings 3", "webdings", "mt extra")


def local(node: Any) -> str:
    """The name of an element without its namespace; empty for a comment or processing instruction."""
    return str(node.tag).rpartition("}")[2] if isinstance(node.tag, str) else ""


def symbols(font: str, text: str) -> str | None:
    """What `text` shows in `font`; itself in a font of letters; None where a sign of a symbol font is not known."""
    table = _FONTS.get(font.lower())
    if table is None:
        private = any("\uf000" <= sign <= "\uf0ff" for sign in text)
        return None if (font.lower() in _OTHERS and text.strip()) or private else text
    shown = [table.get(_code(sign)) if ord(sign) < 0x100 or 0xF000 <= ord(sign) < 0xF100 else sign for sign in text]
    return None if None in shown else "".join(sign for sign in shown if sign is not None)


def _code(sign: str) -> int:
    return ord(sign) & 0xFF
