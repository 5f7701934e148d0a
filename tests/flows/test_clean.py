"""`safellm clean` writes text to edit, never over a person's, and says what became of the edits when a PDF changed."""

from collections.abc import Callable
from pathlib import Path

import pytest
import typst
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.validate import _check_known, _ownerless
from tasks.backends.pdftotext import Pdftotext
from tasks.errors import ParamsError, UncleanText
from tasks.extract import document_words
from tasks.params import Dataset
from tasks.validate import Gate, clean, version_of
from tests.flows.conftest import TOY

Run = Callable[..., Result]
PASSED, FAILED = Gate(True, ()), Gate(False, (("no contents leaders", False, "adrenaline line 3: 'x'"),))


def _set(folder: Path, name: str, old: str = "", new: str = "") -> None:
    """Make a PDF of the toy project, with `new` in place of `old`."""
    source = (TOY / f"{name}.typ").read_text(encoding="utf-8").replace(old, new, 1)
    made = typst.compile(source.encode(), ignore_system_fonts=True, pdf_tags=False, timestamp=0)
    assert isinstance(made, bytes)
    (folder / f"data/raw/toy/guidelines/{name}.pdf").write_bytes(made)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two PDFs, whose gate, which takes long to import, fails for "adrenaline" only."""
    (tmp_path / "data/raw/toy/guidelines").mkdir(parents=True)
    for name in ("adrenaline", "potassium"):
        _set(tmp_path, name)
    (tmp_path / "params.yaml").write_text((TOY / "params.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "flows.clean.check", lambda words, *_: FAILED if "adrenaline" in {word.guideline for word in words} else PASSED
    )
    return tmp_path


@pytest.fixture
def run(project: Path) -> Run:
    return lambda *arguments: CliRunner().invoke(app, ["clean", *arguments])


def _hand(project: Path, name: str = "adrenaline") -> Path:
    return project / f"data/clean/toy/{name}.txt"


def _edit(project: Path, old: str, new: str) -> None:
    text = _hand(project).read_text(encoding="utf-8")
    assert old in text
    _hand(project).write_text(text.replace(old, new, 1), encoding="utf-8")


def _validated(project: Path) -> list[str]:
    """The lines that `validate` makes of the hand-cleaned text."""
    pdf = project / "data/raw/toy/guidelines/adrenaline.pdf"
    words = document_words(Pdftotext(60), pdf).words
    hand = _hand(project)
    text = hand.read_text(encoding="utf-8")
    return [
        line.text for line in clean("adrenaline", words, pdf.read_bytes(), text, "data/clean/toy/adrenaline.txt").lines
    ]


def test_only_what_fails_the_gate_is_written_with_what_the_gate_says_and_the_next_step(project: Path, run: Run) -> None:
    done = run("toy")
    assert done.exit_code == 0, done.output
    assert _hand(project).is_file() and not _hand(project, "potassium").exists()
    for said in (
        "the gate: no contents leaders: adrenaline line 3",
        "# Title",
        "[removed]",
        "safellm run validate@toy",
    ):
        assert said in done.output
    pdf = (project / "data/raw/toy/guidelines/adrenaline.pdf").read_bytes()
    assert _hand(project).read_text(encoding="utf-8").startswith(f"% made from {version_of(pdf)}\n")
    assert "Adrenaline for anaphylaxis" in _validated(project)


def test_a_named_guideline_or_all_are_written_whatever_the_gate_says(project: Path, run: Run) -> None:
    assert run("toy", "--guideline", "potassium").exit_code == 0
    assert _hand(project, "potassium").is_file() and not _hand(project).exists()
    assert run("toy", "--all").exit_code == 0
    assert _hand(project).is_file()


def test_a_file_that_is_there_is_never_overwritten(project: Path, run: Run) -> None:
    run("toy")
    _hand(project).write_text("mine", encoding="utf-8")
    original = _hand(project, "adrenaline.orig").read_text(encoding="utf-8")
    assert "was left as it is" in run("toy", "--all").output
    assert _hand(project).read_text(encoding="utf-8") == "mine"
    assert _hand(project, "adrenaline.orig").read_text(encoding="utf-8") == original


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("toys",), "no dataset is called 'toys'"), (("toy", "--guideline", "adrenalin"), "did you mean 'adrenaline'?")],
)
def test_a_name_that_does_not_exist_is_refused(run: Run, arguments: tuple[str, ...], message: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 1 and message in done.output


def test_check_of_an_unchanged_pdf_shows_the_edits_and_what_would_not_pass(project: Path, run: Run) -> None:
    run("toy")
    assert run("toy", "--check").exit_code == 0
    _edit(project, "500 micrograms", "50 micrograms")
    done = run("toy", "--check")
    assert done.exit_code == 1
    assert "unchanged" in done.output and "+ Give adrenaline 50 micrograms" in done.output
    assert "data/clean/toy/adrenaline.txt:7: these words do not stand like this in the PDF" in done.output


def test_edits_go_over_to_a_new_version_that_left_their_lines_alone(project: Path, run: Run) -> None:
    run("toy")
    _edit(project, "- let the patient stand up", "[removed] let the patient stand up")
    _set(project, "adrenaline", "for anaphylaxis", "in anaphylaxis")
    with pytest.raises(UncleanText, match="was made from another PDF"):
        _validated(project)
    done = run("toy", "--check")
    assert done.exit_code == 0, done.output
    for said in (
        "PDF changed",
        "edit still applies",
        "- # Adrenaline for anaphylaxis",
        "+ # Adrenaline in anaphylaxis",
    ):
        assert said in done.output
    assert run("toy", "--update").exit_code == 0
    assert "Adrenaline in anaphylaxis" in _validated(project)
    assert "give an antihistamine first" in _validated(project)
    assert "let the patient stand up" not in _validated(project)
    assert "unchanged" in run("toy", "--check").output


def test_an_edit_of_a_line_that_changed_is_shown_and_must_be_resolved(project: Path, run: Run) -> None:
    run("toy")
    _edit(project, "Repeat the dose", "\nRepeat the dose")
    _set(project, "adrenaline", "500 micrograms", "300 micrograms")
    done = run("toy", "--check")
    assert done.exit_code == 1 and "edit does not apply" in done.output
    assert run("toy", "--update").exit_code == 1
    assert "300 micrograms" in _hand(project).read_text(encoding="utf-8")
    assert "500 micrograms" in _hand(project, "adrenaline.before").read_text(encoding="utf-8")
    with pytest.raises(UncleanText, match=r"adrenaline\.txt:2: .*is an edit that did not fit the new PDF"):
        _validated(project)


def test_edits_cannot_be_told_without_the_original(project: Path, run: Run) -> None:
    run("toy")
    _hand(project, "adrenaline.orig").unlink()
    done = run("toy", "--check")
    assert done.exit_code == 1 and "is missing, so that no edit can be told" in done.output


def test_a_text_whose_pdf_was_renamed_is_not_ignored(project: Path, run: Run) -> None:
    run("toy", "--all")
    assert _ownerless("toy", {"adrenaline", "potassium"}) == []
    (said, *_) = _ownerless("toy", {"potassium"})
    assert "adrenaline.orig.txt: no guideline of 'toy' has this name" in said


def test_a_rule_kept_in_a_guideline_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    how = Dataset(keep_in={"adrenalin": ("cover matter",)})
    with pytest.raises(ParamsError, match=r"datasets\.toy\.keep_in.*'adrenalin'.*did you mean 'adrenaline'"):
        _check_known("toy", how, ["adrenaline", "potassium"])
    assert how.kept("adrenalin") == {"cover matter"} and how.kept("potassium") == frozenset()
