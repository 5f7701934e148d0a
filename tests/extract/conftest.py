"""PDFs made here and now, and where the shared ones are."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("SAFELLM_SHARED", ROOT.parent / "shared" / "data")).resolve()


@pytest.fixture
def make_pdf(tmp_path: Path) -> Callable[..., Path]:
    """make_pdf("a.pdf", "one line a page", "of the page after", password=...)."""

    def make(name: str, *pages: str, password: str | None = None) -> Path:
        canvas = Canvas(str(tmp_path / name), encrypt=password)
        for text in pages:
            canvas.setFont("Helvetica", 12)
            for i, row in enumerate(text.splitlines()):
                canvas.drawString(72, 720 - 16 * i, row)
            canvas.showPage()
        canvas.save()
        return tmp_path / name

    return make


@pytest.fixture(scope="session")
def nasty() -> Path:
    """The folder of hostile public PDFs; its tests are skipped where it is not."""
    for folder in (SHARED / "pdf" / "nasty", SHARED / "data" / "pdf" / "nasty"):
        if folder.is_dir():
            return folder
    pytest.skip("the public PDFs are not on this machine: set SAFELLM_SHARED to the folder that holds pdf/nasty")
