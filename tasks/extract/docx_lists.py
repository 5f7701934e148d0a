"""The labels that Word writes before the items of its lists and its numbered headings, and the file does not hold."""

from collections.abc import Iterable, Mapping
from typing import Any

from tasks.errors import UnreadableText
from tasks.extract.docx_names import W

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


class Labels:
    """Counts the items of the lists of one document, in its order."""

    def __init__(self, name: str, part: Any, styles: Mapping[str, Any]) -> None:
        self._name, self._styles = name, styles
        numbers = part.findall(W + "num") if part is not None else []
        abstracts = part.findall(W + "abstractNum") if part is not None else []
        self._numbers = {item.get(W + "numId"): item for item in numbers}
        self._abstracts = {item.get(W + "abstractNumId"): item for item in abstracts}
        self._counts: dict[str, dict[int, int]] = {}

    def label(self, paragraph: Any, style: Iterable[Any]) -> tuple[str, int | None]:
        """The label of a paragraph (empty for a bullet), and its depth from 0; None if it is in no list."""
        number, depth = self._place(paragraph, style)
        if number is None or number == "0" or number not in self._numbers:
            return "", None
        key, levels, starts = self._levels(number)
        if depth not in levels:
            return "", depth
        counts = self._counts.setdefault(key, {})
        counts[depth] = counts[depth] + 1 if depth in counts else starts.get(depth, _start(levels[depth]))
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        return self._written(levels, counts, depth), depth

    def _place(self, paragraph: Any, style: Iterable[Any]) -> tuple[str | None, int]:
        """The list and the depth, which a style may give separately from the paragraph."""
        number = depth = None
        for holder in (paragraph, *style):
            found = holder.find(f"{W}pPr/{W}numPr")
            if found is not None:
                number = number or _value(found, "numId")
                depth = depth or _value(found, "ilvl")
        return number, int(depth or 0)

    def _levels(self, number: str) -> tuple[str, dict[int, Any], dict[int, int]]:
        """What counts together, the levels of a list, and where it starts anew."""
        item = self._numbers[number]
        abstract = self._abstracts.get(_value(item, "abstractNumId") or "")
        link = _value(abstract, "numStyleLink") if abstract is not None else None
        if link:
            abstract = next(
                (other for other in self._abstracts.values() if _value(other, "styleLink") == link), abstract
            )
        levels = {} if abstract is None else {int(lvl.get(W + "ilvl")): lvl for lvl in abstract.findall(W + "lvl")}
        starts: dict[int, int] = {}
        for override in item.findall(W + "lvlOverride"):
            depth = int(override.get(W + "ilvl"))
            if (start := _value(override, "startOverride")) is not None:
                starts[depth] = int(start)
            if (own := override.find(W + "lvl")) is not None:
                levels = levels | {depth: own}
        key = f"num {number}" if starts or abstract is None else f"abstract {abstract.get(W + 'abstractNumId')}"
        return key, levels, starts

    def _written(self, levels: Mapping[int, Any], counts: Mapping[int, int], depth: int) -> str:
        form = _value(levels[depth], "numFmt") or "decimal"
        text = _value(levels[depth], "lvlText") or ""
        if form in ("bullet", "none"):
            return ""
        legal = levels[depth].find(W + "isLgl") is not None
        for level in range(depth + 1):
            if f"%{level + 1}" in text:
                own = "decimal" if legal else _value(levels[level], "numFmt") or "decimal"
                count = counts.get(level, _start(levels[level]))
                text = text.replace(f"%{level + 1}", self._number(own, count))
        return " ".join(text.split())

    def _number(self, form: str, count: int) -> str:
        if form == "decimal":
            return str(count)
        if form == "decimalZero":
            return f"{count:02}"
        if form in ("lowerLetter", "upperLetter"):
            letter = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
            return letter if form == "lowerLetter" else letter.upper()
        if form in ("lowerRoman", "upperRoman"):
            return _roman(count) if form == "lowerRoman" else _roman(count).upper()
        raise UnreadableText(
            f"{self._name!r} numbers a list as {form!r}, which is not known here: number it 1, a or i, or as text"
        )


def _value(node: Any, name: str) -> str | None:
    found = node.find(W + name)
    return None if found is None else found.get(W + "val")


def _start(level: Any) -> int:
    return int(_value(level, "start") or 1)


def _roman(count: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        text += sign * (count // value)
        count %= value
    return text
