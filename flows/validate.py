"""validate: cleaned, numbered lines and sentences, and questions that fit them; the gate stops the run."""

from collections.abc import Collection
from dataclasses import replace
from difflib import get_close_matches
from itertools import groupby
from typing import TypeVar

from flows.stage import console, main, step
from tasks import params as settings
from tasks import paths, store
from tasks.errors import ParamsError, UncleanText
from tasks.records import Block, Document, Line, Question, Removal, Repair, Sentence, Source, Word
from tasks.validate import Cleaned, check, clean, numbered, read_questions

Row = TypeVar("Row", Block, Removal)


def validate(dataset: str) -> None:
    """Clean every guideline, check the questions, and run the gate."""
    params = settings.load()
    how = params.datasets[dataset]
    extracted = paths.extract(dataset)
    words = store.read(extracted / "words.parquet", Word)
    removed = _by_guideline(store.read(extracted / "removals.parquet", Removal))
    cleaned = _cleaned(dataset, how, words, removed)
    lines = [line for item in cleaned for line in item.lines]
    removals = [removal for item in cleaned for removal in item.removals]
    source = paths.questions(dataset)
    by_guideline = {item.document.guideline: item.lines for item in cleaned}
    questions = read_questions(store.read_text(source), str(source), by_guideline)
    gate = step("gate", check)(
        words, lines, removals, params.validate_.min_words_kept, how.kept, questions, how.references == "selected"
    )
    report = "\n".join(f"{'ok  ' if met else 'FAIL'} {rule} {examples}".rstrip() for rule, met, examples in gate.rows)
    store.write_text(paths.data_docs(dataset) / "gate.txt", report + "\n")
    store.write_text(paths.data_docs(dataset) / "index.html", gate.html)
    if not gate.passed:
        raise UncleanText(
            f"{dataset!r} did not pass the gate:\n- "
            + "\n- ".join(gate.failures)
            + f"\n`safellm clean {dataset}` writes the documents that do not pass as text to be corrected by hand"
        )
    cleaned = [_with_unread(item, removed.get(item.document.guideline, [])) for item in cleaned]
    _write(dataset, cleaned, questions, how.label)
    console.print(
        f"{len(cleaned)} guidelines, {len(lines)} lines, {len(questions)} questions; gate passed", highlight=False
    )


def _cleaned(
    dataset: str, how: settings.Dataset, words: list[Word], removed: dict[str, list[Removal]]
) -> list[Cleaned]:
    """Every guideline cleaned. Raises UncleanText with what is wrong with all the hand-cleaned texts together."""
    extracted = paths.extract(dataset)
    sources = {source.guideline: source for source in store.read(extracted / "sources.parquet", Source)}
    blocks = _by_guideline(store.read(extracted / "blocks.parquet", Block))
    cleaned: list[Cleaned] = []
    _check_known(dataset, how, sources)
    problems = _ownerless(dataset, set(sources))
    for guideline, own in groupby(words, key=lambda word: word.guideline):
        source = sources[guideline]
        hand = paths.hand(dataset, guideline)
        try:
            cleaned.append(
                step(guideline, clean)(
                    guideline,
                    list(own),
                    store.read_bytes(paths.guidelines(dataset) / source.file),
                    store.text_if_there(hand),
                    file=str(hand),
                    form=source.format,
                    blocks=blocks.get(guideline, []),
                    removed=removed.get(guideline, []),
                    keep=how.kept(guideline),
                )
            )
        except UncleanText as error:
            problems.append(str(error))
    if problems:
        raise UncleanText(f"{dataset!r} has hand-cleaned text that does not fit its source:\n" + "\n".join(problems))
    return cleaned


def _check_known(dataset: str, how: settings.Dataset, guidelines: Collection[str]) -> None:
    for name in how.keep_in:
        if name not in guidelines:
            close = get_close_matches(name, guidelines, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"there are {sorted(guidelines)}"
            raise ParamsError(f"datasets.{dataset}.keep_in: no guideline is called {name!r}: {meant}")


def _by_guideline(rows: list[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.guideline, []).append(row)
    return found


def _ownerless(dataset: str, guidelines: set[str]) -> list[str]:
    """What is said of hand-cleaned texts that belong to no source: one that was renamed would else lose its text."""
    kept = {path(dataset, name) for name in guidelines for path in (paths.hand, paths.original, paths.before)}
    found = sorted(path for path in paths.clean(dataset).glob("*.txt") if path not in kept)
    return [
        f"{path}: no guideline of {dataset!r} has this name: rename it like its PDF, or move it away" for path in found
    ]


def _with_unread(cleaned: Cleaned, removed: list[Removal]) -> Cleaned:
    """With what the reader of a PDF left out (words drawn twice, pictures): shown, but not counted as text by the gate."""
    return replace(cleaned, removals=[*cleaned.removals, *(item for item in removed if item.page)])


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
