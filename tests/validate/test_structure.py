"""Awkward pages, set with Typst: tables, lists, columns and page breaks keep what belongs together, and nothing else."""

from pathlib import Path

import pytest
import typst

from tasks.backends.pdftotext import Pdftotext
from tasks.records import Line
from tasks.validate import Cleaned, clean


def _set(folder: Path, source: str) -> Cleaned:
    pdf = folder / "a.pdf"
    made = typst.compile(source.encode(), ignore_system_fonts=True, pdf_tags=False)
    assert isinstance(made, bytes)
    pdf.write_bytes(made)
    return clean("a", Pdftotext(60).read(pdf), made, None)


def _texts(cleaned: Cleaned, kind: str | None = None) -> list[str]:
    return [line.text for line in cleaned.lines if kind in (None, line.kind)]


def _parent(cleaned: Cleaned, text: str) -> str | None:
    line = next(line for line in cleaned.lines if line.text == text)
    return None if line.parent is None else cleaned.lines[line.parent - 1].text


def _path(cleaned: Cleaned, text: str) -> list[str]:
    path: list[str] = []
    line: Line | None = next(line for line in cleaned.lines if line.text == text)
    while line is not None and line.parent is not None:
        line = cleaned.lines[line.parent - 1]
        path.append(line.text)
    return path


TABLE = """
= Doses
#table(columns: (4cm, 3.2cm, 5cm), [Medicine], [Dose], [When],
  [Soluble insulin with 25 g of glucose in water], [10 units IV], [Over 15 minutes if the potassium is high],
  [Salbutamol], [10 mg], [Once],
  table.cell(rowspan: 2)[Adrenaline], [500 micrograms], [adult],
  [300 micrograms], [child 6–12 years],
  [Oxygen], [], [always])
Give once only.
"""


def test_the_wrapped_lines_of_a_cell_are_one_cell_and_an_empty_cell_keeps_its_place(tmp_path: Path) -> None:
    assert _texts(_set(tmp_path, TABLE), "row") == [
        "Medicine | Dose | When",
        "Soluble insulin with 25 g of glucose in water | 10 units IV | Over 15 minutes if the potassium is high",
        "Salbutamol | 10 mg | Once",
        "Adrenaline | 500 micrograms | adult",
        "| 300 micrograms | child 6–12 years",
        "Oxygen | | always",
    ]


def test_a_row_without_a_first_cell_hangs_under_the_row_that_has_it(tmp_path: Path) -> None:
    cleaned = _set(tmp_path, TABLE)
    assert _path(cleaned, "| 300 micrograms | child 6–12 years") == [
        "Adrenaline | 500 micrograms | adult",
        "Medicine | Dose | When",
        "Doses",
    ]


def test_rows_as_near_as_wrapped_lines_are_never_mixed(tmp_path: Path) -> None:
    source = """#table(columns: 3, stroke: none, inset: (y: 2pt), [Drug], [Dose], [Note], [Aspirin], [300 mg], [Once],
      [Clopidogrel], [600 mg], [Once], [Heparin], [5000 units], [IV])"""
    assert _texts(_set(tmp_path, source)) == [
        "Drug | Dose | Note",
        "Aspirin | 300 mg | Once",
        "Clopidogrel | 600 mg | Once",
        "Heparin | 5000 units | IV",
    ]


def test_cells_in_the_middle_of_their_height_stay_with_their_row(tmp_path: Path) -> None:
    source = """#table(columns: (3cm, 3cm, 3cm), align: horizon, [A], [B], [C],
      [One two three four five six], [5 mg], [Seven eight nine ten eleven twelve], [x], [6 mg], [y])"""
    assert _texts(_set(tmp_path, source)) == [
        "A | B | C",
        "One two three four five six | 5 mg | Seven eight nine ten eleven twelve",
        "x | 6 mg | y",
    ]


def test_a_table_over_a_page_break_keeps_its_header(tmp_path: Path) -> None:
    cells = ",".join(f"[cell {i}]" for i in range(60))
    cleaned = _set(tmp_path, f"#set page(height: 12cm)\n#table(columns: 2, {cells})")
    assert len(cleaned.lines) == 30 and cleaned.lines[-1].page != 1
    assert _parent(cleaned, "cell 58 | cell 59") == "cell 0 | cell 1"


