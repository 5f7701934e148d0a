"""What the order of work saves: guideline by guideline with prefix reuse, against file order without any reuse.

Both ask the same questions with COPY, LINES, JUNIOR, SAFETY and QUOTE, through the code of the stage `answer`. Replies are
short (48 tokens), for only what is read differs. Of PrivacyQA, the first four questions of each policy that fits the
context are asked. Writes reports/benchmarks/tokens.json: tokens sent, evaluated and reused and seconds of both, and
`evaluated_ratio` and `same_answers` over all.
"""

import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks.corpora import Corpus, absent, demo, privacyqa
from flows.answer import answer_cell, by_topic, cells
from flows.llms import weights_folder
from flows.stage import console, progress
from tasks import params as settings
from tasks import store
from tasks.backends import weights
from tasks.backends.embedded import Embedded
from tasks.backends.remembered import Remembered
from tasks.records import Ask, Call, Question, Reply
from tasks.store.replies import ReplyStore

_WEIGHTS = "smollm2-135m"
_CONTEXT = 4096
_OF_EACH = 4
_IN_ORDER, _FRESH = "in order, with reuse", "file order, without"
_STRATEGIES: tuple[settings.Strategy, ...] = ("copy", "lines", "junior", "safety", "quote")
_BOUNDS = settings.Answer(max_tokens=48, draft_tokens=24)


@dataclass
class Ran:
    """The answers of one way of asking, by strategy and question, and what they cost."""

    answers: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """Tokens sent, evaluated and reused, and seconds."""
        sent, reused = sum(call.tokens_in for call in self.calls), sum(call.tokens_reused for call in self.calls)
        seconds = sum(call.seconds for call in self.calls)
        return {"sent": sent, "evaluated": sent - reused, "reused": reused, "seconds": round(seconds, 1)}


class Forgetful:
    """A model that is loaded anew for every prompt (which is in no reply's seconds), so that nothing is reused."""

    def __init__(self, llm: Embedded) -> None:
        self.name, self.identity = llm.name, llm.identity
        self._llm = llm

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt."""
        self._llm.close()
        return self._llm.reply(ask)

    def close(self) -> None:
        """Free the model's memory."""
        self._llm.close()


def main() -> None:
    """Ask both corpora both ways."""
    file = weights.path(_WEIGHTS, weights_folder())
    weights.fetch(_WEIGHTS, weights_folder(), lambda done, parts: None)
    policies = privacyqa()
    if policies is None:
        console.print(absent(), style="yellow")
    result: dict[str, Any] = {"model": _WEIGHTS, "corpora": {}}
    same = True
    for corpus in [demo(settings.load()), *([_fitting(policies)] if policies else [])]:
        ours = _run(_IN_ORDER, corpus, _as_answered(corpus), Embedded("bench", file, _CONTEXT, None))
        fresh = _run(_FRESH, corpus, _file_order(corpus), Forgetful(Embedded("bench", file, _CONTEXT, None)))
        agree = ours.answers == fresh.answers
        same = same and agree
        rows = {_IN_ORDER: ours.row(), _FRESH: fresh.row()}
        result["corpora"][corpus.name] = {"questions": len(corpus.questions), **rows, "same_answers": agree}
        _show(corpus, rows, agree)
    evaluated = {
        name: sum(item[name]["evaluated"] for item in result["corpora"].values()) for name in (_IN_ORDER, _FRESH)
    }
    result["evaluated_ratio"] = round(evaluated[_IN_ORDER] / evaluated[_FRESH], 4)
    result["same_answers"] = same
    console.print(f"evaluated_ratio {result['evaluated_ratio']:.3f}, same_answers {same}", highlight=False)
    store.write_text(Path("reports/benchmarks/tokens.json"), json.dumps(result, indent=1) + "\n")


Rounds = list[tuple[settings.Strategy, str, list[Question]]]


def _as_answered(corpus: Corpus) -> Rounds:
    """What the stage `answer` asks over whole guidelines, in its order."""
    how = settings.Experiment(dataset=corpus.name, model="bench", embedder="none", strategies=_STRATEGIES)
    told = by_topic(corpus.questions, {question.question_id: question.guideline for question in corpus.questions})
    return [(strategy, cell.guideline, asked) for cell in cells(how, told) for strategy, asked in cell.rounds]


def _file_order(corpus: Corpus) -> Rounds:
    return [(strategy, question.guideline, [question]) for strategy in _STRATEGIES for question in corpus.questions]


def _run(label: str, corpus: Corpus, rounds: Rounds, llm: Embedded | Forgetful) -> Ran:
    ran = Ran()
    with tempfile.TemporaryDirectory() as folder:
        replies = ReplyStore(Path(folder) / "replies.sqlite")
        remembered = Remembered(llm, replies, constrain=True)
        for strategy, name, asked in progress(rounds, f"{corpus.name}, {label}", len(rounds)):
            contexts = [corpus.context(name)] * len(asked)
            for item in answer_cell("bench", strategy, name, asked, contexts, remembered, _BOUNDS):
                ran.answers[strategy, item.answer.question_id] = item.answer.replies
                ran.calls += item.calls
        replies.close()
        llm.close()
    return ran


def _fitting(corpus: Corpus) -> Corpus:
    """The first questions of each document whose words leave room in the context (1.5 tokens a word, and the prompt)."""
    fits = {
        name
        for name, lines in corpus.lines.items()
        if sum(len(line.text.split()) + 3 for line in lines) * 1.5 + 700 < _CONTEXT
    }
    seen: Counter[str] = Counter()
    chosen = []
    for question in corpus.questions:
        if question.guideline in fits and seen[question.guideline] < _OF_EACH:
            seen[question.guideline] += 1
            chosen.append(question)
    return Corpus(corpus.name, chosen, corpus.titles, corpus.lines, corpus.sentences)


def _show(corpus: Corpus, rows: dict[str, dict[str, Any]], agree: bool) -> None:
    table = Table(
        "", *next(iter(rows.values())), title=f"{corpus.name}: {len(corpus.questions)} questions, 5 strategies"
    )
    for name, row in rows.items():
        table.add_row(name, *(f"{value:,}" for value in row.values()))
    ratio = rows[_IN_ORDER]["evaluated"] / rows[_FRESH]["evaluated"]
    console.print(table, f"evaluated {ratio:.3f}, same answers: {agree}", highlight=False)


if __name__ == "__main__":
    main()
