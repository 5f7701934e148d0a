"""Hand-cleaned text must stand in the PDF, and what matters of the PDF must stand in it, or be removed by name."""

import re
from functools import cache
from pathlib import Path

import pytest
import typst
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.backends.pdftotext import Pdftotext
from tasks.errors import UncleanText
from tasks.records import Line, Place, Word
from tasks.validate import Cleaned, clean, hand_text, version_of
from tasks.validate.hand import hand_lines, read_hand
from tasks.validate.structure import Draft, lead_ins, number
from tasks.vital import must_stay

ROOT = Path(__file__).resolve().parents[2]
HEAD = f"% made from {version_of(b'')}\n"


def _page(
    *rows: str, page: int = 1, x: float = 50.0, block: int = 1, top: float = 100.0, pitch: float = 14.0
) -> list[Word]:
    """Words of rows one below the other, of one block of a page; they are 12 points high."""
    return [
        Word(
            guideline="g",
            page=page,
            block=block,
            line=n,
            text=text,
            box=(x + 40 * i, top + pitch * n, x + 40 * i + 36, top + pitch * n + 12),
        )
        for n, row in enumerate(rows, 1)
        for i, text in enumerate(row.split(" "))
    ]


def _clean(words: list[Word], text: str) -> Cleaned:
    return clean("g", words, b"", HEAD + text, "data/clean/d/g.txt")


def _refused(words: list[Word], text: str) -> str:
    with pytest.raises(UncleanText) as error:
        _clean(words, text)
    return str(error.value)


DOSE = _page("Give adrenaline 500", "micrograms IM. Do not", "wait for the ward")


def test_a_line_has_the_box_of_its_words_over_several_rows() -> None:
    lines = _clean(DOSE, "Give adrenaline 500 micrograms IM.\nDo not wait for the ward").lines
    assert lines[0].places == (Place(page=1, box=(50.0, 114.0, 166.0, 140.0)),)
    assert lines[1].places == (Place(page=1, box=(50.0, 128.0, 206.0, 154.0)),)


def test_a_line_with_another_number_is_refused_beside_the_nearest_text_of_the_pdf() -> None:
    said = _refused(DOSE, "Give adrenaline 50 micrograms IM.\nDo not wait for the ward")
    assert "data/clean/d/g.txt:2: these words do not stand like this in the PDF" in said
    assert "the file        | Give adrenaline 50 micrograms IM.\n" in said
    assert said.endswith("the PDF, page 1 | Give adrenaline 500 micrograms IM.")  # and not once more as lost words


@pytest.mark.parametrize("text", ["Do wait for the ward", "do not wait for the ward", "Do not wait for the new ward"])
def test_a_word_that_is_skipped_written_otherwise_or_added_is_refused(text: str) -> None:
    assert "g.txt:3: these words do not stand" in _refused(DOSE, f"Give adrenaline 500 micrograms IM.\n{text}")


def test_a_number_in_no_line_is_refused_with_both_texts() -> None:
    words = [*DOSE, *_page("Repeat 0.5 mg once", block=2, top=200)]
    said = _refused(words, "Give adrenaline 500 micrograms IM.\nDo not wait for the ward")
    assert "'0.5', 'mg' of page 1 is in no line" in said and "[removed] Repeat 0.5 mg once" in said
    assert "the PDF, page 1      | Repeat 0.5 mg once\n" in said
    assert said.endswith("data/clean/d/g.txt:3 | Do not wait for the ward")


def test_what_is_removed_by_name_passes_and_is_recorded_with_its_place() -> None:
    words = [*DOSE, *_page("Repeat 0.5 mg once", block=2, top=200)]
    text = "Give adrenaline 500 micrograms IM.\nDo not wait for the ward\n[removed] Repeat 0.5 mg once"
    (removal,) = _clean(words, text).removals
    assert (removal.rule, removal.text, removal.page) == ("removed by hand", "Repeat 0.5 mg once", 1)
    assert removal.box == (50.0, 214.0, 206.0, 226.0)


def test_what_is_removed_must_stand_in_the_pdf() -> None:
    text = "Give adrenaline 500 micrograms IM.\nDo not wait for the ward\n[removed] Repeat 5 mg"
    assert "g.txt:4: these words do not stand" in _refused(DOSE, text)


def test_words_that_do_not_matter_may_be_left_out_and_are_recorded() -> None:
    words = [*DOSE, *_page("Printed by the unit", block=2, top=200)]
    (removal,) = _clean(words[:-1], "Give adrenaline 500 micrograms IM.\nDo not wait for the ward").removals
    assert (removal.rule, removal.text) == ("not in the hand-cleaned text", "Printed by the")


