"""The gate's findings as a web page: Great Expectations' own page, without anything that it would fetch."""

import re
from collections.abc import Sequence
from typing import Any

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; color: #1b1b1b; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; }
th, td { border: 1px solid #c8c8c8; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
.text-danger { color: #b00020; } .text-success { color: #0a6b2d; }
nav, .navbar, .modal, .ge-navigation-sidebar-container, #ge-cta-footer { display: none; }
"""
_REMOVED = re.compile(
    r"<script\b.*?</script\s*>|<footer\b.*?</footer\s*>|<iframe\b.*?</iframe\s*>|<(?:link|img|base)\b[^>]*>",
    re.IGNORECASE | re.DOTALL,
)
_ELSEWHERE = re.compile(r"""\s(?:href|src|srcset|action)\s*=\s*(?:"(?:[a-z]+:)?//[^"]*"|'(?:[a-z]+:)?//[^']*')""", re.I)
_FETCHED = re.compile(r"""@import[^;]*;|url\(\s*['"]?(?:[a-z]+:)?//[^)]*\)""", re.IGNORECASE)


def page(results: Sequence[Any], title: str) -> str:
    """One HTML page of Great Expectations' validation results, that opens without a network and fetches nothing."""
    from great_expectations.render.renderer import ValidationResultsPageRenderer
    from great_expectations.render.view import DefaultJinjaPageView

    bodies: list[str] = []
    for result in results:
        result.meta.setdefault("run_id", {"run_name": title, "run_time": ""})
        html = str(DefaultJinjaPageView().render(ValidationResultsPageRenderer().render(result)))
        body = re.search(r"<body[^>]*>(.*)</body>", html, re.DOTALL)
        bodies.append(offline(body[1] if body else html))
    head = f'<head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>'
    return f"<!doctype html>\n<html lang=en>{head}<body>" + "\n<hr>\n".join(bodies) + "</body></html>\n"


def offline(html: str) -> str:
    """The HTML without scripts, style sheets, pictures and addresses of elsewhere."""
    return _FETCHED.sub("", _ELSEWHERE.sub("", _REMOVED.sub("", html)))
