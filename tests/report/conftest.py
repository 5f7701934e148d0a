"""A small study with every kind of trouble in it, worked out by hand."""

from itertools import count

import pytest

from tasks import params as params_module
from tasks.params import Asking as Ask
from tasks.params import Dataset, Embedded, Experiment, Index, Params, SentenceTransformers
from tasks.records import (
    Answer,
    Call,
    Comparison,
    Document,
    Dropped,
    Excerpt,
    Hit,
    Kind,
    Line,
    Outcome,
    Place,
    Question,
    Removal,
    Repair,
    Score,
    Section,
    Topic,
    Verdict,
    View,
)
from tasks.report import DatasetRows, ExperimentRows, Study, cost_of

HOSTILE = '<script>alert("x")</script><img src=http://evil.example/a.png>'


def document(guideline: str, title: str, words: int) -> Document:
    return Document(guideline=guideline, title=title, source="pdf", pages=2, words=words, version="0" * 64)


def lines(guideline: str, *rows: tuple[Kind, int | None, str]) -> list[Line]:
    numbers = count(1)
    return [
        Line(
            guideline=guideline,
            number=n,
            text=text,
            kind=kind,
            parent=parent,
            paragraph=1,
            places=(Place(page=1 + n // 9, box=(0, 0, 1, 1)),),
        )
        for (kind, parent, text), n in zip(rows, numbers, strict=False)
    ]


POTASSIUM = lines(
    "hyperkalaemia",
    ("heading", None, "Hyperkalaemia in adults"),
    ("heading", 1, "Protect the heart"),
    ("prose", 2, "Give calcium gluconate only when the ECG shows changes of hyperkalaemia."),
    ("prose", 2, "Repeat the ECG afterwards, and repeat the dose after 5–10 minutes if the changes persist."),
    ("heading", 1, "Cautions"),
    ("lead-in", 5, "Do not:"),
    ("bullet", 6, "give calcium through the same line as sodium bicarbonate"),
    ("bullet", 6, "give insulin without glucose unless the patient is hyperglycaemic and a senior has agreed"),
    ("heading", 1, "Shift potassium"),
    ("row", 9, "Insulin soluble | 10 units IV | With glucose 25 g | 15–30 minutes"),
    (
        "prose",
        9,
        "If the blood glucose before treatment is < 7.0 mmol/L, follow with glucose 10% at 50 mL/h for 5 hours.",
    ),
)
KIDNEY = lines(
    "acute kidney injury & more",
    ("heading", None, "Acute kidney injury"),
    ("lead-in", 1, "Stop or adjust:"),
    ("bullet", 2, "non-steroidal anti-inflammatory drugs"),
    ("bullet", 2, "metformin if the eGFR is < 30"),
)


def question(number: int, guideline: str, text: str, reference: str, gold: tuple[int, ...]) -> Question:
    return Question(question_id=f"q{number}", guideline=guideline, question=text, reference=reference, gold_lines=gold)


QUESTIONS = [
    question(1, "hyperkalaemia", "What must I avoid?", "Do not: give calcium", (6, 7, 8)),
    question(2, "hyperkalaemia", "When do I repeat the ECG?", "Repeat the ECG afterwards", (4,)),
    question(3, "acute kidney injury & more", "Which drugs do I stop in acute kidney injury?", "Stop metformin", ()),
]


def excerpt(text: str, *numbers: int, verdict: Verdict = "verbatim", label: str | None = None) -> Excerpt:
    shown = "" if verdict == "unsupported" else text
    return Excerpt(claimed=text, text=shown, lines=numbers, verdict=verdict, label=label)


def answer(
    strategy: str,
    number: int,
    *excerpts: Excerpt,
    guideline: str | None = "hyperkalaemia",
    outcome: Outcome = "answered",
    invalid: tuple[int, ...] = (),
) -> Answer:
    return Answer(
        experiment="demo-full",
        strategy=strategy,
        question_id=f"q{number}",
        guideline=guideline,
        outcome=outcome,
        excerpts=excerpts,
        invalid_ids=invalid,
        replies=(f"the reply of {strategy} </pre>{HOSTILE}",),
    )


def whole(*numbers: int) -> list[Excerpt]:
    return [excerpt(POTASSIUM[number - 1].text, number) for number in numbers]


ANSWERS = [
    answer("base", 1, excerpt("\n".join(line.text for line in POTASSIUM[5:8]), 6, 7, 8), *whole(3, 4, 11)),
    answer("base", 2, *whole(3, 4, 9, 10)),
    answer("base", 3, guideline=None, outcome="no_topic"),
    answer("copy", 1, *whole(7), excerpt(HOSTILE, verdict="unsupported")),
    answer(
        "copy",
        2,
        excerpt(POTASSIUM[3].text, 4, verdict="repaired").model_copy(update={"claimed": "repeat the ECG  afterwards"}),
    ),
    answer("copy", 3, guideline=None, outcome="no_topic"),
    answer("lines", 1, *whole(6, 7, 8), invalid=(99,)),
    answer("lines", 2, outcome="unreadable"),
    answer("lines", 3, guideline=None, outcome="no_topic"),
    answer("safety", 1, *whole(8)),
    answer("safety", 2, excerpt(POTASSIUM[3].text, 4, label="answers_question")),
    answer("safety", 3, guideline=None, outcome="no_topic"),
]

TOPICS = [
    Topic(question_id="q1", guideline="hyperkalaemia", rationale="It is about potassium.", reply="{}"),
    Topic(question_id="q2", guideline="hyperkalaemia", rationale="It is about potassium.", reply="{}"),
    Topic(question_id="q3", guideline=None, rationale="", reply=f"kidneys {HOSTILE}"),
]

MEANS: dict[str, dict[str, float | None]] = {
    # word F1 of COPY and LINES is printed alike, so both are best; SAFETY has no terms at all
    "base": {"ans_len": 61.4, "rouge_l_f": 0.3, "word_p": 0.2, "word_r": 0.95, "word_f1": 0.33, "term_p": 0.5,
             "term_r": 0.9, "term_f1": 0.6, "line_p": 0.3, "line_r": 1.0, "line_f1": 0.46, "unsupported": 0.0,
             "hallucination_rate": 0.0, "invalid_ids": 0.0, "no_topic": None},
    "copy": {"ans_len": 20.2, "rouge_l_f": 0.6, "word_p": 0.7, "word_r": 0.6, "word_f1": 0.644, "term_p": 0.7,
             "term_r": 0.6, "term_f1": 0.64, "line_p": 1.0, "line_r": 0.67, "line_f1": 0.8, "unsupported": 1 / 3,
             "hallucination_rate": 0.11, "invalid_ids": 0.0, "no_topic": None},
    "lines": {"ans_len": 30.6, "rouge_l_f": 0.5, "word_p": 0.6, "word_r": 0.8, "word_f1": 0.6399, "term_p": 0.65,
              "term_r": 0.8, "term_f1": 0.72, "line_p": 1.0, "line_r": 0.5, "line_f1": 0.67, "unsupported": 0.0,
              "hallucination_rate": 0.0, "invalid_ids": 1 / 3, "no_topic": None},
    "safety": {"ans_len": 9.4, "rouge_l_f": 0.55, "word_p": 0.9, "word_r": 0.4, "word_f1": 0.55, "line_p": 1.0,
               "line_r": 0.67, "line_f1": 0.8, "unsupported": 0.0, "hallucination_rate": 0.0, "invalid_ids": 0.0,
               "no_topic": None},
}  # fmt: skip


def scores() -> list[Score]:
    """Three questions whose mean is the one above: the mean less a tenth, the mean, the mean and a tenth of it."""
    found = []
    for strategy, row in MEANS.items():
        for metric, mean in row.items():
            spread = (0.0, 0.0, 1.0) if mean is None else (mean * 0.9, mean, mean * 1.1)
            if metric in ("unsupported", "invalid_ids") and mean is not None:
                spread = (mean * 3, 0.0, 0.0)
            for number, value in enumerate(spread, 1):
                found.append(
                    Score(
                        experiment="demo-full", strategy=strategy, question_id=f"q{number}", metric=metric, value=value
                    )
                )
    return found


def comparison(strategy: str, metric: str, difference: float, p: float) -> Comparison:
    return Comparison(
        experiment="demo-full",
        strategy=strategy,
        baseline="copy",
        metric=metric,
        difference=difference,
        low=difference - 0.1,
        high=difference + 0.1,
        p=p,
        p_holm=min(1.0, 4 * p),
    )


COMPARISONS = [
    comparison("lines", "word_r", 0.2, 0.0002),
    comparison("lines", "word_f1", -0.004, 0.8),
    comparison("safety", "word_r", -0.2, 0.03),
]


def hits() -> list[Hit]:
    def hit(number: int, guideline: str, view: View, rank: int, similarity: float) -> Hit:
        return Hit(
            question_id=f"q{number}",
            guideline=guideline,
            view=view,
            section_id=f"P1-S{rank}",
            rank=rank,
            similarity=similarity,
            mass=None,
            kept=rank == 1,
        )

    own = {1: (0.6, 0.3), 2: (0.8, 0.2), 3: (0.7, 0.1)}
    found = []
    for view, more in (("text", 0.0), ("text+question", 0.1)):
        for number, similarities in own.items():
            guideline = QUESTIONS[number - 1].guideline
            found += [hit(number, guideline, view, rank, s + more) for rank, s in enumerate(similarities, 1)]
        found.append(hit(1, "acute kidney injury & more", view, 1, 0.99))
    return found


@pytest.fixture
def dataset() -> DatasetRows:
    return DatasetRows(
        documents=[
            document("hyperkalaemia", "Hyperkalaemia", 1200),
            document("acute kidney injury & more", "AKI", 300),
        ],
        lines=[*POTASSIUM, *KIDNEY],
        questions=QUESTIONS,
        sections=[
            Section(
                guideline="hyperkalaemia",
                section_id="P1-S1",
                title="ECG",
                question="When is it?",
                text="a b c d",
                lines=(3, 4),
            ),
            Section(
                guideline="hyperkalaemia",
                section_id="P1-S2",
                title="No",
                question="What not now?",
                text="a b",
                lines=(6, 7),
            ),
        ],
        dropped=[
            Dropped(guideline="hyperkalaemia", paragraph=2, text=f"made up {HOSTILE}", reason="not in the source")
        ],
        removals=[
            Removal(
                guideline="hyperkalaemia", page=1, text=f"Page 1 {HOSTILE}", rule="running header", box=(0, 0, 1, 1)
            )
        ],
        repairs=[Repair(guideline="hyperkalaemia", page=1, before="gluco-\nnate", after="gluconate", rule="hyphen")],
        hits={"minilm": hits()},
        label="Illustrative, for software testing only, not for clinical use",
        title="Demo: two protocols",
    )


@pytest.fixture
def experiment() -> ExperimentRows:
    call = Call(
        experiment="demo-full",
        strategy="copy",
        question_id="q1",
        status="ok",
        tokens_in=1500,
        tokens_reused=1400,
        tokens_out=40,
        seconds=12.5,
    )
    return ExperimentRows(
        settings=Experiment(
            dataset="demo", model="qwen", embedder="minilm", strategies=("base", "copy", "lines", "safety")
        ),
        model=Embedded(backend="embedded", weights="qwen"),
        answers=ANSWERS,
        topics=TOPICS,
        scores=scores(),
        comparisons=COMPARISONS,
        counts={"copy": {"n": 3, "n_ref_empty": 1, "n_ans_empty": 2, "n_both_empty": 1}},
        calls=[call, call.model_copy(update={"question_id": "q2"})],
        costs=[cost_of("topic", [call])],
    )


@pytest.fixture
def study(dataset: DatasetRows, experiment: ExperimentRows) -> Study:
    params = Params(
        datasets={"demo": Dataset(open=True)},
        models={"qwen": Embedded(backend="embedded", weights="qwen")},
        embedders={"minilm": SentenceTransformers(backend="sentence-transformers", weights="all-MiniLM-L6-v2")},
        experiments={"demo-full": experiment.settings},
        extract=params_module.Extract(),
        validate=params_module.Validate(),
        index=Index(model="qwen"),
        topic=params_module.Topics(),
        retrieve=params_module.Retrieve(),
        answer=params_module.Answer(),
        score=params_module.Scoring(),
        ask=Ask(experiment="demo-full"),
    )
    return Study(datasets={"demo": dataset}, experiments={"demo-full": experiment}, params=params)
