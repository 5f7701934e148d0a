"""Listing 1: the prompt for the subparts of a paragraph, and the check that every span is verbatim in it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from tasks.constraints import subparts
from tasks.errors import UnreadableReply
from tasks.index.paragraphs import Paragraph, join
from tasks.prompts import render
from tasks.reading import Form, read_json
from tasks.records import Ask, Dropped, Section

Spans = Literal["copy", "ids"]
_TOKENS_A_SUBPART = 200  # title, question and numbers at their longest: a constrained reply is never cut


@dataclass(frozen=True)
class Indexed:
    """The sections of one paragraph, and what was proposed and dropped."""

    sections: list[Section]
    dropped: list[Dropped]


class Copied(Form):
    """A subpart whose text the model copied."""

    title: str
    question: str
    text: str


class Named(Form):
    """A subpart whose sentences the model named."""

    title: str
    question: str
    first: int
    last: int


class CopiedParts(Form):
    """The reply's form with `spans: copy`."""

    subparts: Annotated[list[Copied], Field(min_length=1)]


class NamedParts(Form):
    """The reply's form with `spans: ids`."""

    subparts: Annotated[list[Named], Field(min_length=1)]


def ask_subparts(paragraph: Paragraph, title: str, spans: Spans, least: int, most: int) -> Ask:
    """The prompt for one paragraph of the guideline called `title`.

    A paragraph of n sentences is not asked for more than n / 2 parts, rounded up.
    """
    most = min(most, (len(paragraph.sentences) + 1) // 2)
    least = min(least, most)
    wanted = f"{least} to {most} parts" if least < most else f"{most} part{'s' * (most > 1)}"
    if spans == "copy":
        tokens = (_TOKENS_A_SUBPART + len(paragraph.text) // 2) * most
        return Ask(
            prompt=render("index_copy", paragraph=paragraph.text, parts=wanted), constraint=None, max_tokens=tokens
        )
    numbered = "\n".join(f"{i}: {sentence.text}" for i, sentence in enumerate(paragraph.sentences, 1))
    return Ask(
        prompt=render("index_ids", paragraph=numbered, title=title, heading=paragraph.heading, parts=wanted),
        constraint=subparts(len(paragraph.sentences), least, most),
        max_tokens=_TOKENS_A_SUBPART * most,
    )


def read_subparts(reply: str, paragraph: Paragraph, spans: Spans) -> Indexed:
    """The sections that a reply proposes; a span that is not verbatim, or names no sentence, is dropped with a reason.

    A reply that cannot be read is one dropped entry: the paragraph then has no section, and the report says so.
    """
    try:
        parts: Sequence[Copied | Named] = (
            read_json(reply, CopiedParts).subparts if spans == "copy" else read_json(reply, NamedParts).subparts
        )
    except UnreadableReply as error:
        return Indexed(
            [], [Dropped(guideline=paragraph.guideline, paragraph=paragraph.number, text=reply, reason=str(error))]
        )
    sections: list[Section] = []
    dropped: list[Dropped] = []
    for part in parts:
        try:
            sections.append(_section(part, paragraph, len(sections) + 1))
        except UnreadableReply as error:
            text = part.text if isinstance(part, Copied) else f"{part.first}-{part.last}"
            dropped.append(
                Dropped(guideline=paragraph.guideline, paragraph=paragraph.number, text=text, reason=str(error))
            )
    return Indexed(sections, dropped)


def _section(part: Copied | Named, paragraph: Paragraph, count: int) -> Section:
    text, lines = _copied(part.text, paragraph) if isinstance(part, Copied) else _named(part, paragraph)
    return Section(
        guideline=paragraph.guideline,
        section_id=f"P{paragraph.number}-S{count}",
        title=part.title.strip(),
        question=part.question.strip(),
        text=text,
        lines=lines,
    )


def _named(part: Named, paragraph: Paragraph) -> tuple[str, tuple[int, ...]]:
    if not 1 <= part.first <= part.last <= len(paragraph.sentences):
        raise UnreadableReply(
            f"sentences {part.first} to {part.last} of a paragraph that has sentences 1 to {len(paragraph.sentences)}"
        )
    chosen = paragraph.sentences[part.first - 1 : part.last]
    return join(chosen), _unique(sentence.line for sentence in chosen)


def _copied(text: str, paragraph: Paragraph) -> tuple[str, tuple[int, ...]]:
    """The span, which must stand in the paragraph to the letter and be cut at words' ends."""
    whole, span = paragraph.text, text.strip()
    start = _find_whole_words(whole, span)
    if start is None:
        raise UnreadableReply("the span is not verbatim in its paragraph")
    end, at, covered = start + len(span), 0, []
    for i, sentence in enumerate(paragraph.sentences):
        at = whole.index(sentence.text, at)
        if at < end and at + len(sentence.text) > start:
            covered.append(i)
        at += len(sentence.text)
    return span, _unique(paragraph.sentences[i].line for i in covered)


def _find_whole_words(whole: str, span: str) -> int | None:
    start = whole.find(span) if span else -1
    while start >= 0:
        before, after = whole[start - 1 : start], whole[start + len(span) : start + len(span) + 1]
        if (not before or before.isspace()) and (not after or after.isspace()):
            return start
        start = whole.find(span, start + 1)
    return None


def _unique(lines: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(lines))