def test_a_line_that_runs_over_a_page_break_has_a_place_on_both_pages(tmp_path: Path) -> None:
    cleaned = _set(tmp_path, "#set page(height: 8cm)\n#lorem(220)")
    assert [[place.page for place in line.places] for line in cleaned.lines] == [[1, 2]]
    upper, lower = (place.box for place in cleaned.lines[0].places)
    assert upper[3] - upper[1] > 5 * (lower[3] - lower[1]) and max(upper[3], lower[3]) < 227


def test_a_table_of_two_wide_columns_is_read_row_by_row(tmp_path: Path) -> None:
    cells = ",".join(f"[#lorem({25 + 3 * i}) END{i}]" for i in range(8))
    texts = _texts(_set(tmp_path, f"#table(columns: (1fr, 1fr), {cells})"), "row")
    assert [text.count("END") for text in texts] == [2, 2, 2, 2]


LISTS = """
#set page(height: 14cm)
= Steps
Do not give
- bolus insulin
  - nested a
- sodium bicarbonate

  This paragraph belongs to the item above.
- a third one

Normal range 3.5 to 5.0 for the potassium in the blood of adults, and also in the ones who are older 3.5 \\
– 5.0 mmol/L is also seen.

+ First step that is long enough to wrap over to the following line since it goes on and on and on until it is at
  5. Not a step here.
+ Second step

The following must never be given.
- thiopental
#v(5cm)
Last paragraph on this page with an item:
- another item without full stop that ends the page
#pagebreak()
New paragraph on the next page begins here.
"""


def test_a_list_hangs_under_what_leads_into_it_also_without_a_colon(tmp_path: Path) -> None:
    cleaned = _set(tmp_path, LISTS)
    assert _parent(cleaned, "bolus insulin") == "Do not give"
    assert _parent(cleaned, "thiopental") == "The following must never be given."


def test_a_nested_item_hangs_under_its_item_and_an_item_after_a_paragraph_under_the_lead_in(tmp_path: Path) -> None:
    cleaned = _set(tmp_path, LISTS)
    assert _path(cleaned, "nested a") == ["bolus insulin", "Do not give", "Steps"]
    assert _parent(cleaned, "This paragraph belongs to the item above.") == "sodium bicarbonate"
    assert _path(cleaned, "a third one") == ["Do not give", "Steps"]


def test_a_dash_at_the_start_of_a_wrapped_row_is_not_a_bullet(tmp_path: Path) -> None:
    assert any("older 3.5 – 5.0 mmol/L" in text for text in _texts(_set(tmp_path, LISTS), "prose"))


def test_a_number_at_the_start_of_a_wrapped_row_is_not_a_step_and_a_step_keeps_its_number(tmp_path: Path) -> None:
    steps = [text for text in _texts(_set(tmp_path, LISTS), "bullet") if "step" in text]
    assert steps[0].startswith("1. First step") and steps[0].endswith("it is at 5. Not a step here.")
    assert steps[1] == "2. Second step"


def test_a_paragraph_after_a_page_break_does_not_join_the_last_item(tmp_path: Path) -> None:
    assert _texts(_set(tmp_path, LISTS))[-2:] == [
        "another item without full stop that ends the page",
        "New paragraph on the next page begins here.",
    ]


def test_a_paragraph_and_an_item_that_run_over_a_page_break_are_one_line_each(tmp_path: Path) -> None:
    words = " ".join(f"word{i}" for i in range(150))
    cleaned = _set(tmp_path, f"#set page(height: 6cm)\n{words} end.\n\n- {words} last")
    assert _texts(cleaned) == [f"{words} end.", f"{words} last"]


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_columns_are_read_one_after_the_other(tmp_path: Path, columns: int) -> None:
    words = " ".join(f"word{i}" for i in range(600))
    cleaned = _set(tmp_path, f"#set page(columns: {columns}, height: 20cm)\n#set text(size: 9pt)\n{words}")
    assert " ".join(_texts(cleaned)) == words


