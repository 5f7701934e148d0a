"""How well sections and lines are ranked against the gold lines, and what the similarity mass keeps."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from tasks.records import Hit, LineHit, Question, Section, View
from tasks.report.data import DatasetRows
from tasks.report.numbers import length, share
from tasks.report.table import MISSING, Table, plain

_NAMES = ("R@5", "R@10", "RR", "nDCG@10")
Ranking = Mapping[str, Sequence[Hit]]  # by question, over the sections of its own guideline


def retrieval(dataset: str, rows: DatasetRows) -> Table:
    """A row an embedder and view, over the questions with gold lines; a section is relevant if it holds one of them."""
    asked = [question for question in rows.questions if question.gold_lines]
    by_key = _rankings(rows, asked)
    return Table(
        name=f"retrieval-{dataset}",
        title=f"Retrieval on {dataset}.",
        caption=f"Of {len(asked)} questions with gold lines, within their own guideline. R@5, R@10, MRR and nDCG@10 (by "
        "ir-measures) count sections that hold a gold line; a question of whose gold lines none is in a section counts as "
        "0. Mass: the share of the gold lines in the sections kept, the words of these sections, and the words of the lines "
        "they cover, each line once. Shortlist: the share of the gold lines among the lines it holds.",
        columns=(
            "Embedder",
            "View",
            "R@5",
            "R@10",
            "MRR",
            "nDCG@10",
            "Mass: gold lines",
            "Words kept",
            "Words of lines",
            "Shortlist: gold lines",
        ),
        cells=tuple(
            plain(
                embedder,
                view,
                *(share(value) for value in measured(asked, ranking, rows.sections).values()),
                *_mass(asked, ranking, rows),
                _shortlist(asked, rows.line_hits.get(embedder, ())),
            )
            for (embedder, view), ranking in by_key.items()
        ),
        heads=2,
    )


def measured(questions: Sequence[Question], ranking: Ranking, sections: Sequence[Section]) -> dict[str, float]:
    """Mean R@5, R@10, reciprocal rank and nDCG@10 over the questions, by ir-measures."""
    import ir_measures
    from ir_measures import RR, Qrel, R, ScoredDoc, nDCG

    relevant = [
        Qrel(question.question_id, section.section_id, 1)
        for question in questions
        for section in sections
        if section.guideline == question.guideline and set(section.lines) & set(question.gold_lines)
    ]
    run = [
        ScoredDoc(question.question_id, hit.section_id, -hit.rank)
        for question in questions
        for hit in ranking.get(question.question_id, ())
    ]
    totals = dict.fromkeys(_NAMES, 0.0)
    for item in ir_measures.iter_calc([R @ 5, R @ 10, RR, nDCG @ 10], relevant, run) if relevant else ():
        totals[str(item.measure)] += item.value
    return {name: total / len(questions) for name, total in totals.items()}


def _rankings(rows: DatasetRows, asked: Sequence[Question]) -> dict[tuple[str, View], dict[str, list[Hit]]]:
    own = {(question.question_id, question.guideline) for question in asked}
    found: dict[tuple[str, View], dict[str, list[Hit]]] = defaultdict(lambda: defaultdict(list))
    for embedder, hits in rows.hits.items():
        for hit in sorted(hits, key=lambda hit: hit.rank):
            if (hit.question_id, hit.guideline) in own:
                found[embedder, hit.view][hit.question_id].append(hit)
    return found


def _mass(asked: Sequence[Question], ranking: Ranking, rows: DatasetRows) -> tuple[str, str, str]:
    """The mean share of gold lines that the mass keeps, and the mean words of its sections and of their lines."""
    sections = {(section.guideline, section.section_id): section for section in rows.sections}
    words = {(line.guideline, line.number): len(line.text.split()) for line in rows.lines}
    gold, whole, merged = [], [], []
    for question in asked:
        kept = [sections[hit.guideline, hit.section_id] for hit in ranking.get(question.question_id, ()) if hit.kept]
        covered = {number for section in kept for number in section.lines}
        gold.append(len(covered & set(question.gold_lines)) / len(set(question.gold_lines)))
        whole.append(sum(len(section.text.split()) for section in kept))
        merged.append(sum(words[question.guideline, number] for number in covered))
    return share(fmean(gold)), length(fmean(whole)), length(fmean(merged))


def _shortlist(asked: Sequence[Question], hits: Sequence[LineHit]) -> str:
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for hit in hits:
        found[hit.question_id, hit.guideline].add(hit.line)
    if not found:
        return MISSING
    return share(
        fmean(
            len(found[question.question_id, question.guideline] & set(question.gold_lines))
            / len(set(question.gold_lines))
            for question in asked
        )
    )
