"""Markdown (CommonMark with tables), read by markdown-it: headings, items, rows and paragraphs as it has them.

What it draws otherwise than as text is refused (HTML, struck-through text), or is a removal (addresses, pictures, comments).
"""

import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tasks.errors import UnreadableText
from tasks.extract.pageless import Parsed, block, decoded, raised, removal, words_of
from tasks.records import Block, Removal

_QUOTED_NUMBER = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?>[\s>]*=?\s*[\d.]")
_RAISED = re.compile(r"<sup>(.*?)</sup>", re.IGNORECASE)
_LOWERED = re.compile(r"</?sub>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKS = re.compile(r"\s{0,3}(?:=+|-+)\s*|[\s|:-]+")


def read_markdown(guideline: str, name: str, data: bytes) -> Parsed:
    """The words and lines of a Markdown file. Raises UnreadableText for what Markdown would not show as it stands."""
    text = decoded(name, data)
    for number, row in enumerate(text.splitlines(), 1):
        if _QUOTED_NUMBER.match(row):
            raise UnreadableText(
                f"{name!r}:{number}: in Markdown, the '>' of {row.strip()[:40]!r} is a quotation mark and not 'more "
                "than': write '\\>' or '≥'"
            )
    return _Reader(guideline, name).read(text)


class _Reader:
    def __init__(self, guideline: str, name: str) -> None:
        self._guideline, self._name = guideline, name
        self._removals: list[Removal] = []

    def read(self, text: str) -> Parsed:
        from markdown_it import MarkdownIt

        head = re.match(r"---\r?\n.*?\n---\r?\n", text, re.DOTALL)
        if head:
            self._remove(head[0], "front matter")
        env: dict[str, Any] = {}
        body = text[head.end() :] if head else text
        body = _LOWERED.sub("", _RAISED.sub(lambda match: raised(match[1]), body))
        tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(body, env)
        blocks = list(self._blocks(tokens))
        for label, reference in env.get("references", {}).items():
            if label.startswith("^"):
                raise UnreadableText(f"{self._name!r}: the footnote [{label}] is not read: write it as a paragraph")
            title = reference.get("title") or ""
            self._remove(f"[{label}]: {reference['href']} {title}", "address of a link")
        return Parsed(self._words(text), [item for item in blocks if item.text], self._removals)

    def _words(self, text: str) -> list[Any]:
        """The words of the file without what marks a rule, a quotation or an item."""
        text = _BREAK.sub(" ", _LOWERED.sub("", _RAISED.sub(lambda match: raised(match[1]), text)))
        rows = (re.sub(r"^\s*(?:>\s?)*(?:\+\s+)?", "", row) for row in text.splitlines() if not _MARKS.fullmatch(row))
        shown = (re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", html.unescape(row)) for row in rows)
        return words_of(self._guideline, shown)

    def _remove(self, text: str, rule: str) -> None:
        self._removals.append(removal(self._guideline, text, rule))

    def _blocks(self, tokens: Sequence[Any]) -> Iterator[Block]:
        depth, label, table, level = -1, "", 0, 0
        item = False
        cells: list[str] = []
        for token in tokens:
            kind = token.type
            if kind in ("bullet_list_open", "ordered_list_open"):
                depth += 1
            elif kind in ("bullet_list_close", "ordered_list_close"):
                depth -= 1
            elif kind == "list_item_open":
                item, label = True, f"{token.info}{token.markup} " if token.info else ""
            elif kind == "heading_open":
                level = int(token.tag[1])
            elif kind == "heading_close":
                level = 0
            elif kind == "table_open":
                table += 1
            elif kind == "tr_open":
                cells = []
            elif kind == "tr_close":
                yield block(self._guideline, "row", " | ".join(cells), table=table)
            elif kind == "inline":
                text = " ".join(self._inline(token.children or []).split())
                if token.level and tokens and self._in_cell(tokens, token):
                    cells.append(text)
                elif level:
                    yield block(self._guideline, "heading", text, level=10.0 - level)
                elif item:
                    yield block(self._guideline, "bullet", label + text, indent=20.0 * depth)
                    item = False
                else:
                    yield block(self._guideline, "prose", text, indent=20.0 * depth + 10.0 if depth >= 0 else 0.0)
            elif kind in ("code_block", "fence"):
                if token.info:
                    self._remove(token.info, "language of a code block")
                for row in token.content.splitlines():
                    yield block(self._guideline, "prose", row)
            elif kind == "html_block":
                self._html(token.content)

    def _in_cell(self, tokens: Sequence[Any], token: Any) -> bool:
        before = tokens[tokens.index(token) - 1]
        return before.type in ("th_open", "td_open")

    def _inline(self, children: Sequence[Any]) -> str:
        text = ""
        for child in children:
            if child.type in ("text", "code_inline"):
                text += child.content
            elif child.type in ("softbreak", "hardbreak"):
                text += " "
            elif child.type == "html_inline":
                text += self._html(child.content)
            elif child.type == "s_open":
                raise UnreadableText(
                    f"{self._name!r} holds text that is struck through: delete it, or write it plainly"
                )
            elif child.type == "image":
                self._remove(f"{child.content} {child.attrs.get('src', '')} {child.attrs.get('title', '')}", "picture")
            elif child.type == "link_open":
                self._remove(f"{child.attrs.get('href', '')} {child.attrs.get('title', '')}", "address of a link")
        return text

    def _html(self, content: str) -> str:
        """What a piece of HTML shows: a line break, or nothing if it is a comment; anything else is refused."""
        for comment in _COMMENT.findall(content):
            self._remove(comment, "comment")
        rest = _COMMENT.sub("", content).strip()
        if rest and not _BREAK.fullmatch(rest):
            raise UnreadableText(
                f"{self._name!r} holds HTML ({rest[:40]!r}), of which what it shows cannot be told: write it in "
                "Markdown, or a '<' of the text as '\\<'"
            )
        return " "
