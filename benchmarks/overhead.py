"""What everything but the models costs: the stages topic, retrieve and answer over 1,000 questions, with instant models.

A real Prefect server, the reply store and the files of a project in a temporary folder; the language model and the
embedder alone are replaced by ones that answer at once. Beside it the bare loop: the same prompts, made and read by the
same strategies, with neither. 20 guidelines of 40 lines and 8 sections; LINES, COPY and QUOTE over the whole guideline,
so that a question is four prompts. Writes reports/benchmarks/overhead.json: `ms_a_question` of each stage and of all
(`whole`), `bare`, and `ratio`.
"""

import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import yaml
from rich.table import Table

from flows.environment import prepare
from flows.server import prefect_server
from flows.stage import console
from tasks import params as settings
from tasks import paths, store
from tasks.answer import STRATEGIES, converse, full_context
from tasks.embed import VIEWS, build
from tasks.protocols import Matrix, Role
from tasks.records import Ask, Document, Line, Question, Reply, Section, Sentence, ViewIndex
from tasks.topic import ask_topic, read_topic

_QUESTIONS, _GUIDELINES, _LINES, _SECTIONS = 1000, 20, 40, 8
_STRATEGIES = ("lines", "copy", "quote")
_PROMPTS = 1 + len(_STRATEGIES)  # a question's: its topic, and one for each strategy
_FIRST = "Give 500 mg at once."
_NUMBER = re.compile(r"case (\d+)")
_PARAMS: dict[str, Any] = {
    "datasets": {"bench": {}},
    "models": {"instant": {"backend": "embedded", "weights": "none"}},
    "embedders": {"instant": {"backend": "sentence-transformers", "weights": "none"}},
    "experiments": {
        "bench": {
            "dataset": "bench",
            "model": "instant",
            "embedder": "instant",
            "strategies": list(_STRATEGIES),
        }
    },
    "extract": {},
    "validate": {},
    "index": {"model": "instant"},
    "topic": {},
    "retrieve": {},
    "answer": {},
    "score": {},
    "ask": {"experiment": "bench"},
}


class InstantModel:
    """A language model that answers at once: the first line of the guideline, in the form that was asked for."""

    name = identity = "instant"

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt."""
        text = "1"
        if ask.constraint is not None and ask.constraint.json_schema is not None:
            schema = ask.constraint.json_schema
            if '"guideline_id"' in schema:
                numbers = _NUMBER.findall(ask.prompt)
                text = json.dumps({"guideline_id": _name(int(numbers[-1]) % _GUIDELINES), "rationale": "r"})
            else:
                text = json.dumps({"lines" if '"lines"' in schema else "copied": [_FIRST]})
        return Reply(
            text=text,
            status="ok",
            model="instant",
            digest="0",
            tokens_in=len(ask.prompt) // 4,
            tokens_reused=0,
            tokens_out=4,
            seconds=0.0,
        )

    def close(self) -> None:
        """Nothing is held."""


class InstantEmbedder:
    """An embedder whose vectors are drawn from the text's hash."""

    name = identity = "instant"
    windowed = 0

    def embed(self, texts: Sequence[str], role: Role) -> Matrix:
        """Rows of length 1."""
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        rows = np.stack([np.random.default_rng(seed).normal(size=384) for seed in seeds])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def close(self) -> None:
        """Nothing is held."""


def main() -> None:
    """Run the stages, then the bare loop."""
    prepare()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, prefect_server() as address:
        os.environ["PREFECT_API_URL"] = address
        os.chdir(folder)
        try:
            questions = _project()
            seconds = _stages()
            bare = _timed(lambda: _bare(questions))
        finally:
            os.chdir(home)
    ms = {name: round(1000 * value / _QUESTIONS, 2) for name, value in seconds.items()}
    result = {
        "questions": _QUESTIONS,
        "prompts": _QUESTIONS * _PROMPTS,
        "ms_a_question": ms,
        "whole": round(sum(ms.values()), 2),
        "bare": round(1000 * bare / _QUESTIONS, 2),
        "ratio": round(sum(seconds.values()) / bare, 2),
    }
    table = Table("", "ms a question", title=f"{_QUESTIONS} questions, {_PROMPTS} prompts each, instant models")
    for name, value in [*ms.items(), ("whole", result["whole"]), ("bare loop", result["bare"])]:
        table.add_row(name, f"{value}")
    console.print(table, f"ratio {result['ratio']}", highlight=False)
    store.write_text(Path("reports/benchmarks/overhead.json"), json.dumps(result, indent=1) + "\n")


