"""Documents and questions that benchmarks read: the demo's, and those of PrivacyQA where they are on this machine."""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from flows.extract import pdf_reader
from tasks import params as settings
from tasks import paths, store
from tasks.answer import Context, full_context
from tasks.errors import DataError
from tasks.extract import document_words, guideline_of, sources
from tasks.records import Line, Question, Sentence
from tasks.validate import clean, read_questions
from tasks.validate.sentences import sentences_of

_PRIVACYQA = "SAFELLM_PRIVACYQA"
_CONSIDER = re.compile(r"^Consider \"+(.+?)\"+'s privacy policy; *")


@dataclass(frozen=True)
class Corpus:
    """Questions in the order of their file, with the title, lines and sentences of each document."""

    name: str
    questions: list[Question]
    titles: dict[str, str]
    lines: dict[str, list[Line]]
    sentences: dict[str, list[Sentence]]

    def context(self, guideline: str) -> Context:
        """A whole document."""
        return full_context(self.titles[guideline], self.lines[guideline], self.sentences[guideline], [])


def demo(params: settings.Params) -> Corpus:
    """The demo's guidelines from their PDFs: no run is needed."""
    reader = pdf_reader(params.extract)
    cleaned = {
        guideline_of(file): clean(guideline_of(file), document_words(reader, file).words, file.read_bytes(), None)
        for file in sources(paths.guidelines("demo"))
    }
    file = paths.questions("demo")
    lines = {name: item.lines for name, item in cleaned.items()}
    return Corpus(
        "demo",
        read_questions(store.read_text(file), str(file), lines),
        {name: item.document.title for name, item in cleaned.items()},
        lines,
        {name: item.sentences for name, item in cleaned.items()},
    )


def privacyqa() -> Corpus | None:
    """PrivacyQA, or None where it is not: SAFELLM_PRIVACYQA names its folder. Raises DataError if it is another thing.

    The folder holds privacyqa_lines.jsonl (id, doc, question, evidence_lines_1based) and corpus/privacy_qa/*.txt, one
    sentence a line; a line keeps its number in the file, and empty ones are left out. 194 questions over 7 policies.
    """
    folder = Path(os.environ.get(_PRIVACYQA, "../shared/data/privacyqa"))
    file = folder / "privacyqa_lines.jsonl"
    if not file.is_file():
        return None
    rows = [json.loads(row) for row in store.read_text(file).splitlines()]
    names = {row["doc"]: Path(row["doc"]).stem for row in rows}
    lines = {name: _lines(name, folder / "corpus/privacy_qa" / doc) for doc, name in names.items()}
    questions = []
    for row in rows:
        name = names[row["doc"]]
        gold = tuple(row["evidence_lines_1based"])
        if not gold or not set(gold) <= {line.number for line in lines[name]}:
            raise DataError(f"{file}: {row['id']!r} has gold lines {gold}, which are not lines of {row['doc']!r}")
        question = _CONSIDER.sub("", row["question"])
        questions.append(
            Question(question_id=row["id"], guideline=name, question=question, reference="", gold_lines=gold)
        )
    sentences = {name: sentences_of(own) for name, own in lines.items()}
    return Corpus("privacyqa", questions, {name: f"Privacy policy of {name}" for name in lines}, lines, sentences)


def absent() -> str:
    """What to say where PrivacyQA is not."""
    return f"PrivacyQA is not on this machine, and is left out: {_PRIVACYQA} may name its folder"


def _lines(guideline: str, file: Path) -> list[Line]:
    """The lines of a file, spaces made single."""
    rows = enumerate(store.read_text(file).splitlines(), 1)
    return [
        Line(
            guideline=guideline,
            number=number,
            text=" ".join(row.split()),
            kind="prose",
            parent=None,
            paragraph=number,
            places=(),
        )
        for number, row in rows
        if row.strip()
    ]
