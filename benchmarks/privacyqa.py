"""Which lines are found on real questions: our strategies, beside rankings and verbatim-core's LLM extractor.

42 of PrivacyQA's 194 questions (six of each policy, evenly spread), the embedded 1.5B model, the best 20 lines as context for
all that ask it. Precision, recall and F1 are of line numbers against those the experts marked, a mean over questions; the
context's own recall is the ceiling of what reads it. BASE shows the ten best lines of the shortlist: no index is made here.
Replies are remembered (data/replies/bench-privacyqa.*), so a run that was stopped goes on. Writes
reports/benchmarks/privacyqa.json: `rows`, `context_recall`, and the paired bootstrap of the best of ours against each baseline.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.corpora import Corpus, absent, privacyqa
from flows.answer import answer_cell
from flows.llms import weights_folder
from flows.stage import console, progress
from tasks import params as settings
from tasks import paths, store
from tasks.answer import Context, added_lines, shortlist_context
from tasks.backends import weights
from tasks.backends.embedded import Embedded
from tasks.backends.prefixed import Prefixed
from tasks.backends.remembered import Remembered
from tasks.backends.sentence_transformers import SentenceTransformersVectors
from tasks.records import Line, Question, Section
from tasks.retrieve import LineRanker
from tasks.retrieve.shortlist import best
from tasks.score.bootstrap import p_value, resampled_means
from tasks.score.sets import set_prf
from tasks.store.replies import ReplyStore

_WEIGHTS = "qwen2.5-coder-1.5b"
_CONTEXT, _EACH, _SHOWN, _ADDED = 4096, 6, 10, 5
_STRATEGIES: tuple[settings.Strategy, ...] = ("base", "junior", "copy", "lines", "quote", "safety")
_BOUNDS = settings.Answer(max_tokens=400, draft_tokens=60)
_RANKED = (5, 10, 20)
_DRAWS, _SEED = 10_000, 20260612


class Found(NamedTuple):
    """The lines that a system shows for a question, and what that took."""

    lines: frozenset[int]
    seconds: float


Systems = dict[str, list[Found]]


def main() -> None:
    """Ask every system every question."""
    whole = privacyqa()
    if whole is None:
        sys.exit(absent())
    corpus = _spread(whole)
    file = weights.fetch(_WEIGHTS, weights_folder(), lambda done, parts: None)
    baselines, contexts = _retrieved(corpus)
    ours = _strategies(corpus, contexts, file)
    baselines |= {"verbatim-core 0.2.8, LLM extractor": _verbatim(corpus, contexts, file)}
    _report(corpus, contexts, ours, baselines)


def _spread(corpus: Corpus) -> Corpus:
    """`_EACH` questions of each policy, evenly spread over those it has."""
    own: dict[str, list[Question]] = defaultdict(list)
    for question in corpus.questions:
        own[question.guideline].append(question)
    chosen = [asked[at * len(asked) // _EACH] for asked in own.values() for at in range(_EACH)]
    return replace(corpus, questions=chosen)


def _retrieved(corpus: Corpus) -> tuple[Systems, list[Context]]:
    """The best lines by BM25 and by the embedder, and for each question the context of the shortlist."""
    embedder = Prefixed(SentenceTransformersVectors("minilm", "all-MiniLM-L6-v2"), settings.Prefixes(), "window")
    how = settings.Shortlist()
    systems: Systems = defaultdict(list)
    contexts = []
    policies = [list(own) for _, own in groupby(corpus.questions, key=lambda question: question.guideline)]
    for asked in progress(policies, "rank lines", len(policies)):
        lines = corpus.lines[asked[0].guideline]
        ranker, started = LineRanker(asked, embedder, how), time.monotonic()
        found = ranker.ingredients([line.text for line in lines])
        seconds = (time.monotonic() - started) / len(asked)
        for own in found:
            for name, scores in (("bm25", own.words), ("embedding", own.line)):
                for k in _RANKED:
                    systems[f"{name}, top {k}"].append(Found(_numbers(lines, best(scores, k)), seconds))
        hits = ranker.best(lines)
        for question in asked:
            numbers = [hit.line for hit in hits if hit.question_id == question.question_id]
            contexts.append(_context(corpus, question, numbers))
    return dict(systems), contexts


def _context(corpus: Corpus, question: Question, numbers: list[int]) -> Context:
    """The shortlisted lines; BASE's sections are the best of them, a line each, and the union's the first of those."""
    lines = {line.number: line for line in corpus.lines[question.guideline]}
    sections = [
        Section(
            guideline=question.guideline,
            section_id=f"L{number}",
            title="",
            question="",
            text=lines[number].text,
            lines=(number,),
        )
        for number in numbers[:_SHOWN]
    ]
    own = list(lines.values())
    made = shortlist_context(
        corpus.titles[question.guideline], own, corpus.sentences[question.guideline], sections, numbers
    )
    return replace(made, added=added_lines(own, numbers[:_ADDED]))


def _strategies(corpus: Corpus, contexts: list[Context], file: Path) -> Systems:
    """What our strategies show, without and with the union; question by question, so that a context is evaluated once."""
    llm = Embedded("bench", file, _CONTEXT, None, say=lambda said: console.print(said, markup=False, highlight=False))
    replies = ReplyStore(paths.replies("bench-privacyqa"))
    remembered = Remembered(llm, replies, constrain=True)
    systems: Systems = defaultdict(list)
    for question, context in progress(zip(corpus.questions, contexts, strict=True), "ask", len(corpus.questions)):
        for strategy in _STRATEGIES:
            for name, read in ((strategy, replace(context, added=())), (f"{strategy} + union", context)):
                if name == "base + union":
                    continue
                (item,) = answer_cell("bench", strategy, question.guideline, [question], [read], remembered, _BOUNDS)
                shown = {number for excerpt in item.answer.excerpts if excerpt.text for number in excerpt.lines}
                systems[name].append(Found(frozenset(shown), sum(call.seconds for call in item.calls)))
    replies.close()
    llm.close()
    return dict(systems)


def _verbatim(corpus: Corpus, contexts: list[Context], file: Path) -> list[Found]:
    """What verbatim-core's extractor shows, asked of the same model over the same lines as one document, at temperature 0."""
    from verbatim_core.extractors import LLMSpanExtractor
    from verbatim_core.llm_client import LLMClient

    llm = Embedded("bench", file, _CONTEXT, None)
    known = paths.REPLIES / "bench-privacyqa.verbatim-core.json"
    rows: dict[str, Any] = json.loads(store.read_text(known)) if known.is_file() else {}
    rows = rows if rows.get("identity") == llm.identity else {"identity": llm.identity}
    extractor: Any = None
    found = []
    for question, context in progress(zip(corpus.questions, contexts, strict=True), "verbatim-core", len(contexts)):
        text = "\n".join(line.text for line in context.lines)
        key = json.dumps([question.question, text])
        if key not in rows:
            if extractor is None:
                base = f"{llm.address}/v1"
                key_of_port = llm._http.headers["Authorization"].removeprefix("Bearer ")
                client = LLMClient(model="bench", temperature=0.0, api_base=base, api_key=key_of_port)
                extractor = LLMSpanExtractor(llm_client=client)
            started = time.monotonic()
            spans = extractor.extract_spans(question.question, [SimpleNamespace(text=text)])[text]
            rows[key] = [spans, time.monotonic() - started]
            store.write_text(known, json.dumps(rows))
        spans, seconds = rows[key]
        found.append(Found(_covered(spans, context.lines), seconds))
    llm.close()
    return found


