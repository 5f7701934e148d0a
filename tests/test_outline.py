from tasks.outline import heading_path, place_of
from tasks.records import Kind, Line, Place


def line(number: int, parent: int | None, kind: Kind = "prose", guideline: str = "aki") -> Line:
    return Line(
        guideline=guideline,
        number=number,
        text=f"line {number}",
        kind=kind,
        parent=parent,
        paragraph=1,
        places=(),
    )


LINES = [line(1, None, "heading"), line(2, 1, "heading"), line(3, 2, "lead-in"), line(4, 3, "bullet")]


def numbers(path: list[Line]) -> list[int]:
    return [item.number for item in path]


def test_a_bullet_stands_under_its_headings_and_last_its_lead_in():
    assert numbers(heading_path(LINES[3], LINES)) == [1, 2, 3]


def test_a_line_at_the_top_stands_under_nothing():
    assert heading_path(LINES[0], LINES) == []


def test_lines_of_other_guidelines_are_not_its_headings():
    others = [line(3, None, "lead-in", guideline="sepsis")]
    assert [item.guideline for item in heading_path(LINES[3], others + LINES + others)] == ["aki"] * 3


def test_a_parent_that_is_not_among_the_lines_ends_the_path():
    assert numbers(heading_path(LINES[3], LINES[2:])) == [3]


def test_lines_that_hang_under_each_other_do_not_loop():
    loop = [line(1, 2), line(2, 1)]
    assert numbers(heading_path(loop[0], loop)) == [2]


def test_the_place_of_a_line_is_its_page_or_its_headings_and_says_ocr():
    paged = LINES[3].model_copy(update={"places": (Place(page=3, box=(0, 0, 1, 1)),)})
    assert place_of(paged, LINES) == "p. 3"
    assert place_of(paged.model_copy(update={"ocr": True}), LINES) == "p. 3, OCR"
    assert place_of(LINES[3], LINES) == "line 1 > line 2 > line 3"
    assert place_of(LINES[0], LINES) == ""
