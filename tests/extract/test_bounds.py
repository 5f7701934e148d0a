"""A pdftotext that hangs, floods, or writes what cannot be read ends in a clear refusal."""

import sys
import time
import zlib
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


def _raw_pdf(file: Path, pages: int, stream: bytes, filters: bytes) -> Path:
    """A PDF by hand, every page of which draws the same stream."""
    kids = b" ".join(b"%d 0 R" % (5 + i) for i in range(pages))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids),
        b"<</Length %d/Filter %s>>stream\n%s\nendstream" % (len(stream), filters, stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 3 0 R/Resources<</Font<</F 4 0 R>>>>>>"
    objects += [page] * pages
    body, offsets = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj%s endobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(body))
    file.write_bytes(body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end)
    return file


def test_a_stream_that_unpacks_to_gigabytes_is_stopped(tmp_path: Path) -> None:
    block = b"BT /F 12 Tf 10 10 Td (Give 5 mg) Tj ET\n" * 100_000
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(block) for _ in range(40)) + packer.flush()
    file = _raw_pdf(tmp_path / "a.pdf", 40, zlib.compress(packed, 9), b"[/FlateDecode/FlateDecode]")
    assert file.stat().st_size < 100_000
    started = time.monotonic()
    with pytest.raises(UnreadablePdf, match=r"extract\.(timeout|memory)|more than \d+ bytes"):
        Pdftotext(3, 512).read(file)
    assert time.monotonic() - started < 15


def test_a_program_that_takes_too_much_memory_names_the_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eats = f"exec {sys.executable} -c 'x = bytearray(3 * 10**8)'"
    with pytest.raises(UnreadablePdf, match=r"more than 200 MB .*extract\.memory"):
        Pdftotext(20, 200).read(_tool(tmp_path, monkeypatch, eats))


def test_pages_that_hold_themselves_end_in_a_refusal_or_in_words(tmp_path: Path) -> None:
    file = _raw_pdf(tmp_path / "a.pdf", 1, b"BT /F 12 Tf 10 10 Td (Give) Tj ET", b"null")
    file.write_bytes(file.read_bytes().replace(b"/Kids[5 0 R]", b"/Kids[2 0 R]"))
    with pytest.raises(UnreadablePdf):
        Pdftotext(10, 512).read(file)


def test_deeply_nested_pages_end_in_a_refusal_or_in_words(tmp_path: Path) -> None:
    deep = b"".join(b"%d 0 obj<</Type/Pages/Count 1/Kids[%d 0 R]>>endobj\n" % (i, i + 1) for i in range(2, 30_000))
    last = b"30000 0 obj<</Type/Page/MediaBox[0 0 9 9]>>endobj\n"
    start = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    (tmp_path / "a.pdf").write_bytes(start + deep + last + b"trailer<</Size 30001/Root 1 0 R>>\n%%EOF\n")
    with pytest.raises(UnreadablePdf):
        Pdftotext(20, 512).read(tmp_path / "a.pdf")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_file_that_is_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    file = _raw_pdf(tmp_path / "a.pdf", 30, b"BT /F 12 Tf 10 10 Td (Give 5 mg) Tj ET", b"null")
    whole = file.read_bytes()
    assert len(Pdftotext(60).read(file)) == 90
    file.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(UnreadablePdf, match=r"cut short|broken"):
        Pdftotext(60).read(file)


def test_a_broken_table_of_objects_is_mended(tmp_path: Path) -> None:
    file = _raw_pdf(tmp_path / "a.pdf", 1, b"BT /F 12 Tf 10 10 Td (Give 5 mg) Tj ET", b"null")
    file.write_bytes(file.read_bytes().replace(b"startxref\n", b"startxref\n9"))
    assert [word.text for word in Pdftotext(60).read(file)] == ["Give", "5", "mg"]
