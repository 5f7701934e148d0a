"""A guideline of ten lines, with everything that can go wrong in a small space."""

import pytest

from tasks.answer import Context, full_context
from tasks.records import Line, Section, Sentence

TEXTS = [
    ("heading", "Adrenaline", None),
    ("prose", "Give adrenaline 500 micrograms IM. Repeat after 5 minutes if there is no response.", 1),
    ("lead-in", "Do not give:", 1),
    ("bullet", "IV bolus adrenaline outside cardiac arrest", 3),
    ("bullet", "antihistamines as first-line treatment", 3),
    ("prose", "Aim for potassium < 6.0 mmol/L and pre-treatment glucose ≥ 7.0 mmol/L.", 1),
    ("heading", "Monitoring", None),
    ("prose", "Monitor the ECG.", 7),
    ("prose", "Monitor the ECG for 6–12 hours.", 7),
    ("row", "Salbutamol | 10–20 mg | Nebulised", 7),
]


@pytest.fixture
def context() -> Context:
    lines = [
        Line(guideline="g", number=i, text=text, kind=kind, parent=parent, paragraph=i, places=())  # type: ignore[arg-type]
        for i, (kind, text, parent) in enumerate(TEXTS, 1)
    ]
    pieces = [(line.number, part) for line in lines for part in line.text.replace("IM. ", "IM.\0").split("\0")]
    sentences = [Sentence(guideline="g", number=i, line=line, text=text) for i, (line, text) in enumerate(pieces, 1)]
    sections = [
        Section(
            guideline="g", section_id="P2-S1", title="Dose", question="Which dose?", text=sentences[1].text, lines=(2,)
        ),
        Section(guideline="g", section_id="P3-S1", title="Avoid", question="What not?", text=TEXTS[4][1], lines=(5,)),
    ]
    return full_context("Anaphylaxis", lines, sentences, sections)
