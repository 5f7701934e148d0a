"""Build the demo guidelines: every sources/<stem>.typ becomes guidelines/<stem>.pdf.

Usage: python data/raw/demo/build.py

The output is deterministic: only fonts embedded in the typst package are used, the creation
date is fixed, and building twice gives the same bytes.
"""

from __future__ import annotations

import hashlib
import sys
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
GUIDELINES = HERE / "guidelines"
CREATED = datetime(2026, 1, 5, tzinfo=UTC)


def build(source: Path, target: Path) -> str:
    """Write one PDF (to a temporary file first, then renamed) and return its sha256."""
    import typst

    pdf = typst.compile(
        str(source),
        root=str(SOURCES),
        format="pdf",
        ignore_system_fonts=True,
        timestamp=CREATED,
        pdf_tags=False,  # poppler prints a warning for each tagged file
    )
    if not isinstance(pdf, bytes):
        raise TypeError(f"typst gave no PDF for {source.name}")
    part = target.with_name(target.name + ".part")
    part.write_bytes(pdf)
    part.replace(target)
    return hashlib.sha256(pdf).hexdigest()


def main() -> int:
    """Build every guideline; files whose name starts with "_" are shared parts."""
    try:
        import typst  # noqa: F401
    except ImportError:
        print("typst is missing. Install it with: pip install typst", file=sys.stderr)
        return 1
    GUIDELINES.mkdir(parents=True, exist_ok=True)
    for source in sorted(SOURCES.glob("[!_]*.typ")):
        target = GUIDELINES / f"{source.stem}.pdf"
        print(build(source, target), target.relative_to(HERE))
    return 0


if __name__ == "__main__":
    sys.exit(main())
