"""The records that cross from one stage to the next: frozen, flat, and closed to unknown fields."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Format = Literal["pdf", "txt", "md", "docx"]
Kind = Literal["heading", "lead-in", "bullet", "row", "prose", "warning", "footnote"]
Rule = Literal["page number", "running head or foot", "contents page", "watermark", "copyright line", "cover matter"]
Verdict = Literal["verbatim", "repaired", "unsupported"]
Status = Literal["ok", "truncated_reply"]
Fate = Literal["ok", "truncated_prompt", "truncated_reply", "unreadable", "refused", "transport_failed"]
Outcome = Literal["answered", "no_topic", "unreadable", "truncated"]
View = Literal["text", "text+question"]
Box = tuple[float, float, float, float]


class Record(BaseModel):
    """A frozen row; an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Document(Record):
    """One guideline as it was read: `version` is the SHA-256 of the source and of the clean text together.

    `source` is the format of its file, or "hand" for hand-cleaned text; `pages` is 0 where the source has none.
    """

    guideline: str
    title: str
    source: Format | Literal["hand"]
    pages: int
    words: int
    version: str


class Word(Record):
    """One word of a source. `box` is (x0, y0, x1, y1) in points from the top left of page `page` (from 1).

    A source without pages (.txt, .md, .docx) has page 0 and an empty box. `ocr`: it was read from a picture.
    """

    guideline: str
    page: int
    block: int
    line: int
    text: str
    box: Box
    ocr: bool = False


class Block(Record):
    """One line of a source without pages (.txt, .md, .docx), in the order of the source.

    `indent` grows with the depth of a list, `level` orders headings, the higher above the lower, and `table` is the
    number of its table, 0 outside one.
    """

    guideline: str
    kind: Kind
    text: str
    indent: float
    level: float
    table: int


class Source(Record):
    """One file that was read, and the id that it has from then on."""

    guideline: str
    file: str
    format: Format


class Removal(Record):
    """Text of the PDF that is not in the lines, with the rule that removed it."""

    guideline: str
    page: int
    text: str
    rule: str
    box: Box


class Repair(Record):
    """Text of the PDF that is written otherwise in the lines (a ligature, a hyphenated word), with the rule."""

    guideline: str
    page: int
    before: str
    after: str
    rule: str


class Place(Record):
    """A part of a page: `box` is (x0, y0, x1, y1) in points from the top left of page `page` (from 1)."""

    page: int
    box: Box


class Line(Record):
    """One self-contained line of a guideline.

    `number` counts from 1 within the guideline. `parent` is the number of the line it hangs under: the lead-in of a
    bullet, the header row of a row, the line that refers to a footnote, the row that calls what follows a warning, the
    heading of anything else, the upper heading of a heading; None at the top. `paragraph` (from 1) groups the lines that
    are read together: a lead-in and its bullets, a table, a paragraph. `places` are where its words stand, one for every
    page and column that it runs over, in reading order; there is none where the source has no pages, or where
    hand-cleaned text was not found in the PDF. `ocr`: words of it were read from a picture, and may be misread.
    """

    guideline: str
    number: int
    text: str
    kind: Kind
    parent: int | None
    paragraph: int
    places: tuple[Place, ...]
    ocr: bool = False

    @property
    def page(self) -> int | None:
        """The page on which the line begins."""
        return self.places[0].page if self.places else None


class Sentence(Record):
    """One sentence of a guideline, numbered from 1, inside line `line`; headings are sentences too."""

    guideline: str
    number: int
    line: int
    text: str


class Question(Record):
    """One question with its reference answer; `gold_lines` may be empty.

    `critical_lines` are those of the gold lines whose omission could hurt a patient.
    """

    question_id: str
    guideline: str
    question: str
    reference: str
    gold_lines: tuple[int, ...]
    critical_lines: tuple[int, ...] = ()


class Section(Record):
    """A clinically coherent part of a paragraph, with the representative question it answers (Listing 1).

    `section_id` is unique in the guideline ("P3-S1": paragraph 3, first subpart); `text` is verbatim; `lines` are the
    lines it covers.
    """

    guideline: str
    section_id: str
    title: str
    question: str
    text: str
    lines: tuple[int, ...]


class Dropped(Record):
    """A subpart that the model proposed for the index and that did not pass the check."""

    guideline: str
    paragraph: int
    text: str
    reason: str


class Topic(Record):
    """The guideline chosen for a question, or None when the reply named none that exists (`reply` says what it said)."""

    question_id: str
    guideline: str | None
    rationale: str
    reply: str


