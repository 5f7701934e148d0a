"""The words of which none may be lost without being said: numbers, units, comparators and negations."""

import re

NEGATION = re.compile(
    r"\b(?:no|never|without|avoid|nor|neither|unless|except|contraindicated)\b|not\b|n['’]t\b", re.IGNORECASE
)
_SIGN = re.compile(r"[<>=≤≥±×÷%+~≈≠‰\u2212]")
_COMPARED = re.compile(
    r"(?:less|more|greater|fewer|higher|lower|above|below|least|most|exceed(?:s|ed|ing)?|max(?:imum)?|min(?:imum)?"
    r"|within|between)",
    re.IGNORECASE,
)
_UNIT = (
    r"(?:[kcmdnµμ]?g|mcg|micrograms?|milligrams?|grams?|kilograms?|nanograms?|[kcmdµμ]?[lL]|lit(?:re|er)s?|"
    r"millilit(?:re|er)s?|[kmnµμp]?mol|[kmnµμp]?M|micromol|mmHg|cmH2O|[kmh]?Pa|[mM]?[iI]?[uU]|units?|mEq|m?Osm|kcal|cal|"
    r"[kM]?J|°?[CF]|°|[ckmµμ]?m[²³23]?|min|mins|minutes?|h|hrs?|hours?|hourly|s|secs?|seconds?|days?|daily|weeks?|weekly|"
    r"months?|monthly|years?|yearly|dose|doses|tablets?|puffs?|drops?|bpm|Hz|Gy|[kmµμ]?V|J|bags?|ampoules?|vials?)"
)
AMOUNT = re.compile(rf"[<>≤≥]?\s?\d[\d.,–-]*\s?(?:{_UNIT}|%)(?!\w)")  # "≥ 5 mg", "10–20 minutes"
_MEASURED = re.compile(rf"{_UNIT}(?:[/·.]{_UNIT}|-1|⁻¹)*")
_EDGES = ".,;:()[]{}\"'“”‘’!?*"


def must_stay(word: str) -> bool:
    """Whether the word holds a number or a comparator, is a unit, or denies something."""
    bare = word.strip(_EDGES)
    return (
        any(letter.isnumeric() for letter in word)
        or _SIGN.search(word) is not None
        or NEGATION.search(word) is not None
        or _COMPARED.fullmatch(bare) is not None
        or _MEASURED.fullmatch(bare) is not None
    )
