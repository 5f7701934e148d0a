"""What evaluating a guideline once saves: the demo's LINES prompts with prefix reuse, against the same without.

Writes reports/benchmarks/prefix.json: tokens evaluated and seconds of both, `evaluated_ratio`, `same_answers`.
"""

import json
from pathlib import Path
from typing import Any

from rich.table import Table

from flows.answer import Library
from flows.llms import weights_folder
from flows.stage import console, progress
from tasks import params as settings
from tasks import paths, store
from tasks.answer import STRATEGIES
from tasks.backends import weights
from tasks.backends.embedded import Embedded
from tasks.records import Ask, Question, Reply


def main() -> None:
    """Ask the first two questions of every guideline both ways."""
    params = settings.load()
    library = Library(params, params.ask.experiment)
    questions = store.read(
        paths.validate(params.experiments[params.ask.experiment].dataset) / "questions.parquet", Question
    )
    asks = [_first(library, question, params) for question in questions if question.question_id[-1] in "12"]
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


def _first(library: Library, question: Question, params: settings.Params) -> Ask:
    return next(STRATEGIES["lines"](question.question, library.context(question.guideline, []), params.answer))


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
