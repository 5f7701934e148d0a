"""The tables about the documents and their index: Tables 1, 4, 5 and 6; and all the tables of a study in order."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from tasks.records import Hit, Question, Score
from tasks.report.data import DatasetRows, PublishedIndex, Study
from tasks.report.metrics import means, questions_scored
from tasks.report.numbers import count, length, share, spread
from tasks.report.paper import beside
from tasks.report.results import compared, costs, empty_terms, losses, marked, printed, safety, strategies
from tasks.report.retrieval import retrieval
from tasks.report.table import MISSING, Cell, Table, plain, ranks

MARKS = "Bold is best and underlined second best"


def all_tables(study: Study) -> list[Table]:
    """Every table that the study has rows for, with the published values of the paper beside ours."""
    tables = [dataset_statistics(study), index_statistics(study)]
    for dataset, rows in study.datasets.items():
        tables += [base_retrieval(study, dataset), top_similarity(dataset, rows), retrieval(dataset, rows)]
    for name, experiment in study.experiments.items():
        tables += [strategies(name, experiment), safety(name, experiment), losses(name, experiment)]
        tables += [compared(name, experiment)]
        tables += [empty_terms(name, experiment), costs(name, experiment, study.datasets)]
        tables += [beside(name, experiment, study.published)]
    return [table for table in tables if table.cells]


def dataset_statistics(study: Study) -> Table:
    """Table 1: a row a dataset."""
    return Table(
        name="datasets",
        title="Datasets.",
        caption="Words are counted at white space. Lengths are mean (min–max).",
        columns=("Dataset", "Guidelines", "Questions", "Words a guideline", "Words a question"),
        cells=tuple(
            plain(
                name,
                count(len(rows.documents)),
                count(len(rows.questions)),
                spread([document.words for document in rows.documents]),
                spread([len(question.question.split()) for question in rows.questions]),
            )
            for name, rows in study.datasets.items()
        ),
    )


def index_statistics(study: Study) -> Table:
    """Table 4: a row a statistic, a column a dataset."""
    columns = [_index_column(rows) for rows in study.datasets.values() if rows.sections or rows.dropped]
    names = [name for name, rows in study.datasets.items() if rows.sections or rows.dropped]
    labels = columns[0] if columns else {}
    theirs = study.published_index if columns else None
    return Table(
        name="index",
        title="Index.",
        caption="Sections are verbatim parts of a guideline, each with a representative question. A guideline without "
        "any section counts as 0. Left out: proposed by the model, and not in the guideline or not of the form."
        + (f" UCLH, Somerset and NICE as published in Table {theirs.table} of the paper." if theirs else ""),
        columns=("Statistic", *names, *(theirs.columns if theirs else ())),
        cells=tuple(
            plain(label, *(column[label] for column in columns), *(_published(theirs, label) if theirs else ()))
            for label in labels
        ),
    )


def _index_column(rows: DatasetRows) -> dict[str, str]:
    by_guideline = Counter(section.guideline for section in rows.sections)
    per_guideline = [by_guideline[document.guideline] for document in rows.documents]
    return {
        "Number of guidelines": count(len(rows.documents)),
        "Number of sections": count(len(rows.sections)),
        "Sections a guideline, mean": length(fmean(per_guideline)) if per_guideline else MISSING,
        "Sections a guideline, range": f"{min(per_guideline)}–{max(per_guideline)}" if per_guideline else MISSING,
        "Words a section, mean": _mean_words(section.text for section in rows.sections),
        "Words a representative question, mean": _mean_words(section.question for section in rows.sections),
        "Subparts left out": count(len(rows.dropped)),
    }


def _published(theirs: PublishedIndex, label: str) -> list[str]:
    if label not in theirs.rows:
        return [MISSING] * len(theirs.columns)
    return [count(value) if label.startswith("Number") else length(value) for value in theirs.rows[label]]


def _mean_words(texts: Iterable[str]) -> str:
    counts = [len(text.split()) for text in texts]
    return length(fmean(counts)) if counts else MISSING


def base_retrieval(study: Study, dataset: str) -> Table:
    """Table 5: BASE by embedder and view, marked within each view if there are several embedders, else within all."""
    by_index = _base_scores(study, dataset)
    rows = [printed(means(scores).get("base", {})) for scores in by_index.values()]
    keys = list(by_index)
    several = len({embedder for embedder, _ in keys}) > 1
    marks = marked(rows, [view if several else "" for _, view in keys])
    n = max((questions_scored(scores) for scores in by_index.values()), default=0)
    return Table(
        name=f"base-{dataset}",
        title=f"BASE retrieval on {dataset}.",
        caption=f"The best sections of the index, shown in full; means over {n} questions. "
        f"{MARKS}{', among the embedders of one view' if several else ''}. Answer length is in words.",
        columns=("Embedder", "View", "AnsLen", "R-L", "P", "R", "F1", "Term P", "Term R", "Term F1"),
        cells=tuple(
            (*plain(*key), *(Cell(text, mark) for text, mark in zip(row, found, strict=True)))
            for key, row, found in zip(keys, rows, marks, strict=True)
        ),
        heads=2,
    )


def _base_scores(study: Study, dataset: str) -> dict[tuple[str, str], list[Score]]:
    """BASE's scores by (embedder, view): those made for every view, else those of the experiments."""
    found: dict[tuple[str, str], list[Score]] = defaultdict(list)
    for score in study.datasets[dataset].base:
        embedder, _, view = score.experiment.partition("/")
        found[embedder, view].append(score)
    if found:
        return dict(found)
    for rows in study.experiments.values():
        own = [score for score in rows.scores if score.strategy == "base"]
        if own and rows.settings.dataset == dataset:
            found.setdefault((rows.settings.embedder, rows.settings.view), own)
    return dict(found)


def top_similarity(dataset: str, rows: DatasetRows) -> Table:
    """Table 6: the cosine of each question with the best section of its own guideline."""
    found = similarities(rows.hits, rows.questions, top_only=True)
    texts = [share(fmean(values)) for values in found.values()]
    cells = tuple(
        (
            *plain(*key),
            Cell(text, mark),
            *plain(share(stdev(values) if len(values) > 1 else None), share(min(values)), share(max(values))),
        )
        for (key, values), text, mark in zip(found.items(), texts, ranks(texts), strict=True)
    )
    return Table(
        name=f"similarity-{dataset}",
        title=f"Similarity of the top-ranked section on {dataset}.",
        caption=f"Cosine of a question with the best section of its own guideline, over {len(rows.questions)} "
        f"questions. {MARKS}. Cosines of different embedders do not share a scale: a higher one is "
        "not a better ranking.",
        columns=("Embedder", "View", "Mean", "SD", "Min", "Max"),
        cells=cells,
        heads=2,
    )


def similarities(
    hits: Mapping[str, Sequence[Hit]], questions: Sequence[Question], top_only: bool
) -> dict[tuple[str, str], list[float]]:
    """Cosines by (embedder, view), of each question with the sections of its own guideline: the best only, or all."""
    own = {(question.question_id, question.guideline) for question in questions}
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for embedder, ranked in hits.items():
        for hit in ranked:
            if (hit.question_id, hit.guideline) in own and (hit.rank == 1 or not top_only):
                found[embedder, hit.view].append(hit.similarity)
    return dict(found)
