"""Fonts that do not say which letters they draw, and letters that are drawn twice, never become text."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

from tasks.backends.pdftotext import Pdftotext
from tasks.errors import UnreadablePdf
from tasks.extract import document_words
from tasks.extract.letters import DOUBLE, check_letters, without_doubles
from tasks.records import Word

Make = Callable[..., Path]
ENGLISH = (
    "Give adrenaline 500 micrograms IM into the middle of the outer thigh as soon as anaphylaxis is recognised. "
    "Do not give antihistamines first. Repeat every five minutes while blood pressure remains below 90 mmHg."
)


def _words(text: str, *, ocr: bool = False) -> list[Word]:
    return [
        Word(guideline="g", page=1, block=1, line=1, text=part, box=(10.0 * i, 0, 10.0 * i + 8, 10), ocr=ocr)
        for i, part in enumerate(text.split())
    ]


def _shifted(text: str, by: int) -> str:
    return "".join(sign if sign.isspace() else chr(ord(sign) - by) for sign in text if sign.isspace() or sign.isalpha())


def test_glyph_numbers_taken_for_letters_are_refused() -> None:
    assert _shifted("Give adrenaline", 29) == "*LYH DGUHQDOLQH"
    with pytest.raises(UnreadablePdf, match="no vowel"):
        check_letters("a.pdf", _words(_shifted(ENGLISH, 29)))


def test_control_characters_for_letters_are_refused() -> None:
    with pytest.raises(UnreadablePdf, match="without a meaning"):
        check_letters("a.pdf", _words("Gi\ufffde 5 \ufffdg \ufffd\ufffdw \ufffdnd wait for one minute"))


def test_numbers_of_glyphs_are_refused() -> None:
    with pytest.raises(UnreadablePdf, match="numbers of glyphs"):
        check_letters("a.pdf", _words("(cid:42)(cid:76) (cid:89) (cid:72) mg"))


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "5 mg",
        "BP < 90 mmHg: 10 mL/kg NaCl 0.9 % IV TDS",
        "kg mg mL 10 50 0.5 20 100 1.0 30 150 1.5 40 200 2.0 NSTEMI STEMI ECG SpO2 PCO2 mmol/L",
        "Čtvrtý stupeň: podejte čtvrt tablety; zmrzlina, smrt, prst, vlk a krk nejsou překlepy.",
        "Gwrthwynebwyr y cwmwl: rhowch 5 mg bob dydd, a pheidiwch â rhoi mwy.",
        "احسب الجرعة 5 ملغ كل يوم",
        "תן 5 מג כל יום",
        "每日一次，每次 5 mg，饭后服用。试试看看",
        "\uf0b7 Give oxygen \uf0b7 Give fluids \uf0b7 Call for help now",
    ],
)
def test_languages_tables_and_short_cards_pass(text: str) -> None:
    check_letters("a.pdf", _words(text))


def test_ocr_is_not_judged_as_a_font() -> None:
    check_letters("a.pdf", _words(_shifted(ENGLISH, 29), ocr=True))


def test_a_subset_font_without_its_letters_is_refused(tmp_path: Path) -> None:
    import typst

    (tmp_path / "a.typ").write_text(f"= Anaphylaxis\n{ENGLISH}\n", encoding="utf-8")
    typst.compile(str(tmp_path / "a.typ"), output=str(tmp_path / "whole.pdf"))
    with pikepdf.open(tmp_path / "whole.pdf") as pdf:
        for item in pdf.objects:
            if isinstance(item, pikepdf.Dictionary) and "/ToUnicode" in item:
                del item["/ToUnicode"]
        pdf.save(tmp_path / "a.pdf")
    assert "adrenaline" in [word.text for word in document_words(Pdftotext(60), tmp_path / "whole.pdf").words]
    with pytest.raises(UnreadablePdf, match="do not say which letters"):
        document_words(Pdftotext(60), tmp_path / "a.pdf")


def _bold(path: Path, text: str, shift: float, *, by_letter: bool) -> Path:
    canvas = Canvas(str(path))
    canvas.setFont("Helvetica", 12)
    x = 72.0
    for piece in text if by_letter else [text]:
        for by in (0.0, shift):
            canvas.drawString(x + by, 700, piece)
        x += canvas.stringWidth(piece, "Helvetica", 12)
    canvas.save()
    return path


@pytest.mark.parametrize("shift", [0.3, 1.0, 1.3, 1.6, 2.0])
def test_words_drawn_twice_are_there_once_and_recorded(tmp_path: Path, shift: float) -> None:
    parsed = document_words(
        Pdftotext(60), _bold(tmp_path / "a.pdf", "Give adrenaline 500 mg now", shift, by_letter=False)
    )
    assert sorted(word.text for word in parsed.words) == sorted("Give adrenaline 500 mg now".split())
    assert {item.rule for item in parsed.removals} <= {DOUBLE}
    assert len(parsed.removals) == (5 if shift > 1.2 else 0)


@pytest.mark.parametrize("shift", [1.3, 2.0])
def test_letters_drawn_twice_are_refused(tmp_path: Path, shift: float) -> None:
    with pytest.raises(UnreadablePdf, match="every letter twice"):
        document_words(Pdftotext(60), _bold(tmp_path / "a.pdf", "Give adrenaline 500 mg now", shift, by_letter=True))


def _at(text: str, *box: float) -> Word:
    return Word(guideline="g", page=1, block=1, line=1, text=text, box=(box[0], box[1], box[2], box[3]))


@pytest.mark.parametrize(
    "words",
    [
        [_at("l", 10, 0, 12.4, 12), _at("l", 12.4, 0, 14.8, 12)],  # two letters side by side
        [_at("5", 10, 0, 16, 12), _at("5", 10, 14, 16, 26)],  # two rows
        [_at("1", 30, 0, 33, 6), _at("10", 10, 0, 31, 12)],  # a raised 1 that touches a number
        [_at("5", 10, 0, 16, 12), _at("50", 10, 1, 22, 13)],  # another number over it
    ],
)
def test_what_is_not_drawn_twice_stays(words: Sequence[Word]) -> None:
    assert without_doubles(words) == (words, [])
