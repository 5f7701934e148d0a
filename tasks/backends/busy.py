"""Servers that are busy: which answers say so, and how long to wait before they are asked again."""

import contextlib
import re
import time
from email.utils import parsedate_to_datetime

BUSY = (429, 503)


def wait(retry_after: str | None, otherwise: float, longest: float) -> float:
    """Seconds to wait: what the server's Retry-After says, as a number or a date, or else `otherwise`; at most `longest`."""
    seconds = otherwise
    if retry_after is not None and re.fullmatch(r"\d+(\.\d+)?", retry_after):
        seconds = float(retry_after)
    elif retry_after is not None:
        with contextlib.suppress(ValueError):
            seconds = parsedate_to_datetime(retry_after).timestamp() - time.time()
    return min(max(seconds, 0.0), longest)
