"""The sentences of lines, numbered from 1 within the guideline, each word for word as it stands."""

import re
from collections.abc import Sequence

from tasks.errors import UncleanText
from tasks.records import Line, Sentence

_UNFINISHED = re.compile(r"(?:\b(?:e\.g|i\.e|approx|cf|vs|no|dr|mr|mrs|ms|prof|fig|etc|max|min)\.|\b[A-Z]\.)$", re.I)


def sentences_of(lines: Sequence[Line]) -> list[Sentence]:
    """The sentences of one guideline: prose and lead-ins are split, any other line is one sentence.

    Raises UncleanText if the sentences of a line, joined by a space, would not be the line again.
    """
    import spacy

    splitter = spacy.blank("en")
    splitter.add_pipe("sentencizer")
    found: list[Sentence] = []
    for line in lines:
        splits = line.kind in ("prose", "lead-in")
        texts = _split([span.text.strip() for span in splitter(line.text).sents]) if splits else [line.text]
        if " ".join(texts) != line.text:
            raise UncleanText(f"{line.guideline} line {line.number}: {line.text!r} was split into {texts!r}")
        found += [
            Sentence(guideline=line.guideline, number=len(found) + i, line=line.number, text=text)
            for i, text in enumerate(texts, 1)
        ]
    return found


def _split(parts: Sequence[str]) -> list[str]:
    """The parts, those that a full stop inside a sentence cut off put together again."""
    whole: list[str] = []
    for part in filter(None, parts):
        if whole and (_UNFINISHED.search(whole[-1]) or not re.match(r"[\"'(\[]*[^\W_]", part) or part[0].islower()):
            whole[-1] = f"{whole[-1]} {part}"
        else:
            whole.append(part)
    return whole