def test_text_above_and_below_columns_stays_above_and_below(tmp_path: Path) -> None:
    first, second, third = (" ".join(f"{name}{i}" for i in range(90)) for name in ("one", "two", "three"))
    source = f"= Title\n{first}.\n\n#columns(2)[#set par(justify: true)\n{second} {second}.]\n\n{third}."
    assert " ".join(_texts(_set(tmp_path, source))) == f"Title {first}. {second} {second}. {third}."


FURNITURE = """
#set page(height: 8cm, header: [Trust guideline #h(1fr) v2.0], footer: [#h(1fr)#context counter(page).display()])
Give 500 mg at once. #pagebreak()
Give 250 mg at once. #pagebreak()
Give 125 mg at once.
"""


def test_what_differs_from_page_to_page_is_not_furniture(tmp_path: Path) -> None:
    cleaned = _set(tmp_path, FURNITURE)
    assert _texts(cleaned) == ["Give 500 mg at once.", "Give 250 mg at once.", "Give 125 mg at once."]
    assert {item.text for item in cleaned.removals} == {"Trust guideline v2.0", "1", "2", "3"}


def test_a_head_that_says_what_to_do_stays_once_and_one_about_the_paper_does_not(tmp_path: Path) -> None:
    head = "Never give potassium neat. Max. 10 mmol/h #linebreak() Do not photocopy"
    pages = " #pagebreak() ".join(f"Give {dose} mg." + "\n\nThen wait." * 20 for dose in (500, 250, 125))
    cleaned = _set(tmp_path, f"#set page(height: 20cm, header: [{head}])\n{pages}")
    first, *texts = _texts(cleaned)
    assert first == "Never give potassium neat. Max. 10 mmol/h"
    assert [text for text in texts if text.startswith("Give")] == ["Give 500 mg.", "Give 250 mg.", "Give 125 mg."]
    assert [(item.page, item.text) for item in cleaned.removals if "potassium" in item.text] == [
        (page, "Never give potassium neat. Max. 10 mmol/h") for page in (2, 3)
    ]
    assert sum("photocopy" in item.text for item in cleaned.removals) == 3


def test_doses_with_leaders_are_not_taken_for_contents(tmp_path: Path) -> None:
    source = "= Doses\nAdrenaline #box(width: 1fr, repeat[.]) 5 \\\nAtropine #box(width: 1fr, repeat[.]) 6"
    cleaned = _set(tmp_path, source)
    assert not cleaned.removals and any("Atropine" in text for text in _texts(cleaned))


def test_contents_without_leaders_are_removed(tmp_path: Path) -> None:
    text = "All the words of the text are there. " * 3
    source = f"= Contents\n1 Scope #h(1fr) 1 \\\n2 Doses #h(1fr) 1\n\n= 1 Scope\n{text}\n= 2 Doses\n{text}"
    assert _texts(_set(tmp_path, source)) == ["1 Scope", text.strip(), "2 Doses", text.strip()]


def test_a_list_of_references_below_a_plain_heading_is_a_list(tmp_path: Path) -> None:
    source = "#lorem(40)\n\nReferences \\\n1. First reference of the list. \\\n2. Second reference of the list."
    assert _texts(_set(tmp_path, source), "bullet") == [
        "1. First reference of the list.",
        "2. Second reference of the list.",
    ]


def test_a_boxed_warning_a_footnote_and_a_heading_no_larger_than_the_text_have_kinds(tmp_path: Path) -> None:
    source = """#show heading: set text(size: 11pt)
    = Doses of insulin
    #lorem(60)#footnote[Not in children.] #lorem(20)

    #rect[Warning: never give it undiluted.]
    """
    cleaned = _set(tmp_path, source)
    assert _texts(cleaned, "heading") == ["Doses of insulin"]
    assert _texts(cleaned, "warning") == ["Warning: never give it undiluted."]
    assert _texts(cleaned, "footnote") == ["¹ Not in children."]
    assert "¹" in (_parent(cleaned, "¹ Not in children.") or "")


def test_a_first_row_like_the_second_is_no_header(tmp_path: Path) -> None:
    cleaned = _set(tmp_path, "= Doses\n#table(columns: 2, [Adult], [500 mg], [Child], [250 mg])")
    assert _parent(cleaned, "Child | 250 mg") == "Doses"
