"""poppler's pdftoppm: the picture of one page, to show on it where the lines stand."""

import subprocess
from pathlib import Path

from tasks.errors import Unavailable, UnreadablePdf


def page_image(pdf: Path, page: int, dpi: int, timeout: float) -> bytes:
    """Page `page` (from 1) of a PDF as a PNG at `dpi` dots an inch, upright as it is read.

    Raises UnreadablePdf for a page that cannot be drawn within `timeout` seconds, Unavailable without poppler.
    """
    command = ["pdftoppm", "-png", "-r", str(dpi), "-f", str(page), "-l", str(page), str(pdf.resolve())]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False)
    except FileNotFoundError as error:
        raise Unavailable("'pdftoppm' is not on this machine: run `apt-get install poppler-utils`") from error
    except subprocess.TimeoutExpired as error:
        raise UnreadablePdf(
            f"page {page} of {str(pdf)!r} was not drawn within {timeout:g} s: raise extract.timeout"
        ) from error
    if done.returncode or not done.stdout:
        said = done.stderr.decode("utf-8", "replace").strip()[:300]
        raise UnreadablePdf(f"page {page} of {str(pdf)!r} could not be drawn ({said!r})")
    return done.stdout
