"""Automatic evaluation: one value per experiment, strategy, question and metric."""

from collections.abc import Iterator, Mapping, Sequence

from tasks.errors import DataError
from tasks.params import Scoring
from tasks.protocols import TermFinder
from tasks.records import Answer, Line, Question, Score
from tasks.score.bootstrap import against, compare, every_pair
from tasks.score.fidelity import hallucination_rate
from tasks.score.loss import critical_omission, lead_in_loss, negation_loss
from tasks.score.prf import PRF
from tasks.score.quantities import kept, supported
from tasks.score.rouge import rouge_l
from tasks.score.sets import set_prf
from tasks.score.words import answer_length, word_prf

METRICS = {
    "ans_len": "words of the answer shown",
    "rouge_l_p": "ROUGE-L precision",
    "rouge_l_r": "ROUGE-L recall",
    "rouge_l_f": "ROUGE-L F-measure: the paper's R-L",
    "word_p": "word precision",
    "word_r": "word recall",
    "word_f1": "word F1",
    "term_p": "medical term precision",
    "term_r": "medical term recall",
    "term_f1": "medical term F1",
    "line_p": "precision of the lines shown against the gold lines",
    "line_r": "recall of the gold lines",
    "line_f1": "F1 of the lines",
    "quantity_kept": "share of the reference's quantities (number, comparator, unit) that are in the answer",
    "quantity_supported": "share of the quantities the model claimed that are in the source",
    "lead_in_loss": "share of the lines shown without the lead-in, header row or line that they hang under",
    "negation_loss": "lines shown without the negation they hang under",
    "critical_omission": "share of the safety-critical gold lines that are not shown",
    "critical_missed": "1 if any safety-critical gold line is not shown: a major omission",
    "hallucination_rate": "share of the words the model claimed that are not in the source",
    "unsupported": "excerpts that are not in the source",
    "invalid_ids": "line numbers that do not exist",
    "unreadable": "1 if the reply could not be read",
    "truncated": "1 if the reply was cut",
    "no_topic": "1 if no guideline was chosen",
    "topic_correct": "1 if the guideline chosen is the question's",
}
PAPER = ("ans_len", "rouge_l_f", "word_p", "word_r", "word_f1", "term_p", "term_r", "term_f1")

__all__ = ["METRICS", "PAPER", "against", "compare", "every_pair", "score", "term_counts"]


def score(
    answers: Sequence[Answer],
    questions: Sequence[Question],
    lines: Mapping[str, Sequence[Line]],
    terms: TermFinder,
    settings: Scoring,
) -> list[Score]:
    """Every metric of every answer over the `lines` of each guideline.

    Left out are `line_*` for a question without gold lines, `critical_*` for one without safety-critical lines, and
    `quantity_kept` for one whose reference has no quantity. Raises DataError for an answer to an unknown question, or an
    empty reference.
    """
    by_id = {question.question_id: question for question in questions}
    for answer in answers:
        if answer.question_id not in by_id or not by_id[answer.question_id].reference.strip():
            raise DataError(f"the question {answer.question_id!r} is unknown, or has an empty reference")
    found = _found(answers, by_id, terms)
    return [
        Score(
            experiment=answer.experiment,
            strategy=answer.strategy,
            question_id=answer.question_id,
            metric=metric,
            value=value,
        )
        for answer in answers
        for metric, value in _values(
            answer, by_id[answer.question_id], lines.get(answer.guideline or "", ()), found, settings.both_empty
        )
    ]


def term_counts(
    answers: Sequence[Answer], questions: Sequence[Question], terms: TermFinder
) -> dict[str, dict[str, int]]:
    """For each strategy, how many questions have an empty set of terms in the reference, in the answer, in both."""
    by_id = {question.question_id: question for question in questions}
    found = _found(answers, by_id, terms)
    counts: dict[str, dict[str, int]] = {}
    for answer in answers:
        own = counts.setdefault(answer.strategy, dict.fromkeys(("n", "n_ref_empty", "n_ans_empty", "n_both_empty"), 0))
        reference, given = not found[by_id[answer.question_id].reference], not found[answer.text]
        for name, holds in zip(own, (True, reference, given, reference and given), strict=True):
            own[name] += holds
    return counts


def _found(answers: Sequence[Answer], by_id: dict[str, Question], terms: TermFinder) -> dict[str, frozenset[str]]:
    texts = {answer.text for answer in answers} | {by_id[answer.question_id].reference for answer in answers}
    ordered = sorted(texts)
    return dict(zip(ordered, terms.find(ordered), strict=True))


def _values(
    answer: Answer,
    question: Question,
    lines: Sequence[Line],
    found: dict[str, frozenset[str]],
    both_empty: float,
) -> Iterator[tuple[str, float]]:
    yield "ans_len", answer_length(answer.text)
    yield from _named("rouge_l", rouge_l(question.reference, answer.text), "f")
    yield from _named("word", word_prf(question.reference, answer.text, both_empty))
    yield from _named("term", set_prf(found[question.reference], found[answer.text], both_empty))
    shown = {line for excerpt in answer.excerpts if excerpt.text for line in excerpt.lines}
    right = shown if answer.guideline == question.guideline else {-1}
    if question.gold_lines:
        yield from _named("line", set_prf(set(question.gold_lines), right))
    omitted = critical_omission(right, question.critical_lines)
    if omitted is not None:
        yield "critical_omission", omitted
        yield "critical_missed", float(omitted > 0)
    quantities = kept(question.reference, answer.text)
    if quantities is not None:
        yield "quantity_kept", quantities
    claimed = "\n".join(excerpt.claimed for excerpt in answer.excerpts)
    yield "quantity_supported", supported(claimed, "\n".join(line.text for line in lines))
    yield "lead_in_loss", lead_in_loss(shown, lines)
    yield "negation_loss", negation_loss(shown, lines)
    yield "hallucination_rate", hallucination_rate(answer)
    yield "unsupported", sum(excerpt.verdict == "unsupported" for excerpt in answer.excerpts)
    yield "invalid_ids", len(answer.invalid_ids)
    for outcome in ("unreadable", "truncated", "no_topic"):
        yield outcome, float(answer.outcome == outcome)
    yield "topic_correct", float(answer.guideline == question.guideline)


def _named(name: str, values: PRF, last: str = "f1") -> Iterator[tuple[str, float]]:
    yield f"{name}_p", values.precision
    yield f"{name}_r", values.recall
    yield f"{name}_{last}", values.f1