def _covered(spans: Sequence[str], lines: Sequence[Line]) -> frozenset[int]:
    """The lines that spans of their joined text touch, each span at its first place."""
    text = "\n".join(line.text for line in lines)
    touched = set()
    for span in spans:
        first = text.index(span)
        at = 0
        for line in lines:
            if at < first + len(span) and first < at + len(line.text):
                touched.add(line.number)
            at += len(line.text) + 1
    return frozenset(touched)


def _numbers(lines: Sequence[Line], positions: Sequence[int]) -> frozenset[int]:
    return frozenset(lines[position].number for position in positions)


def _report(corpus: Corpus, contexts: list[Context], ours: Systems, baselines: Systems) -> None:
    """Print the table, and write it."""
    words = [{line.number: len(line.text.split()) for line in corpus.lines[q.guideline]} for q in corpus.questions]
    gold = [set(question.gold_lines) for question in corpus.questions]
    ceiling = float(
        np.mean(
            [len(own & {line.number for line in c.lines}) / len(own) for own, c in zip(gold, contexts, strict=True)]
        )
    )

    def scores(found: list[Found], of: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        return np.array([getattr(set_prf(own, item.lines), of) for own, item in zip(gold, found, strict=True)])

    def row(name: str, found: list[Found], whose: str) -> dict[str, Any]:
        shown = [sum(own[number] for number in item.lines) for own, item in zip(words, found, strict=True)]
        return {
            "system": name,
            "whose": whose,
            "line_precision": round(float(scores(found, "precision").mean()), 4),
            "line_recall": round(float(scores(found, "recall").mean()), 4),
            "line_f1": round(float(scores(found, "f1").mean()), 4),
            "words": round(float(np.mean(shown)), 1),
            "seconds": round(float(np.mean([item.seconds for item in found])), 2),
            "nothing": sum(not item.lines for item in found),
        }

    rows = [row(name, found, "baseline") for name, found in baselines.items()]
    rows += [row(name, found, "ours") for name, found in ours.items()]
    top = max(ours, key=lambda name: float(scores(ours[name], "f1").mean()))
    against = []
    for name, found in baselines.items():
        differences = scores(ours[top], "f1") - scores(found, "f1")
        means = resampled_means(differences[:, None], _DRAWS, _SEED)[:, 0]
        low, high = np.percentile(means, [2.5, 97.5])
        against.append(
            {
                "baseline": name,
                "difference": round(float(differences.mean()), 4),
                "low": round(float(low), 4),
                "high": round(float(high), 4),
                "p": round(p_value(means), 4),
            }
        )
    _print(corpus, rows, ceiling, top, against)
    result = {
        "model": _WEIGHTS,
        "questions": len(corpus.questions),
        "context_recall": round(ceiling, 4),
        "rows": rows,
        "best": top,
        "best_against": against,
    }
    store.write_text(Path("reports/benchmarks/privacyqa.json"), json.dumps(result, indent=1) + "\n")


def _print(corpus: Corpus, rows: list[dict[str, Any]], ceiling: float, top: str, against: list[dict[str, Any]]) -> None:
    columns = ("system", "line_precision", "line_recall", "line_f1", "words", "seconds", "nothing")
    table = Table(*columns, title=f"PrivacyQA, {len(corpus.questions)} questions; recall of the context: {ceiling:.3f}")
    shown: Callable[[Any], str] = lambda value: f"{value:.3f}" if isinstance(value, float) else str(value)  # noqa: E731
    for row in sorted(rows, key=lambda item: -item["line_f1"]):
        table.add_row(*(shown(row[column]) for column in columns), style="bold" if row["whose"] == "ours" else None)
    console.print(table, f"line F1 of {top} less that of", highlight=False)
    for item in against:
        console.print(
            f"  {item['baseline']}: {item['difference']:+.3f} [{item['low']:+.3f}, {item['high']:+.3f}], p = {item['p']}",
            highlight=False,
        )


if __name__ == "__main__":
    main()
