"""Markdown and plain text: kinds as the format has them, text to the letter, and refusals where it would change."""

import pytest

from tasks.errors import UncleanText, UnreadableText
from tasks.extract.markdown import read_markdown
from tasks.extract.pageless import Parsed
from tasks.extract.plain_text import read_text
from tasks.records import Line
from tasks.validate import check, clean, numbered


def _lines(parsed: Parsed) -> list[Line]:
    """The lines, after the gate found nothing lost and nothing new."""
    cleaned = clean("g", parsed.words, b"", None, form="md", blocks=parsed.blocks, removed=parsed.removals)
    assert check(parsed.words, cleaned.lines, cleaned.removals, 0.1).failures == []
    text = numbered(cleaned, None)
    assert "None" not in text and "p.0" not in text and cleaned.document.pages == 0
    return cleaned.lines


def _markdown(text: str) -> list[tuple[str, str, int | None]]:
    return [(line.kind, line.text, line.parent) for line in _lines(read_markdown("g", "g.md", text.encode()))]


def _text(text: str) -> list[tuple[str, str, int | None]]:
    return [(line.kind, line.text, line.parent) for line in _lines(read_text("g", "g.txt", text.encode()))]


MARKDOWN = """# Hyperkalaemia

Dose
----
If K⁺ is **≥ 6.5 mmol/L**, give *10 mL* of
calcium gluconate 10 %.

Do not give:

- calcium with bicarbonate
    + not even IV

  It forms crystals.
3. Repeat after 5 minutes

| Drug | Dose |
|------|-----:|
| Insulin | 10 units |
"""


def test_markdown_keeps_kinds_and_parents() -> None:
    assert _markdown(MARKDOWN) == [
        ("heading", "Hyperkalaemia", None),
        ("heading", "Dose", 1),
        ("prose", "If K⁺ is ≥ 6.5 mmol/L, give 10 mL of calcium gluconate 10 %.", 2),
        ("lead-in", "Do not give:", 2),
        ("bullet", "calcium with bicarbonate", 4),
        ("bullet", "not even IV", 5),
        ("prose", "It forms crystals.", 5),
        ("bullet", "3. Repeat after 5 minutes", 4),
        ("row", "Drug | Dose", 2),
        ("row", "Insulin | 10 units", 9),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pH \\< 7.3 or \\> 7.5 and &ge; 5", "pH < 7.3 or > 7.5 and ≥ 5"),
        ("WCC 4 × 10<sup>9</sup>/L, CO<sub>2</sub>", "WCC 4 × 10⁹/L, CO2"),
        ("Give 5 mg<br>Repeat", "Give 5 mg Repeat"),
        ("K < 3.5 and Na > 150", "K < 3.5 and Na > 150"),
        ("a <!-- 50 mg --> b", "a b"),
        ("See [the BNF](https://bnf.example/5)", "See the BNF"),
        ("    Give 5 mg", "Give 5 mg"),
        ("> Note: give 5 mg", "Note: give 5 mg"),
    ],
)
def test_markdown_is_read_as_it_is_shown(text: str, shown: str) -> None:
    assert [line for _, line, _ in _markdown(text)] == [shown]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("# Age\n\n> 65 years: give 5 mg", r"'g.md':3: in Markdown, the '>' of '> 65 years"),
        ("- > 65 years", "write '"),
        ("Give ~~50~~ 5 mg", "struck through"),
        ("<table><tr><td>5 mg</td></tr></table>", "HTML"),
        ("K <ULN and Na >150", "HTML"),
        ("[^1]: Contraindicated", "footnote"),
        ("", "is empty"),
    ],
)
def test_markdown_that_would_change_is_refused(text: str, what: str) -> None:
    with pytest.raises(UnreadableText, match=what):
        read_markdown("g", "g.md", text.encode())


def test_a_product_that_markdown_would_set_in_italics_does_not_pass_the_gate() -> None:
    parsed = read_markdown("g", "g.md", b"Give 2*3*4 mg")
    cleaned = clean("g", parsed.words, b"", None, form="md", blocks=parsed.blocks, removed=parsed.removals)
    assert any("every number of the PDF" in item for item in check(parsed.words, cleaned.lines, [], 0.1).failures)


TEXT = """ANAPHYLAXIS
===========

Give adrenaline 500 micrograms IM into the middle of the outer thigh, and
repeat after 5 minutes if BP < 90 mmHg.
Call 2222.

Do not give:
- antihistamines
  - not even IV
1. steroids

Drug\tDose
Oxygen\t15 L/min
"""


def test_plain_text_keeps_kinds_and_parents() -> None:
    assert _text(TEXT) == [
        ("heading", "ANAPHYLAXIS", None),
        (
            "prose",
            "Give adrenaline 500 micrograms IM into the middle of the outer thigh, and repeat after 5 minutes if BP < 90 mmHg.",
            1,
        ),
        ("prose", "Call 2222.", 1),
        ("lead-in", "Do not give:", 1),
        ("bullet", "antihistamines", 4),
        ("bullet", "not even IV", 5),
        ("bullet", "1. steroids", 4),
        ("row", "Drug | Dose", 1),
        ("row", "Oxygen | 15 L/min", 8),
    ]


def test_a_comparator_at_the_start_of_a_plain_line_stays() -> None:
    assert [text for _, text, _ in _text("> 65 years: 5 mg\n< 18 years: none\n+ 3 mL\n")] == [
        "> 65 years: 5 mg",
        "< 18 years: none",
        "+ 3 mL",
    ]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"38 \xb0C", r"'g.txt' is not UTF-8 \(byte 3 is b'\\xb0'\)"),
        (b"a\n\x00b", r"'g.txt':2 holds '\\x00'"),
        (b"  \n", "is empty"),
        ("38 \ufffdC".encode(), "no text"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, what: str) -> None:
    with pytest.raises(UnreadableText, match=what):
        read_text("g", "g.txt", data)


@pytest.mark.parametrize("coding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_with_its_mark_is_read(coding: str) -> None:
    assert [block.text for block in read_text("g", "g.txt", "≥ 38 °C\r\n".encode(coding)).blocks] == ["≥ 38 °C"]


def test_hand_cleaned_text_of_a_source_without_pages_is_refused_for_the_source_can_be_corrected_itself() -> None:
    parsed = read_text("g", "g.txt", b"Give 5 mg.\nPrinted 2024.\n")
    with pytest.raises(UncleanText, match=r"data/clean/d/g\.txt: only PDFs are cleaned by hand: correct g\.txt itself"):
        clean("g", parsed.words, b"", "Give 5 mg.\n", "data/clean/d/g.txt", form="txt", blocks=parsed.blocks)


def test_what_a_reader_would_lose_does_not_pass_the_gate() -> None:
    parsed = read_text("g", "g.txt", b"Give 5 mg.\nNever give 50 mg.\n")
    cleaned = clean("g", parsed.words, b"", None, form="txt", blocks=parsed.blocks[:1])
    assert len(check(parsed.words, cleaned.lines, [], 0.1).failures) >= 3
