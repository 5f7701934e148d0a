"""The tables about the answers: strategies (Tables 7-9, A6, A7), safety, differences, empty term sets and cost."""

from collections.abc import Mapping, Sequence

from tasks.records import Comparison
from tasks.report.data import Cost, DatasetRows, ExperimentRows, cost_of
from tasks.report.metrics import means, questions_scored, values
from tasks.report.numbers import count, length, of, probability, share, signed
from tasks.report.table import MISSING, Cell, Mark, Table, plain, ranks

METRICS = {
    "ans_len": "AnsLen",
    "rouge_l_f": "R-L",
    "word_p": "P",
    "word_r": "R",
    "word_f1": "F1",
    "term_p": "Term P",
    "term_r": "Term R",
    "term_f1": "Term F1",
}
COUNTS = {
    "n": "Questions",
    "n_ref_empty": "Reference without terms",
    "n_ans_empty": "Answer without terms",
    "n_both_empty": "Neither with terms",
}


def printed(row: Mapping[str, float]) -> list[str]:
    """The eight metrics of a row as they are printed."""
    return [(length if metric == "ans_len" else share)(row.get(metric)) for metric in METRICS]


def marked(rows: Sequence[Sequence[str]], groups: Sequence[str]) -> list[list[frozenset[Mark]]]:
    """Best and second of each of the eight metrics within each group of rows; a shorter answer is better."""
    marks: list[list[frozenset[Mark]]] = [[frozenset()] * len(METRICS) for _ in rows]
    for group in set(groups):
        members = [position for position, name in enumerate(groups) if name == group]
        for column, metric in enumerate(METRICS):
            found = ranks([rows[member][column] for member in members], lower_is_better=metric == "ans_len")
            for member, mark in zip(members, found, strict=True):
                marks[member][column] = mark
    return marks


def strategies(name: str, rows: ExperimentRows) -> Table:
    """Table 7: a row a strategy, starred where it differs from the baseline with p < .05, with the direction."""
    found = means(rows.scores)
    order = ordered(rows, found)
    texts = [printed(found[strategy]) for strategy in order]
    stars = _stars(rows.comparisons)
    cells = tuple(
        (
            Cell(strategy.upper()),
            *(
                Cell(text, mark | stars.get((strategy, metric), frozenset()))
                for metric, text, mark in zip(METRICS, row, marks, strict=True)
            ),
        )
        for strategy, row, marks in zip(order, texts, marked(texts, [""] * len(order)), strict=True)
    )
    return Table(
        name=f"strategies-{name}",
        experiment=name,
        title=f"Strategies of {name}.",
        caption=f"Means over {questions_scored(rows.scores)} questions. R-L is the ROUGE-L F-measure; P, R and F1 "
        "count words; Term P, R and F1 count medical terms; AnsLen is in words. Bold is best and underlined second "
        "best; a shorter answer counts as better, also when it is short because it fails."
        + _star_note(rows.comparisons),
        columns=("Strategy", *METRICS.values()),
        cells=cells,
    )


def ordered(rows: ExperimentRows, found: Mapping[str, object]) -> list[str]:
    """The strategies that have scores, in the order of params.yaml, then any others by name."""
    known = [strategy for strategy in rows.settings.strategies if strategy in found]
    return known + sorted(set(found) - set(known))


def _stars(comparisons: Sequence[Comparison]) -> dict[tuple[str, str], frozenset[Mark]]:
    return {
        (item.strategy, item.metric): frozenset({"higher" if item.difference > 0 else "lower"})
        for item in comparisons
        if item.p < 0.05 and item.difference != 0
    }


def _star_note(comparisons: Sequence[Comparison]) -> str:
    names = sorted({item.baseline.upper() for item in comparisons})
    if not names:
        return ""
    against = ", ".join(names)
    return f" *▲ and *▼: higher or lower than {against}, p < .05, paired bootstrap, not adjusted for many tests."


def safety(name: str, rows: ExperimentRows) -> Table:
    """What a safety officer asks: missed and needless lines, text that is not in the source, and failed answers."""
    found = values(rows.scores)
    average = means(rows.scores)
    cells = tuple(
        plain(
            strategy.upper(),
            *(share(average[strategy].get(metric)) for metric in ("line_p", "line_r", "line_f1", "hallucination_rate")),
            *(_total(found[strategy].get(metric)) for metric in ("unsupported", "invalid_ids")),
            *(of(found[strategy].get(metric)) for metric in ("unreadable", "truncated", "no_topic", "topic_correct")),
        )
        for strategy in ordered(rows, found)
    )
    return Table(
        name=f"safety-{name}",
        experiment=name,
        title=f"Safety of {name}.",
        caption="Line P, R and F1 compare the lines shown with the lines of the reference. Hallucination rate: the "
        "share of the words that the model claimed to copy and that are not in the source. Unsupported: excerpts that "
        "are not in the source; they are never shown as an answer. Invalid ids: line numbers that do not exist. Both "
        "are totals; the columns after them count questions.",
        columns=(
            "Strategy",
            "Line P",
            "Line R",
            "Line F1",
            "Hallucination rate",
            "Unsupported",
            "Invalid ids",
            "Unreadable",
            "Cut",
            "No guideline",
            "Right guideline",
        ),
        cells=cells,
    )


