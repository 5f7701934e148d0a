"""retrieve: the ranking of the sections inside every guideline, for every question and view."""

from pathlib import Path

from flows.embedders import open_embedder
from flows.stage import main, step
from tasks import params as settings
from tasks import paths, store
from tasks.embed import VIEWS
from tasks.errors import DataError
from tasks.protocols import Embedder
from tasks.records import Hit, Question, Section
from tasks.retrieve import rank


def retrieve(embedder: str, dataset: str) -> None:
    """Embed the questions and rank."""
    params = settings.load()
    questions = store.read(paths.validate(dataset) / "questions.parquet", Question)
    backend = open_embedder(params, embedder)
    hits = step("rank", ranked)(questions, backend, paths.embed(embedder, dataset), params.retrieve)
    store.write(paths.retrieve(embedder, dataset) / "hits.parquet", hits, Hit)


def ranked(questions: list[Question], backend: Embedder, source: Path, how: settings.Retrieve) -> list[Hit]:
    """The hits of the questions over the index in `source`, which must have been made by the same embedder."""
    made_by = store.read_text(source / "embedder.txt")
    if made_by != backend.identity:
        raise DataError(f"the index in {str(source)!r} was made by {made_by!r}, not {backend.identity!r}: embed again")
    sections = store.read(source / "sections.parquet", Section)
    vectors = backend.embed([question.question for question in questions])
    return [
        hit
        for view in VIEWS
        for hit in rank(questions, vectors, sections, store.read_index(source / f"{view}.faiss"), view, how)
    ]


if __name__ == "__main__":
    main("retrieve", retrieve, ["embedder", "dataset"])
