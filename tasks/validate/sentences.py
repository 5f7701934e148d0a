"""The sentences of lines, numbered from 1 within the guideline, each word for word as it stands."""

import re
from collections.abc import Sequence
from itertools import pairwise

from tasks.errors import UncleanText
from tasks.records import Line, Sentence

_UNFINISHED = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|approx|ca|cf|vs|viz|no|nos|dr|mr|mrs|ms|prof|st|fig|figs|vol|ed|eds|al|incl|max|min|hr|hrs|"
    r"wk|wks|tab|tabs|cap|caps|b\.?d|o\.?d|t\.?d\.?s|q\.?d\.?s|p\.?r\.?n|p\.?o|i\.?v|i\.?m|s\.?c|[A-Za-z]|"
    r"\(?\d{1,2})\.$",
    re.IGNORECASE,
)
_UNIT = re.compile(r"[A-Za-z%][.?!]\s(?=[A-Z])")  # "5 mL. Wait": to spaCy, "mL." is one word
_BEGINS = re.compile(r"[\"'\u2018\u201c(\[]*[^\W_]|[<>\u2264\u2265\u00b1~]")


def sentences_of(lines: Sequence[Line]) -> list[Sentence]:
    """The sentences of one guideline: prose, lead-ins, warnings and footnotes are split, any other line is one sentence.

    Sentences are cut at spaces only. Raises UncleanText if the sentences of a line, joined by a space, would not be
    the line again: a line with two spaces in a row, say.
    """
    import spacy

    splitter = spacy.blank("en")
    splitter.max_length = 10_000_000
    splitter.add_pipe("sentencizer")
    found: list[Sentence] = []
    for line in lines:
        splits = line.kind in ("prose", "lead-in", "warning", "footnote")
        starts = [span.start_char for span in splitter(line.text).sents] if splits else []
        starts += [match.end() for match in _UNIT.finditer(line.text)] if splits else []
        texts = split_at(line.text, sorted(set(starts)))
        if " ".join(texts) != line.text or not all(texts):
            raise UncleanText(
                f"{line.guideline} line {line.number}: {line.text!r} is not its sentences {texts!r} joined by spaces: "
                "correct the hand-cleaned text, or report the PDF"
            )
        found += [
            Sentence(guideline=line.guideline, number=len(found) + i, line=line.number, text=text)
            for i, text in enumerate(texts, 1)
        ]
    return found


def split_at(text: str, starts: Sequence[int]) -> list[str]:
    """The text cut where sentences may start, save where a full stop does not end one.

    It does not after an abbreviation, an initial or the number of a step, before what begins in lower case, or inside
    brackets; and it must be followed by a space.
    """
    cuts = [0]
    for start in starts:
        before, after = text[cuts[-1] : start], text[start:]
        if not before or not before.endswith(" "):
            continue
        whole = before[:-1]
        opened = whole.count("(") > whole.count(")") and ")" in after
        if not (_UNFINISHED.search(whole) or not _BEGINS.match(after) or after[0].islower() or opened):
            cuts.append(start)
    return [
        text[start:end].removesuffix(" ") if end < len(text) else text[start:end]
        for start, end in pairwise([*cuts, len(text)])
    ]
