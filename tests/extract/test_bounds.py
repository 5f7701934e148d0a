"""A pdftotext that hangs, floods, or writes what cannot be read ends in a clear refusal."""

from pathlib import Path

import pytest

from tasks.backends import pdftotext
from tasks.backends.pdftotext import Pdftotext
from tasks.errors import UnreadablePdf


def _tool(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A PDF (by its first bytes), and a pdftotext that does what the script says."""
    tool = folder / "pdftotext"
    tool.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    (folder / "a.pdf").write_bytes(b"%PDF-1.7\n")
    return folder / "a.pdf"


def test_a_pdf_that_takes_too_long_names_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadablePdf, match=r"extract\.timeout"):
        Pdftotext(0.2).read(_tool(tmp_path, monkeypatch, "exec sleep 20"))


def test_a_flood_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdftotext, "MAX_OUTPUT", 1000)
    with pytest.raises(UnreadablePdf, match="more than 1000 bytes"):
        Pdftotext(20).read(_tool(tmp_path, monkeypatch, "exec yes"))


def test_output_that_is_not_xml_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadablePdf, match="cannot be read"):
        Pdftotext(20).read(_tool(tmp_path, monkeypatch, "echo '<doc><page></doc>'"))


def test_a_control_character_stays_visible_and_a_strange_title_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    word = '<word xMin="1" yMin="2" xMax="3" yMax="4">'
    page = f"<page><flow><block><line>{word}a\\003b</word>{word}&lt;5</word></line></block></flow></page>"
    script = f"printf '<title>A & <B></title><doc>{page}</doc>'"
    words = Pdftotext(20).read(_tool(tmp_path, monkeypatch, script))
    assert [(word.text, word.page, word.block, word.line, word.box) for word in words] == [
        ("a\ufffdb", 1, 1, 1, (1.0, 2.0, 3.0, 4.0)),
        ("<5", 1, 1, 1, (1.0, 2.0, 3.0, 4.0)),
    ]
