"""Edits of a person go over to a new version where it is the same, and are shown where it is not."""

from hypothesis import given
from hypothesis import strategies as st

from tasks.validate import edits, line_diff, taken_over

HEAD, NEW_HEAD = "% made from 1\n", "% made from 2\n"
ORIGINAL = HEAD + "\n# Title\nOne.\nGive 5\nmg.\n\nDo not:\n- two\n- three\n"
EDITED = HEAD + "\n# Title\nOne.\nGive 5 mg.\n\nDo not:\n- two\n- 3\n"


def test_an_edit_applies_where_it_and_the_lines_beside_it_are_the_same() -> None:
    new = ORIGINAL.replace(HEAD, NEW_HEAD).replace("# Title", "# New title")
    first, second = edits(ORIGINAL, EDITED, new)
    assert (first.at, first.old, first.new, first.state) == (5, ("Give 5", "mg."), ("Give 5 mg.",), "applies")
    assert second.state == "applies"
    assert taken_over(ORIGINAL, EDITED, new) == EDITED.replace(HEAD, NEW_HEAD).replace("# Title", "# New title")


def test_an_edit_conflicts_where_what_it_changed_or_what_stands_beside_it_changed() -> None:
    changed = ORIGINAL.replace("Give 5", "Give 10")
    assert [edit.state for edit in edits(ORIGINAL, EDITED, changed)] == ["conflicts", "applies"]
    assert edits(ORIGINAL, EDITED, ORIGINAL.replace("Do not:", "Do:"))[0].state == "conflicts"
    assert [edit.state for edit in edits(ORIGINAL, EDITED, ORIGINAL.replace("- two", "- 2"))] == [
        "applies",
        "conflicts",
    ]


def test_an_edit_that_conflicts_stands_at_the_top_until_it_is_resolved() -> None:
    new = ORIGINAL.replace(HEAD, NEW_HEAD).replace("Give 5", "Give 10")
    rows = taken_over(ORIGINAL, EDITED, new).splitlines()
    assert rows[:4] == ["% made from 2", "[unresolved] - Give 5", "[unresolved] - mg.", "[unresolved] + Give 5 mg."]
    assert rows[-1] == "- 3" and "Give 10" in rows


def test_an_edit_that_the_new_version_has_too_is_done() -> None:
    new = ORIGINAL.replace("Give 5\nmg.", "Give 5 mg.")
    assert [edit.state for edit in edits(ORIGINAL, EDITED, new)] == ["done", "applies"]
    assert taken_over(ORIGINAL, EDITED, new) == EDITED


def test_the_two_versions_are_shown_line_by_line() -> None:
    new = ORIGINAL.replace(HEAD, NEW_HEAD).replace("Give 5\n", "Give 10\n")
    assert [row for row in line_diff(ORIGINAL, new) if row[0] in "+-"] == ["- Give 5", "+ Give 10"]


ROWS = st.lists(st.sampled_from(["", "a", "b", "- c", "d | e"]), max_size=12).map("\n".join)


@given(ROWS, ROWS)
def test_all_edits_apply_to_the_text_that_they_were_made_in(original: str, edited: str) -> None:
    assert all(edit.state == "applies" for edit in edits(original, edited, original))
    assert taken_over(original, edited, original).strip() == edited.strip()


@given(ROWS, ROWS)
def test_a_new_version_without_any_edit_is_taken_as_it_is(original: str, new: str) -> None:
    assert edits(original, original, new) == []
    assert taken_over(original, original, new).strip() == new.strip()
