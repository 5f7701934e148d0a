"""Quantities, and whether they are kept: "< 48 h" is not "> 48 h", 5 micrograms are not 5 mg, and 0.5 is not 5; our own."""

import re
from decimal import Decimal
from typing import NamedTuple

_SYMBOLS = {"<=": "≤", ">=": "≥", "⩽": "≤", "⩾": "≥", "~": "≈", "+/-": "±", "+/\u2212": "±"}
_WORDS = {
    "<": ("less than", "lower than", "fewer than", "below"),
    ">": ("more than", "greater than", "higher than", "above", "exceeds", "exceeding"),
    "≥": ("at least", "no less than", "not less than", "not lower than", "a minimum of", "minimum"),
    "≤": (
        "at most",
        "no more than",
        "not more than",
        "up to",
        "not exceed",
        "not exceeding",
        "a maximum of",
        "maximum",
    ),
    "≈": ("about", "approximately", "around"),
}
_AFTER = {
    "≥": ("or more", "or over", "or above", "or greater", "or higher", "and over", "and above"),
    "≤": ("or less", "or fewer", "or below", "or under", "or lower", "and under", "and below"),
}
_SPELLED = {
    "microgram": ("micrograms", "mcg", "µg", "μg", "ug"),
    "mg": ("milligram", "milligrams"),
    "g": ("gram", "grams"),
    "kg": ("kilogram", "kilograms"),
    "ng": ("nanogram", "nanograms", "nanog"),
    "mL": ("ml", "millilitre", "millilitres", "milliliter", "milliliters"),
    "L": ("l", "litre", "litres", "liter", "liters"),
    "dL": ("dl",),
    "µL": ("µl", "μl", "μL", "microlitre", "microlitres", "microliter", "microliters"),
    "mmol": ("millimole", "millimoles"),
    "µmol": ("μmol", "umol", "micromol", "micromole", "micromoles"),
    "unit": ("units", "U"),
    "iu": ("IU", "IUs"),
    "s": ("sec", "secs", "second", "seconds"),
    "min": ("mins", "minute", "minutes"),
    "h": ("hr", "hrs", "hour", "hours"),
    "day": ("days",),
    "week": ("weeks", "wk"),
    "month": ("months",),
    "year": ("years", "yr", "yrs", "y"),
    "time": ("times",),
    "dose": ("doses",),
    "tablet": ("tablets",),
    "puff": ("puffs",),
    "drop": ("drops",),
    "%": ("percent", "per cent"),
    "mmHg": ("mmhg",),
    "kPa": ("kpa",),
    "°C": ("C", "ºC", "℃", "degrees"),
    "hourly": (),
    "daily": (),
    "weekly": (),
    "monthly": (),
    "mol": (),
    "nmol": (),
    "pmol": (),
    "mEq": (),
    "mOsm": (),
    "cmH2O": (),
    "cm": (),
    "mm": (),
    "m": (),
    "m²": ("m2",),
    "bpm": (),
    "beats": (),
    "breaths": (),
    "kcal": (),
    "J": (),
    "mV": (),
    "Hz": (),
    "Gy": (),
}
_UNITS = {spelling: unit for unit, spellings in _SPELLED.items() for spelling in (unit, *spellings)}


def _any(words: object) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


_BEFORE = {word: sign for sign, words in _WORDS.items() for word in words}
_BEHIND = {word: sign for sign, words in _AFTER.items() for word in words}
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_POWER = r"\s?[×x]\s?10(?:[⁻⁺]?[⁰¹²³⁴-⁹]+|\^[-\u2212+]?\d+)"
_UNIT = rf"(?:{_any(_UNITS)})"
_QUANTITY = re.compile(
    rf"(?:(?P<sign><=|>=|\+/[-\u2212]|[<>≤≥⩽⩾=≈~±])\s?|\b(?P<word>{_any(_BEFORE)})\s+|\b(?P<between>between)\s+)?"
    rf"(?<![\w.,])(?P<first>{_NUMBER})(?![.,]?\d)(?P<power>{_POWER})?"
    rf"(?P<unit1>(?:\s?{_UNIT}(?![^\W\d]))?)"
    rf"(?:\s?(?:[–\u2014\u2212-]|\bto\b|(?(between)\band\b|(?!)))\s?(?P<last>{_NUMBER})(?![\w.,]*\d))?"
    rf"(?P<unit>(?:[\s-]?{_UNIT}(?![^\W\d]))?(?:\s?(?:/|\bper\b)\s?{_UNIT}(?![^\W\d]))*)"
    rf"(?:\s+(?P<after>{_any(_BEHIND)})\b)?"
)


class Quantity(NamedTuple):
    """A number or a range of them ("5-10"), with its comparator and its unit, "" where it has none."""

    comparator: str
    value: str
    unit: str


def quantities(text: str) -> frozenset[Quantity]:
    """The quantities of a text, spelled one way: "at least 65 years" and "≥65 yr" are the same, "0.50 mg" is "0.5 mg".

    Units are never converted: 0.5 mg and 500 micrograms differ, as they do for who draws them up. Numbers written as
    words are not seen.
    """
    return frozenset(
        _quantity(match) for match in _QUANTITY.finditer(text.replace("\u00a0", " ").replace("\u202f", " "))
    )


def kept(reference: str, answer: str) -> float | None:
    """The share of the reference's quantities that the answer has too; None if the reference has none."""
    wanted = quantities(reference)
    return len(wanted & quantities(answer)) / len(wanted) if wanted else None


def supported(claimed: str, source: str) -> float:
    """The share of the quantities in what was claimed that the source has too; 1 if there are none."""
    given = quantities(claimed)
    return len(given & quantities(source)) / len(given) if given else 1.0


def _quantity(match: "re.Match[str]") -> Quantity:
    sign = match["sign"]
    comparator = (
        _SYMBOLS.get(sign, sign)
        if sign
        else _BEFORE.get(match["word"] or "", "") or _BEHIND.get(match["after"] or "", "")
    )
    value = _plain(match["first"]) + re.sub(r"\s", "", match["power"] or "").replace("x", "×")
    first, unit = _unit(match["unit1"]), _unit(match["unit"])
    if not match["last"]:
        return Quantity(comparator, value, first + unit)
    low = f"{value} {first}" if first and first != unit else value
    return Quantity(comparator, f"{low}-{_plain(match['last'])}", unit)


def _plain(number: str) -> str:
    """Without separators of thousands and needless zeros; a comma before one or two digits is a decimal one."""
    plain = re.sub(r",(?=\d{3}(?!\d))", "", number).replace(",", ".")
    return format(Decimal(plain).normalize(), "f")


def _unit(text: str) -> str:
    parts = [part.strip(" -") for part in re.split(r"/|\bper\b", text)]
    return "/".join(_UNITS.get(part, part) for part in parts)
