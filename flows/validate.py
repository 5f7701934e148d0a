"""validate: cleaned, numbered lines and sentences, and questions that fit them; the gate stops the run."""

from itertools import groupby

from flows.stage import console, main, step
from tasks import params as settings
from tasks import paths, store
from tasks.errors import UncleanText
from tasks.records import Document, Line, Question, Removal, Repair, Sentence, Word
from tasks.validate import Cleaned, check, clean, numbered, read_questions


def validate(dataset: str) -> None:
    """Clean every guideline, check the questions, and run the gate."""
    params = settings.load()
    words = store.read(paths.extract(dataset) / "words.parquet", Word)
    cleaned = _cleaned(dataset, words)
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
    _write(dataset, cleaned, questions, params.datasets[dataset].label)
    console.print(
        f"{len(cleaned)} guidelines, {len(lines)} lines, {len(questions)} questions; gate passed", highlight=False
    )


def _cleaned(dataset: str, words: list[Word]) -> list[Cleaned]:
    """Every guideline cleaned. Raises UncleanText with what is wrong with all the hand-cleaned texts together."""
    cleaned: list[Cleaned] = []
    problems = _ownerless(dataset, {word.guideline for word in words})
    for guideline, own in groupby(words, key=lambda word: word.guideline):
        hand = paths.hand(dataset, guideline)
        pdf = store.read_bytes(paths.guidelines(dataset) / f"{guideline}.pdf")
        try:
            cleaned.append(step(guideline, clean)(guideline, list(own), pdf, store.text_if_there(hand), str(hand)))
        except UncleanText as error:
            problems.append(str(error))
    if problems:
        raise UncleanText(f"{dataset!r} has hand-cleaned text that does not fit its PDF:\n" + "\n".join(problems))
    return cleaned


def _ownerless(dataset: str, guidelines: set[str]) -> list[str]:
    """What is said of hand-cleaned texts that belong to no PDF: a PDF that was renamed would else lose its text."""
    kept = {path(dataset, name) for name in guidelines for path in (paths.hand, paths.original, paths.before)}
    found = sorted(path for path in paths.clean(dataset).glob("*.txt") if path not in kept)
    return [f"{path}: no PDF of {dataset!r} has this name: rename it like its PDF, or move it away" for path in found]


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
