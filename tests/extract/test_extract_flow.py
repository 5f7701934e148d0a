"""The flow: one bad document does not stop the others, and the run ends with the list of all that were not read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from flows import extract as flow
from tasks import store
from tasks.errors import DataError
from tasks.records import Block, Source, Word

Make = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project in the working directory, whose steps run without Prefect."""
    root = Path(__file__).resolve().parents[2]
    (tmp_path / "params.yaml").write_text((root / "params.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(flow, "step", lambda name, function: function)
    guidelines = tmp_path / "data/raw/demo/guidelines"
    guidelines.mkdir(parents=True)
    return guidelines


def _put(folder: Path, file: Path) -> Path:
    return file.rename(folder / file.name)


def test_the_good_are_written_and_the_bad_are_all_listed(folder: Path, make_pdf: Make) -> None:
    _put(folder, make_pdf("good.pdf", "Give 5 mg"))
    _put(folder, make_pdf("zlast.pdf", "Wait one minute"))
    _put(folder, make_pdf("locked.pdf", "secret", password="x"))
    _put(folder, make_pdf('quo"te.pdf', "Give 7 mg"))
    (folder / "empty.pdf").touch()
    (folder / "page.pdf").write_text("<!DOCTYPE html><html></html>", encoding="utf-8")
    (folder / "magic.pdf").write_bytes(b"GIF89a")
    (folder / "latin.txt").write_bytes(b"Temp > 38 \xb0C")
    with pytest.raises(DataError) as caught:
        flow.extract("demo")
    said = str(caught.value)
    for what in ("'data/raw/demo/guidelines/empty.pdf' is empty", "HTML page", "locked.pdf' is encrypted", "magic.pdf'",
                 "rename it", "latin.txt' is not UTF-8"):  # fmt: skip
        assert what in said
    assert said.startswith("6 problem(s) with the 8 documents of 'demo'")
    words = store.read(Path("data/interim/extract/demo/words.parquet"), Word)
    assert " ".join(word.text for word in words) == "Give 5 mg Wait one minute"


def test_twins_are_refused_with_both_names(folder: Path, make_pdf: Make) -> None:
    file = _put(folder, make_pdf("a.pdf", "Give 5 mg"))
    (folder / "b.pdf").write_bytes(file.read_bytes())
    with pytest.raises(DataError, match=r"'a\.pdf' and 'b\.pdf' are the same file"):
        flow.extract("demo")
    (folder / "b.pdf").unlink()
    _put(folder, make_pdf("c.pdf", "Give  5  mg"))
    with pytest.raises(DataError, match="'a' and 'c' hold the same text"):
        flow.extract("demo")


def test_sources_with_and_without_pages_stand_side_by_side(folder: Path, make_pdf: Make) -> None:
    _put(folder, make_pdf("a.pdf", "Give 5 mg"))
    (folder / "b.md").write_text("# Oxygen\n\n- 15 L/min\n", encoding="utf-8")
    flow.extract("demo")
    out = Path("data/interim/extract/demo")
    assert [(item.guideline, item.file, item.format) for item in store.read(out / "sources.parquet", Source)] == [
        ("a", "a.pdf", "pdf"),
        ("b", "b.md", "md"),
    ]
    assert [item.text for item in store.read(out / "blocks.parquet", Block)] == ["Oxygen", "15 L/min"]


def test_the_password_of_the_environment_is_used(folder: Path, make_pdf: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    _put(folder, make_pdf("locked.pdf", "Give 5 mg", password="hunter2"))
    monkeypatch.setenv("SAFELLM_PDF_PASSWORD_LOCKED", "hunter2")
    flow.extract("demo")
    assert len(store.read(Path("data/interim/extract/demo/words.parquet"), Word)) == 3
