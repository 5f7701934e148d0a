"""validate: cleaned, numbered lines and sentences, and questions that fit them; the gate stops the run."""

from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from flows.stage import console, main, step
from tasks import params as settings
from tasks import paths, store
from tasks.errors import UncleanText
from tasks.records import Block, Document, Line, Question, Removal, Repair, Sentence, Source, Word
from tasks.validate import Cleaned, check, clean, numbered, read_questions

Row = TypeVar("Row", Block, Removal)


def validate(dataset: str) -> None:
    """Clean every guideline, check the questions, and run the gate."""
    params = settings.load()
    extracted = paths.extract(dataset)
    words = store.read(extracted / "words.parquet", Word)
    sources = {source.guideline: source for source in store.read(extracted / "sources.parquet", Source)}
    blocks = _by_guideline(store.read(extracted / "blocks.parquet", Block))
    removed = _by_guideline(store.read(extracted / "removals.parquet", Removal))
    cleaned = [
        step(guideline, clean)(
            guideline,
            list(own),
            store.read_bytes(paths.guidelines(dataset) / sources[guideline].file),
            store.text_if_there(paths.clean(dataset) / f"{guideline}.txt"),
            blocks.get(guideline, []),
            removed.get(guideline, []),
            sources[guideline].format,
        )
        for guideline, own in groupby(words, key=lambda word: word.guideline)
    ]
    lines = [line for item in cleaned for line in item.lines]
    removals = [removal for item in cleaned for removal in item.removals]
    source = paths.questions(dataset)
    by_guideline = {item.document.guideline: item.lines for item in cleaned}
    questions = read_questions(store.read_text(source), str(source), by_guideline)
    gate = step("gate", check)(words, lines, removals, params.validate_.min_words_kept)
    report = "\n".join(f"{'ok  ' if met else 'FAIL'} {rule} {examples}".rstrip() for rule, met, examples in gate.rows)
    store.write_text(paths.data_docs(dataset) / "gate.txt", report + "\n")
    store.write_text(paths.data_docs(dataset) / "index.html", gate.html)
    if not gate.passed:
        raise UncleanText(f"{dataset!r} did not pass the gate:\n- " + "\n- ".join(gate.failures))
    cleaned = [_with_doubles(item, removed.get(item.document.guideline, [])) for item in cleaned]
    _write(dataset, cleaned, questions, params.datasets[dataset].label)
    console.print(
        f"{len(cleaned)} guidelines, {len(lines)} lines, {len(questions)} questions; gate passed", highlight=False
    )


def _by_guideline(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.guideline, []).append(row)
    return found


def _with_doubles(cleaned: Cleaned, removed: list[Removal]) -> Cleaned:
    """With the words of a PDF that were drawn twice, which are shown, but which the gate must not count as text."""
    doubles = [item for item in removed if item.page]
    return replace(cleaned, removals=[*cleaned.removals, *doubles])


def _write(dataset: str, cleaned: list[Cleaned], questions: list[Question], label: str | None) -> None:
    target = paths.validate(dataset)
    store.write(target / "documents.parquet", [item.document for item in cleaned], Document)
    store.write(target / "lines.parquet", [line for item in cleaned for line in item.lines], Line)
    store.write(target / "sentences.parquet", [row for item in cleaned for row in item.sentences], Sentence)
    store.write(target / "removals.parquet", [row for item in cleaned for row in item.removals], Removal)
    store.write(target / "repairs.parquet", [row for item in cleaned for row in item.repairs], Repair)
    store.write(target / "questions.parquet", questions, Question)
    for item in cleaned:
        store.write_text(target / f"{item.document.guideline}.txt", numbered(item, label))


if __name__ == "__main__":
    main("validate", validate, ["dataset"])
