"""What evaluating a guideline once saves: the demo's LINES prompts with prefix reuse, against the same without.

Writes reports/benchmarks/prefix.json: tokens evaluated and seconds of both, `evaluated_ratio`, `same_answers`.
"""

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from flows.llms import weights_folder
from flows.stage import console, progress
from tasks import params as settings
from tasks import paths, store
from tasks.answer import STRATEGIES, full_context
from tasks.backends import weights
from tasks.backends.embedded import Embedded
from tasks.backends.pdftotext import Pdftotext
from tasks.extract import document_words, pdfs
from tasks.records import Ask, Reply
from tasks.validate import clean, read_questions


def main() -> None:
    """Ask the first two questions of every guideline both ways."""
    params = settings.load()
    asks = _prompts("demo", params)
    file = weights.path("qwen2.5-coder-0.5b", weights_folder())
    weights.fetch("qwen2.5-coder-0.5b", weights_folder(), lambda done, parts: None)
    reused = _run("reused", [Embedded("bench", file, 4096, None)], asks)
    fresh = _run("fresh", [Embedded("bench", file, 4096, None) for _ in asks], asks)
    evaluated = {
        name: sum(r.tokens_in - r.tokens_reused for r in made) for name, made in (("reused", reused), ("fresh", fresh))
    }
    seconds = {name: sum(r.seconds for r in made) for name, made in (("reused", reused), ("fresh", fresh))}
    result: dict[str, Any] = {
        "prompts": len(asks),
        "evaluated": evaluated,
        "seconds": seconds,
        "evaluated_ratio": evaluated["reused"] / evaluated["fresh"],
        "same_answers": [r.text for r in reused] == [r.text for r in fresh],
    }
    table = Table("", "tokens evaluated", "seconds", title=f"{len(asks)} LINES prompts, guideline by guideline")
    for name in evaluated:
        table.add_row(name, str(evaluated[name]), f"{seconds[name]:.1f}")
    console.print(table, f"ratio {result['evaluated_ratio']:.2f}, same answers: {result['same_answers']}")
    store.write_text(Path("reports/benchmarks/prefix.json"), json.dumps(result, indent=1) + "\n")


def _prompts(dataset: str, params: settings.Params) -> list[Ask]:
    """The LINES prompts of the first two questions of every guideline, over the whole guideline, from its PDF."""
    cleaned = {
        pdf.stem: clean(pdf.stem, document_words(Pdftotext(params.extract.timeout), pdf), pdf.read_bytes(), None)
        for pdf in pdfs(paths.guidelines(dataset))
    }
    source = paths.questions(dataset)
    lines = {name: item.lines for name, item in cleaned.items()}
    contexts = {
        name: full_context(item.document.title, item.lines, item.sentences, []) for name, item in cleaned.items()
    }
    return [
        next(STRATEGIES["lines"](question.question, contexts[question.guideline], params.answer))
        for question in read_questions(store.read_text(source), str(source), lines)
        if question.question_id[-1] in "12"
    ]


def _run(label: str, models: list[Embedded], asks: list[Ask]) -> list[Reply]:
    made = []
    for i, ask in enumerate(progress(asks, label, len(asks))):
        model = models[i % len(models)]
        made.append(model.reply(ask))
        if len(models) > 1:
            model.close()
    return made


if __name__ == "__main__":
    main()