def test_words_removed_by_name_in_mid_sentence_join_what_is_left() -> None:
    words = _page("Give adrenaline Version 2", "500 micrograms IM.")
    lines = _clean(words, "Give adrenaline 500 micrograms IM.\n[removed] Version 2").lines
    assert [line.text for line in lines] == ["Give adrenaline 500 micrograms IM."]
    assert "do not stand like this" in _refused(words, "Give adrenaline 500 micrograms IM.")


def test_a_sentence_goes_on_on_the_next_page_behind_a_footnote() -> None:
    words = [*_page("Give adrenaline"), *_page("1 See appendix 4", block=2, top=700), *_page("500 mg IM.", page=2)]
    lines = _clean(words, "Give adrenaline 500 mg IM.\n1 See appendix 4").lines
    assert [place.page for place in lines[0].places] == [1, 2]


@pytest.mark.parametrize("written", ["intramuscular", "intra-muscular"])
def test_a_word_broken_at_the_end_of_a_row_may_be_made_whole(written: str) -> None:
    assert _clean(_page("Give it intra-", "muscular now"), f"Give it {written} now").lines[0].page == 1


def test_a_hyphen_beside_a_digit_and_inside_a_row_stays() -> None:
    assert _clean(_page("Take a 12-", "lead ECG"), "Take a 12-lead ECG").lines
    assert "do not stand" in _refused(_page("Take a 12-", "lead ECG"), "Take a 12lead ECG")
    assert "do not stand" in _refused(_page("a non- steroidal"), "a nonsteroidal")


def test_ligatures_soft_hyphens_odd_spaces_and_glyphs_are_read_plainly() -> None:
    words = _page("\u2022 su\ufb03cient\u00a05", "mg intra\u00ad", "venous")
    assert [line.text for line in _clean(words, "- sufficient 5 mg intravenous").lines] == [
        "sufficient 5 mg intravenous"
    ]


@pytest.mark.parametrize("pitch", [10.0, 14.0])
def test_cells_are_put_together_at_one_height_only(pitch: float) -> None:
    table = [
        *_page("Aspirin", "Clopidogrel", pitch=pitch),
        *_page("300 mg", "600 mg", block=2, x=250, pitch=pitch),
    ]
    assert [line.text for line in _clean(table, "Aspirin | 300 mg\nClopidogrel | 600 mg").lines] == [
        "Aspirin | 300 mg",
        "Clopidogrel | 600 mg",
    ]
    said = _refused(table, "Aspirin | 600 mg\nClopidogrel | 300 mg")
    assert "g.txt:2: these words do not stand" in said and "g.txt:3: these words do not stand" in said
    assert "g.txt:2: these words do not stand" in _refused(table, "Aspirin 600 mg\nClopidogrel 300 mg")


def test_what_a_rule_removed_may_be_put_back() -> None:
    words = [
        word
        for page in (1, 2, 3)
        for word in _page("Version 2", *(f"Word{page}{i} here" for i in range(30)), page=page)
    ]
    automatic = clean("g", words, b"", None)
    assert {item.rule for item in automatic.removals} == {"running head or foot"}
    text = hand_text(automatic.lines, version_of(b"")).removeprefix(HEAD)
    back = _clean(words, f"Version 2\n{text}")
    assert back.lines[0].text == "Version 2" and len(back.removals) == 2


@pytest.mark.parametrize(
    "word", ["0.5", "mg", "mL/h", "≥", "<5", "½", "10⁹/L", "not", "don’t", "Never,", "minutes.", "less", "−"]
)
def test_numbers_units_comparators_and_negations_must_stay(word: str) -> None:
    assert must_stay(word)


@pytest.mark.parametrize("word", ["Give", "adrenaline", "the", "nose", "note", "graph", "–", "•"])
def test_other_words_need_not_stay(word: str) -> None:
    assert not must_stay(word)


def test_a_line_that_stands_once_in_the_pdf_cannot_be_written_twice() -> None:
    text = "Give adrenaline 500 micrograms IM.\nDo not wait for the ward\nGive adrenaline 500 micrograms IM."
    assert "line 2 of the file has them already" in _refused(DOSE, text)


