"""What a report is made of: the records of every dataset and experiment; what a run lacks is left empty."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tasks.params import Experiment, Model, Params
from tasks.records import (
    Answer,
    Call,
    Comparison,
    Document,
    Dropped,
    Hit,
    Line,
    LineHit,
    Question,
    Record,
    Removal,
    Repair,
    Reply,
    Score,
    Section,
    Sentence,
    Topic,
)


@dataclass(frozen=True)
class Cost:
    """What the model calls of one stage or strategy cost: `tokens_reused` of `tokens_in` were not evaluated again."""

    stage: str
    calls: int
    tokens_in: int
    tokens_reused: int
    tokens_out: int
    seconds: float


@dataclass(frozen=True)
class DatasetRows:
    """One dataset. `hits` and `line_hits` are by embedder; `base` scores BASE in every view, as "<embedder>/<view>"."""

    documents: Sequence[Document] = ()
    lines: Sequence[Line] = ()
    sentences: Sequence[Sentence] = ()
    questions: Sequence[Question] = ()
    sections: Sequence[Section] = ()
    dropped: Sequence[Dropped] = ()
    removals: Sequence[Removal] = ()
    repairs: Sequence[Repair] = ()
    hits: Mapping[str, Sequence[Hit]] = field(default_factory=dict)
    line_hits: Mapping[str, Sequence[LineHit]] = field(default_factory=dict)
    base: Sequence[Score] = ()
    costs: Sequence[Cost] = ()
    title: str | None = None
    label: str | None = None


@dataclass(frozen=True)
class ExperimentRows:
    """One experiment. `counts` is {strategy: {"n_ref_empty": 3, ...}}, the questions without terms; `costs` are of the
    stages that are not strategies (topic)."""

    settings: Experiment
    model: Model | None = None
    answers: Sequence[Answer] = ()
    topics: Sequence[Topic] = ()
    scores: Sequence[Score] = ()
    comparisons: Sequence[Comparison] = ()
    counts: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    calls: Sequence[Call] = ()
    costs: Sequence[Cost] = ()


Row = tuple[float, float, float, float, float, float, float, float]


class Values(Record):
    """One row of a published table: the eight metrics in the order of ours, and those that the paper stars."""

    values: Row
    starred: tuple[Literal["R-L", "P", "R", "F1", "Term P", "Term R", "Term F1"], ...] = ()


class Published(Record):
    """A published table of strategies, by model and strategy, over one dataset and context."""

    table: str
    dataset: str
    context: Literal["full", "mass"]
    models: dict[str, dict[str, Values]]


class PublishedIndex(Record):
    """The paper's Table 4: rows of our own table of the index, a value a dataset."""

    table: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]


@dataclass(frozen=True)
class Study:
    """Everything a report is made of, by the names in params.yaml, and what the paper published."""

    datasets: Mapping[str, DatasetRows]
    experiments: Mapping[str, ExperimentRows]
    params: Params | None = None
    published: Sequence[Published] = ()
    published_index: PublishedIndex | None = None


def cost_of(stage: str, calls: Iterable[Call | Reply]) -> Cost:
    """The calls added up; seconds are those of the calls when they were made."""
    made = list(calls)
    return Cost(
        stage=stage,
        calls=len(made),
        tokens_in=sum(call.tokens_in for call in made),
        tokens_reused=sum(call.tokens_reused for call in made),
        tokens_out=sum(call.tokens_out for call in made),
        seconds=sum(call.seconds for call in made),
    )
