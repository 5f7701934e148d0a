"""retrieve: the ranking of the sections inside every guideline, for every question and view, and the best lines."""

from itertools import groupby
from pathlib import Path
from typing import Any

from flows.embedders import open_embedder
from flows.stage import main, progress, step
from tasks import params as settings
from tasks import paths, store
from tasks.embed import VIEWS
from tasks.errors import DataError
from tasks.protocols import Embedder
from tasks.records import Hit, Line, LineHit, Question, Section, ViewIndex
from tasks.retrieve import LineRanker, rank


def retrieve(embedder: str, dataset: str) -> None:
    """Embed the questions and rank the sections, and the lines too if there is to be a shortlist."""
    params = settings.load()
    source = paths.validate(dataset)
    questions = store.read(source / "questions.parquet", Question)
    lines = store.read(source / "lines.parquet", Line)
    with open_embedder(params, embedder, dataset) as backend:
        hits = step("rank", ranked)(questions, backend, paths.embed(embedder, dataset), params.retrieve)
        best = step("shortlist", shortlisted)(questions, lines, backend, params.retrieve.shortlist)
    store.write(paths.retrieve(embedder, dataset) / "hits.parquet", hits, Hit)
    store.write(paths.retrieve(embedder, dataset) / "lines.parquet", best, LineHit)


def ranked(questions: list[Question], backend: Embedder, source: Path, how: settings.Retrieve) -> list[Hit]:
    """The hits of the questions over the index in `source`, which must have been made by the same embedder."""
    sections = store.read(source / "sections.parquet", Section)
    made = {item.view: item for item in store.read(source / "views.parquet", ViewIndex)}
    indexes = {view: _index(source, made[view], len(sections), backend.identity) for view in VIEWS}
    vectors = backend.embed([question.question for question in questions], "query")
    for item in made.values():
        if item.dimension != vectors.shape[1]:
            raise DataError(
                f"the index in {str(source)!r} has vectors of {item.dimension} numbers, and the questions' have "
                f"{vectors.shape[1]}: run the stage embed again"
            )
    return [hit for view in VIEWS for hit in rank(questions, vectors, sections, indexes[view], view, how)]


def shortlisted(
    questions: list[Question], lines: list[Line], backend: Embedder, how: settings.Shortlist | None
) -> list[LineHit]:
    """The best lines of every guideline for every question; none if no shortlist is to be made."""
    if how is None:
        return []
    ranker = LineRanker(questions, backend, how)
    guidelines = [list(own) for _, own in groupby(lines, key=lambda line: line.guideline)]
    return [hit for own in progress(guidelines, "shortlist", len(guidelines)) for hit in ranker.best(own)]


def _index(source: Path, made: ViewIndex, sections: int, identity: str) -> Any:
    """The index of one view. Raises DataError if another embedder made it, or it is not that of the sections."""
    if made.embedder != identity:
        raise DataError(
            f"the index in {str(source)!r} was made by {made.embedder}, and the questions would be embedded by "
            f"{identity}: run the stage embed again"
        )
    file = source / f"{made.view}.faiss"
    index = store.read_index(file)
    if (index.ntotal, index.d) != (sections, made.dimension):
        raise DataError(
            f"{str(file)!r} has {index.ntotal} rows of {index.d} numbers, not {sections} of "
            f"{made.dimension}: it belongs to another run; run the stage embed again"
        )
    return index


if __name__ == "__main__":
    main("retrieve", retrieve, ["embedder", "dataset"])
