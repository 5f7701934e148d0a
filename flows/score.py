"""score: every metric of every answer of an experiment, and the paired bootstrap against the baseline and of every pair."""

import json
from itertools import groupby

from flows.stage import main, step
from flows.terms import open_terms
from tasks import params as settings
from tasks import paths, store
from tasks.records import Answer, Comparison, Line, Question, Score
from tasks.score import METRICS, against, compare, every_pair, term_counts
from tasks.score import score as score_answers


def score(experiment: str) -> None:
    """Score the answers and compare the strategies."""
    params = settings.load()
    source = paths.validate(params.experiments[experiment].dataset)
    questions = store.read(source / "questions.parquet", Question)
    rows = store.read(source / "lines.parquet", Line)
    lines = {name: list(own) for name, own in groupby(rows, key=lambda line: line.guideline)}
    answers = store.read(paths.answer(experiment) / "answers.parquet", Answer)
    terms = open_terms(params)
    scores = step("metrics", score_answers)(answers, questions, lines, terms, params.score)
    how = params.score
    run = tuple(dict.fromkeys(answer.strategy for answer in answers))
    bootstrap = step("bootstrap", compare)
    compared = bootstrap(scores, against(run, how.baseline), tuple(METRICS), how.draws, how.seed)
    pairs = bootstrap(scores, every_pair(run), tuple(METRICS), how.draws, how.seed)
    counts = term_counts(answers, questions, terms)
    base = store.read(paths.answer(experiment) / "base.parquet", Answer)
    store.write(paths.score(experiment) / "scores.parquet", scores, Score)
    base_scores = step("base", score_answers)(base, questions, lines, terms, params.score)
    store.write(paths.score(experiment) / "base.parquet", base_scores, Score)
    store.write(paths.score(experiment) / "comparisons.parquet", compared, Comparison)
    store.write(paths.score(experiment) / "pairs.parquet", pairs, Comparison)
    store.write_text(paths.score(experiment) / "term_counts.json", json.dumps(counts, indent=1))


if __name__ == "__main__":
    main("score", score, ["experiment"])