def losses(name: str, rows: ExperimentRows) -> Table:
    """What changes the meaning of lines, or hurts if it is missing: quantities, lead-ins, negations, critical lines."""
    found = values(rows.scores)
    average = means(rows.scores)
    return Table(
        name=f"losses-{name}",
        experiment=name,
        title=f"What is lost in {name}.",
        caption="Quantities are numbers with comparator and unit: the share of the reference's that the answer has, and of "
        "those the model claimed that the source has. Without lead-in: the share of the lines shown whose lead-in, header "
        "row or line above is not shown with them in the answer (it is beside each line wherever answers are read); "
        "without negation: how many of those hang under a “do not”. Critical omitted: the share of the safety-critical "
        "lines that are missing, and the questions with any, each a major omission.",
        columns=(
            "Strategy",
            "Quantities kept",
            "Quantities in the source",
            "Without lead-in",
            "Without negation",
            "Critical omitted",
            "Major omissions",
        ),
        cells=tuple(
            plain(
                strategy.upper(),
                *(
                    share(average[strategy].get(metric))
                    for metric in ("quantity_kept", "quantity_supported", "lead_in_loss")
                ),
                _total(found[strategy].get("negation_loss")),
                share(average[strategy].get("critical_omission")),
                of(found[strategy].get("critical_missed")),
            )
            for strategy in ordered(rows, found)
        ),
    )


def _total(numbers: Sequence[float] | None) -> str:
    return MISSING if numbers is None else count(sum(numbers))


def compared(name: str, rows: ExperimentRows) -> Table:
    """Every difference from the baseline with its interval and its Holm-adjusted p."""
    return Table(
        name=f"differences-{name}",
        experiment=name,
        title=f"Differences in {name}.",
        caption="Mean difference over the questions with its 95 % interval (paired bootstrap), two-sided p, p "
        "adjusted for the number of tests (Holm), and Cohen's d for paired values. Every pair of strategies is in "
        f"data/processed/score/{name}/pairs.parquet.",
        columns=("Strategy", "Against", "Metric", "Difference", "95 % interval", "p", "p (Holm)", "d"),
        cells=tuple(_difference(item) for item in rows.comparisons),
        heads=3,
    )


def _difference(item: Comparison) -> tuple[Cell, ...]:
    digits = 1 if item.metric == "ans_len" else 2
    return plain(
        item.strategy.upper(),
        item.baseline.upper(),
        METRICS.get(item.metric, item.metric),
        signed(item.difference, digits),
        f"{signed(item.low, digits)} to {signed(item.high, digits)}",
        probability(item.p),
        probability(item.p_holm),
        MISSING if item.effect is None else signed(item.effect, 2),
    )


def empty_terms(name: str, rows: ExperimentRows) -> Table:
    """The questions in which term scores rest on a rule and not on terms, and whatever else was counted."""
    keys = list(dict.fromkeys([*COUNTS, *(key for row in rows.counts.values() for key in row)])) if rows.counts else []
    keys = [key for key in keys if any(key in row for row in rows.counts.values())]
    return Table(
        name=f"terms-{name}",
        experiment=name,
        title=f"Questions without terms in {name}.",
        caption=f"Of {questions_scored(rows.scores)} questions. Where reference or answer holds no medical term, Term "
        "P, R and F1 follow a fixed rule.",
        columns=("Strategy", *(COUNTS.get(key, key) for key in keys)),
        cells=tuple(
            plain(strategy.upper(), *(_counted(rows.counts[strategy].get(key)) for key in keys))
            for strategy in ordered(rows, rows.counts)
        ),
    )


def _counted(value: float | None) -> str:
    return share(value) if isinstance(value, float) and not value.is_integer() else count(value)


def costs(name: str, rows: ExperimentRows, datasets: Mapping[str, DatasetRows]) -> Table:
    """What the replies cost when they were made: a remembered reply costs nothing again."""
    dataset = datasets.get(rows.settings.dataset)
    asked = dict.fromkeys(rows.settings.strategies) | {call.strategy: None for call in rows.calls}
    by_strategy = [cost_of(key, [call for call in rows.calls if call.strategy == key]) for key in asked]
    found = [*(dataset.costs if dataset else ()), *rows.costs, *(cost for cost in by_strategy if cost.calls)]
    return Table(
        name=f"cost-{name}",
        experiment=name,
        title=f"Cost of {name}.",
        caption="As the replies cost when they were made. Reused tokens of a prompt were not evaluated again. BASE "
        "asks no model.",
        columns=("Stage or strategy", "Calls", "Tokens in", "Reused", "Tokens out", "Seconds", "Seconds a call"),
        cells=tuple(_cost(cost, rows) for cost in found),
    )


def _cost(cost: Cost, rows: ExperimentRows) -> tuple[Cell, ...]:
    return plain(
        cost.stage.upper() if cost.stage in rows.settings.strategies else cost.stage,
        count(cost.calls),
        count(cost.tokens_in),
        count(cost.tokens_reused),
        count(cost.tokens_out),
        length(cost.seconds),
        length(cost.seconds / cost.calls) if cost.calls else MISSING,
    )