class ViewIndex(Record):
    """What the FAISS index of one view was made of: by which embedder (its identity), of how many sections.

    `windowed` of the sections were longer than the model reads, and embedded in parts.
    """

    view: View
    embedder: str
    rows: int
    dimension: int
    windowed: int


class Hit(Record):
    """One section's place in the ranking of one guideline for one question and view.

    `rank` is from 1; `similarity` is a cosine; `mass` is the cumulative share of similarity up to this rank within the
    scope (None outside it); `kept` says whether the mass rule keeps it.
    """

    question_id: str
    guideline: str
    view: View
    section_id: str
    rank: int
    similarity: float
    mass: float | None
    kept: bool


class LineHit(Record):
    """One line's place in the shortlist of one guideline for one question: `rank` is from 1, `score` has no unit."""

    question_id: str
    guideline: str
    line: int
    rank: int
    score: float


class Constraint(Record):
    """What a reply may be, in the two languages that backends enforce: GBNF (llama.cpp) and JSON schema (Ollama).

    `json_schema` is None where the form of the reply is not JSON: such a backend answers unconstrained.
    """

    grammar: str
    json_schema: str | None


class Ask(Record):
    """One prompt. `constraint` is what a backend may enforce; `max_tokens` bounds the reply.

    A reply that reaches the bound is cut, and counts as unreadable unless `cut_ok` (a draft, which nobody is shown).
    `sample` tells apart what is asked several times of a model with a temperature; it moves the seed.
    """

    prompt: str
    constraint: Constraint | None
    max_tokens: int
    cut_ok: bool = False
    sample: int = 0


class Reply(Record):
    """One reply of a model; `tokens_reused` of the `tokens_in` prompt tokens were not evaluated again.

    `thinking` is what it wrote before its answer, which is never read as one. `cost` is in US dollars.
    """

    text: str
    status: Status
    model: str
    digest: str
    tokens_in: int
    tokens_reused: int
    tokens_out: int
    seconds: float
    thinking: str = ""
    cost: float = 0.0


class Recorded(Record):
    """One entry of the reply store: what was asked of whom, under which key, and the reply.

    `time` is when it was remembered, in seconds since 1970; `unreadable`: no answer could be read from it.
    """

    key: str
    identity: str
    ask: Ask
    reply: Reply
    time: float = 0.0
    unreadable: bool = False

    @property
    def fate(self) -> Fate:
        """What became of it."""
        return "unreadable" if self.unreadable and self.reply.status == "ok" else self.reply.status


class Failed(Record):
    """One call that failed: never an answer, never reused; `message` says why, and the call is made again."""

    identity: str
    ask: Ask
    fate: Fate
    message: str
    seconds: float
    time: float = 0.0


class Excerpt(Record):
    """A piece of an answer.

    `claimed` is what the model wrote (or the line it named); `text` is the source text that is shown, empty when
    `verdict` is `unsupported`; `lines` are the lines it was found on, those of every place if it stands in several.
    """

    claimed: str
    text: str
    lines: tuple[int, ...]
    verdict: Verdict
    label: str | None


class Answer(Record):
    """What one strategy answered to one question. The text shown is the excerpts' texts, joined by newlines.

    `guideline` is None without a topic; `invalid_ids` are the line numbers it named that do not exist.
    """

    experiment: str
    strategy: str
    question_id: str
    guideline: str | None
    outcome: Outcome
    excerpts: tuple[Excerpt, ...]
    invalid_ids: tuple[int, ...]
    replies: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text shown: supported excerpts only, one a line."""
        return "\n".join(excerpt.text for excerpt in self.excerpts if excerpt.verdict != "unsupported")


class Call(Record):
    """What one model call cost, as it was when it was made; a remembered reply costs nothing again.

    A call for the index has the dataset as `experiment`, "index" as `strategy` and "<guideline> P<paragraph>" as
    `question_id`; one for a topic has "topic" as `strategy`.
    """

    experiment: str
    strategy: str
    question_id: str
    status: Status
    tokens_in: int
    tokens_reused: int
    tokens_out: int
    seconds: float
    cost: float = 0.0  # US dollars


class Score(Record):
    """One value of one metric for one answer."""

    experiment: str
    strategy: str
    question_id: str
    metric: str
    value: float


class Comparison(Record):
    """A strategy against another on one metric: mean difference, 95 % interval, two-sided p and Holm-adjusted p.

    `effect` is Cohen's d_z, None where it has none.
    """

    experiment: str
    strategy: str
    baseline: str
    metric: str
    difference: float
    low: float
    high: float
    p: float
    p_holm: float
    effect: float | None = None
