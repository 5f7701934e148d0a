"""Illustrative clinical text, made up from a seed: sentences full of numbers, units and comparators."""

from random import Random

LABEL = "Illustrative, for software testing only, not for clinical use"
_DRUGS = (
    "adrenaline",
    "amiodarone",
    "calcium gluconate",
    "furosemide",
    "insulin",
    "labetalol",
    "lorazepam",
    "morphine",
)
_ROUTES = ("by slow injection", "by mouth", "into a large vein", "under the skin", "with a nebuliser")
_SIGNS = ("drowsiness", "chest pain", "a rash", "wheeze", "vomiting", "a weak pulse", "confusion", "fever")
_WHO = ("the registrar on call", "the renal team", "the outreach nurse", "the anaesthetist", "the duty pharmacist")
_FORMS = (
    "Give {drug} {n} mg {route} over {m} minutes if the potassium is ≥ {x} mmol/L.",
    "Check the glucose every {m} minutes and call {who} when it falls below {x} mmol/L.",
    "Infuse {n} mL of sodium chloride {y}% and reassess for {sign} after {m} minutes.",
    "Stop {drug} where the rate is < {n} beats/min or the patient has {sign}.",
    "Patients with {sign} need {drug} {n} micrograms {route}, repeated once after {m} minutes.",
    "Aim for a urine output of more than {y} mL/kg/h and a saturation of {p}–{q}%.",
    "Record {sign} and tell {who} within {m} minutes of the dose of {n} units.",
    "Keep the temperature between {x} °C and {z} °C until {sign} has settled.",
    "Reduce the dose of {drug} to {n} µg/kg when the creatinine is > {w} µmol/L.",
    "Ask {who} before giving {drug} to anybody with {sign} or a weight of ≤ {k} kg.",
)
_COUNTS = (
    "Ask {who} if the neutrophils are < {y} × 10⁹/L after {m} days.",
    "Reduce {drug} where the eGFR is {k} mL/min/1.73 m² or less.",
    "Keep SpO₂ ≥ {p}% and the pCO₂ below {x} kPa.",
    "Transfuse when the platelets fall below {n} × 10⁹/L or there is {sign}.",
    "A red count of {x} × 10¹²/L and a dose of {n} mg/m² are recorded for {sign}.",
    "Dilute {drug} to {y} × 10⁻³ mol/L before it is given {route}.",
)
_ITEMS = (
    "{sign} for more than {m} minutes",
    "{drug} {n} mg {route}",
    "a potassium of {x} mmol/L or more",
    "{sign} and {drug}",
)
_TITLES = (
    "Assessment of {sign}",
    "When to give {drug}",
    "Treatment with {drug}",
    "Patients who have {sign}",
    "Doses of {drug}",
)


class Text:
    """Makes up text; the same seed makes the same text."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def sentence(self, forms: tuple[str, ...] = _FORMS) -> str:
        """One sentence."""
        r = self._random
        return r.choice(forms).format(
            drug=r.choice(_DRUGS),
            route=r.choice(_ROUTES),
            sign=r.choice(_SIGNS),
            who=r.choice(_WHO),
            n=r.randrange(20, 990, 10),
            m=r.randrange(2, 90),
            x=r.randrange(20, 90) / 10,
            y=r.randrange(1, 19) / 10,
            z=r.randrange(360, 385) / 10,
            p=r.randrange(86, 90),
            q=r.randrange(91, 98),
            w=r.randrange(100, 400),
            k=r.randrange(15, 60),
        )

    def prose(self, sentences: int = 4) -> str:
        """A paragraph."""
        return " ".join(self.sentence() for _ in range(sentences))

    def count(self) -> str:
        """A sentence with a power of ten, a square or an index."""
        return self.sentence(_COUNTS)

    def item(self) -> str:
        """An item of a list, without a full stop."""
        return self.sentence(_ITEMS)

    def title(self) -> str:
        """A heading."""
        return self.sentence(_TITLES)

    def drug(self) -> str:
        """The name of a medicine."""
        return self._random.choice(_DRUGS).capitalize()

    def dose(self) -> str:
        """A dose."""
        return f"{self._random.randrange(20, 990, 10)} {self._random.choice(('mg', 'mL', 'micrograms', 'units'))}"
