"""The prompts of Listings 1-7, as text files in our own words: the only reader of prompt files."""

from functools import cache
from importlib.resources import files
from string import Template
from typing import Literal

Name = Literal["index_copy", "index_ids", "topic", "copy", "lines", "junior_draft", "junior", "safety", "quote"]


def render(name: Name, **values: str) -> str:
    """The prompt `name` with its `$placeholders` filled; every placeholder must be given, and no other."""
    template = _template(name)
    unknown = set(values) - set(template.get_identifiers())
    if unknown:
        raise KeyError(f"prompt {name!r} has no placeholder {sorted(unknown)}")
    return template.substitute(values)


@cache
def _template(name: Name) -> Template:
    return Template((files("tasks.prompts") / f"{name}.txt").read_text(encoding="utf-8").strip())