def test_a_text_of_another_pdf_or_of_none_is_refused_with_the_next_step() -> None:
    with pytest.raises(UncleanText, match=r"was made from another PDF.*--check"):
        clean("g", DOSE, b"new", HEAD + "Give adrenaline 500 micrograms IM.\nDo not wait for the ward")
    with pytest.raises(UncleanText, match=f"% made from {version_of(b'new')}"):
        clean("g", DOSE, b"new", "Give adrenaline 500 micrograms IM.\nDo not wait for the ward")


@cache
def _anaphylaxis() -> tuple[list[Word], str]:
    words = Pdftotext(60).read(ROOT / "data/raw/demo/guidelines/anaphylaxis.pdf")
    return words, hand_text(clean("anaphylaxis", words, b"", None).lines, version_of(b""))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_no_number_unit_comparator_or_negation_can_be_dropped(data: st.DataObject) -> None:
    words, text = _anaphylaxis()
    places = [match for match in re.finditer(r"[^\s|]+", text) if match.start() > len(HEAD) and must_stay(match[0])]
    dropped = data.draw(st.sampled_from(places))
    with pytest.raises(UncleanText):
        clean("anaphylaxis", words, b"", text[: dropped.start()] + text[dropped.end() :])


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_no_line_can_lose_what_matters_with_the_whole_of_it(data: st.DataObject) -> None:
    words, text = _anaphylaxis()
    rows = text.splitlines()
    at = data.draw(st.sampled_from([i for i, row in enumerate(rows) if i and any(map(must_stay, row.split()))]))
    with pytest.raises(UncleanText):
        clean("anaphylaxis", words, b"", "\n".join(rows[:at] + rows[at + 1 :]))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_no_two_numbers_can_change_places(data: st.DataObject) -> None:
    words, text = _anaphylaxis()
    found = [match for match in re.finditer(r"\d[\d.–]*", text) if match.start() > len(HEAD)]
    one, other = sorted(data.draw(st.lists(st.sampled_from(found), min_size=2, max_size=2)), key=lambda m: m.start())
    if one[0] == other[0]:
        return
    swapped = text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]
    with pytest.raises(UncleanText):
        clean("anaphylaxis", words, b"", swapped)


WORD = st.text(st.sampled_from("ab:.#-*%[]|\\•5 "), min_size=1, max_size=8)
TEXT = st.one_of(WORD, st.sampled_from(["[removed] x", "% x", "- x", "# x", "Do not give:", "- | 5", "Table 1"])).map(
    lambda text: " ".join(text.split())
)
CELLS = (
    st.lists(TEXT.map(lambda text: text.replace("|", "")), min_size=2, max_size=3)
    .filter(any)
    .map(lambda cells: " ".join(" | ".join(cells).split()))
)


@st.composite
def _drafts(draw: st.DrawFn) -> Draft:
    kind = draw(st.sampled_from(["heading", "bullet", "row", "prose"]))
    text = draw(CELLS if kind == "row" else TEXT.filter(bool))
    indent = draw(st.sampled_from([0.0, 10.0, 20.0, 35.0]))
    level = draw(st.sampled_from([12.0, 14.0, 16.0, 20.0]))
    return Draft(kind, text, (), indent, level, draw(st.integers(0, 2)) if kind == "row" else 0)


@settings(deadline=None)
@given(st.lists(_drafts(), min_size=1, max_size=14))
def test_lines_are_the_same_lines_after_being_written_and_read(drafts: list[Draft]) -> None:
    lines = number("g", lead_ins(drafts))
    hand = read_hand("g.txt", hand_text(lines, "0" * 64))
    assert hand_lines("g", hand, [() for _ in hand.lines]) == lines


def test_awkward_pages_are_the_same_lines_after_being_written_and_read(tmp_path: Path) -> None:
    source = (Path(__file__).parent / "test_structure.py").read_text(encoding="utf-8")
    table, lists = re.findall(r'^(?:TABLE|LISTS) = """\n(.*?)"""', source, re.S | re.M)
    made = typst.compile((lists.replace("\\\\", "\\") + table).encode(), ignore_system_fonts=True, pdf_tags=False)
    assert isinstance(made, bytes)
    (tmp_path / "a.pdf").write_bytes(made)
    words = Pdftotext(60).read(tmp_path / "a.pdf")
    automatic = clean("a", words, made, None).lines
    back = clean("a", words, made, hand_text(automatic, version_of(made))).lines
    assert [_bare(line) for line in back] == [_bare(line) for line in automatic]


def _bare(line: Line) -> Line:
    return line.model_copy(update={"places": ()})
