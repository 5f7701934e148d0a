"""What was measured, in sentences that claim no more than the tables show."""

from tasks.records import Comparison
from tasks.report.data import ExperimentRows
from tasks.report.metrics import means, questions_scored, values
from tasks.report.numbers import count, share
from tasks.report.results import ordered
from tasks.report.table import MISSING, ranks

LEADS = {
    "line_r": "Most lines of the reference shown (line recall)",
    "word_r": "Most words of the reference shown (word recall)",
    "word_f1": "Best balance of words (word F1)",
    "term_f1": "Best balance of medical terms (term F1)",
}
NAMES = {
    "ans_len": "answer length",
    "rouge_l_p": "ROUGE-L precision",
    "rouge_l_r": "ROUGE-L recall",
    "rouge_l_f": "ROUGE-L",
    "hallucination_rate": "hallucination rate",
    "quantity_kept": "quantities kept",
    "quantity_supported": "quantities in the source",
    "lead_in_loss": "lines without their lead-in",
    "negation_loss": "lines without their negation",
    "critical_omission": "critical lines omitted",
    "critical_missed": "major omissions",
} | {
    f"{kind}_{end}": f"{kind} {word}"
    for kind in ("word", "term", "line")
    for end, word in (("p", "precision"), ("r", "recall"), ("f1", "F1"))
}
FEW = 30  # questions


def findings(rows: ExperimentRows) -> list[str]:
    """Sentences about one experiment; none where nothing was scored."""
    found = means(rows.scores)
    order = ordered(rows, found)
    leaders = [_leader(found, order, metric, label) for metric, label in LEADS.items()]
    if not order:
        return []
    return [*filter(None, leaders), *_unsupported(rows, order), *_differences(rows), *_caution(rows)]


def _leader(found: dict[str, dict[str, float]], order: list[str], metric: str, label: str) -> str:
    texts = [share(found[strategy].get(metric)) for strategy in order]
    best = [place for place, mark in enumerate(ranks(texts)) if "best" in mark]
    if not best:
        return ""
    others = [f"{order[place].upper()} {texts[place]}" for place in range(len(order)) if place not in best]
    others = [text for text in others if MISSING not in text]
    names = " and ".join(order[place].upper() for place in best)
    return f"{label}: {names}, {texts[best[0]]} ({', '.join(others)})."


def _unsupported(rows: ExperimentRows, order: list[str]) -> list[str]:
    found = values(rows.scores)
    totals = {strategy: sum(found[strategy].get("unsupported", [])) for strategy in order}
    wrote = [f"{strategy.upper()} {count(total)}" for strategy, total in totals.items() if total]
    if wrote:
        names = ", ".join(wrote)
        return [f"Excerpts that the model wrote and that are not in the source, none of them shown: {names}."]
    measured = any("unsupported" in found[strategy] for strategy in order)
    return ["No strategy wrote an excerpt that is not in the source."] if measured else []


def _differences(rows: ExperimentRows) -> list[str]:
    if not rows.comparisons:
        return []
    starred = [item for item in rows.comparisons if item.p_holm < 0.05]
    if not starred:
        return ["No difference from the baseline is left after adjusting for the number of tests (Holm, p < .05)."]
    baseline = starred[0].baseline.upper()
    named = ", ".join(_difference(item) for item in starred)
    return [f"Differences from {baseline} that are left after adjusting for the number of tests: {named}."]


def _difference(item: Comparison) -> str:
    direction = "higher" if item.difference > 0 else "lower"
    return f"{item.strategy.upper()} {direction} in {NAMES.get(item.metric, item.metric)}"


def _caution(rows: ExperimentRows) -> list[str]:
    n = questions_scored(rows.scores)
    few = [f"These are {n} questions: small differences between strategies may be chance."] if n < FEW else []
    return [*few, "A strategy that leads here leads on these documents, with this model; it was not tried on others."]