def _stages() -> dict[str, float]:
    from prefect import flow

    from flows import answer, retrieve, topic

    @contextmanager
    def instant(*arguments: object) -> Iterator[InstantEmbedder]:
        yield InstantEmbedder()

    def run(name: str, function: Callable[..., None], *cell: str) -> float:
        made = flow(name=name, validate_parameters=False, persist_result=False)(function)
        return _timed(lambda: made(*cell))

    with patch("flows.llms._llm", lambda name, how: InstantModel()), patch("flows.retrieve.open_embedder", instant):
        return {
            "topic": run("topic", topic.topic, "bench"),
            "retrieve": run("retrieve", retrieve.retrieve, "instant", "bench"),
            "answer": run("answer", answer.answer, "bench"),
        }


def _bare(questions: list[Question]) -> None:
    """Every prompt made and every reply read, one after the other, and nothing else."""
    model, bounds = InstantModel(), settings.Answer()
    titles = {_name(i): f"Guideline {i}" for i in range(_GUIDELINES)}
    contexts = {
        name: full_context(title, _lines(name), _sentences(name), _sections(name)) for name, title in titles.items()
    }
    for question in questions:
        read_topic(model.reply(ask_topic(question.question, titles)).text, titles)
        for strategy in _STRATEGIES:
            dialogue = STRATEGIES[strategy](question.question, contexts[question.guideline], bounds)
            list(converse([dialogue], model.reply))


def _project() -> list[Question]:
    """Everything that the stages read, and the questions."""
    Path("params.yaml").write_text(yaml.safe_dump(_PARAMS), encoding="utf-8")
    names = [_name(i) for i in range(_GUIDELINES)]
    questions = [
        Question(
            question_id=f"q{i}",
            guideline=_name(i % _GUIDELINES),
            question=f"What is given first in case {i}?",
            reference=_FIRST,
            gold_lines=(1,),
        )
        for i in range(_QUESTIONS)
    ]
    documents = [
        Document(guideline=name, title=f"Guideline {i}", source="txt", pages=0, words=_LINES * 8, version="1")
        for i, name in enumerate(names)
    ]
    source = paths.validate("bench")
    store.write(source / "documents.parquet", documents, Document)
    store.write(source / "lines.parquet", [line for name in names for line in _lines(name)], Line)
    store.write(source / "sentences.parquet", [item for name in names for item in _sentences(name)], Sentence)
    store.write(source / "questions.parquet", questions, Question)
    sections = [section for name in names for section in _sections(name)]
    target, titles = paths.embed("instant", "bench"), {item.guideline: item.title for item in documents}
    views = []
    for view in VIEWS:
        index = build(sections, titles, view, InstantEmbedder())
        store.write_index(target / f"{view}.faiss", index)
        views.append(ViewIndex(view=view, embedder="instant", rows=index.ntotal, dimension=index.d, windowed=0))
    store.write(target / "sections.parquet", sections, Section)
    store.write(target / "views.parquet", views, ViewIndex)
    return questions


def _name(number: int) -> str:
    return f"g{number:02}"


def _lines(guideline: str) -> list[Line]:
    return [
        Line(
            guideline=guideline,
            number=n,
            text=_FIRST if n == 1 else f"{guideline}: then give {n} mg every {n + 1} hours for the next day.",
            kind="prose",
            parent=None,
            paragraph=n,
            places=(),
        )
        for n in range(1, _LINES + 1)
    ]


def _sentences(guideline: str) -> list[Sentence]:
    return [
        Sentence(guideline=guideline, number=line.number, line=line.number, text=line.text)
        for line in _lines(guideline)
    ]


def _sections(guideline: str) -> list[Section]:
    lines, size = _lines(guideline), _LINES // _SECTIONS
    return [
        Section(
            guideline=guideline,
            section_id=f"P{i + 1}-S1",
            title=f"Step {i}",
            question=f"What is step {i}?",
            text=" ".join(line.text for line in lines[i * size : (i + 1) * size]),
            lines=tuple(line.number for line in lines[i * size : (i + 1) * size]),
        )
        for i in range(_SECTIONS)
    ]


def _timed(call: Callable[[], object]) -> float:
    started = time.monotonic()
    call()
    return time.monotonic() - started


if __name__ == "__main__":
    main()
