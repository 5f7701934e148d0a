"""params.yaml, typed: every setting with its meaning; an unknown key is refused with the nearest known one."""

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tasks.errors import ParamsError
from tasks.hosts import is_local
from tasks.records import Rule, View

Strategy = Literal["base", "copy", "lines", "junior", "safety", "quote"]
Think = bool | Literal["low", "medium", "high"] | None
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]


class Settings(BaseModel):
    """A frozen group of settings; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Dataset(Settings):
    """`open`: its text may be sent to a model that is not on this machine. `label` is shown wherever its text is.

    `keep` are the rules of cleaning that remove nothing; `keep_in` are more of them for single guidelines, by id.
    `references`: the reference answers were made by selecting lines, and the gate checks that; or they were written.
    """

    open: bool = False
    title: str | None = None
    label: str | None = None
    references: Literal["selected", "written"] = "written"
    keep: tuple[Rule, ...] = ()
    keep_in: dict[str, tuple[Rule, ...]] = {}

    def kept(self, guideline: str) -> frozenset[Rule]:
        """The rules that remove nothing of a guideline."""
        return frozenset((*self.keep, *self.keep_in.get(guideline, ())))


class Embedded(Settings):
    """llama.cpp in the process. `weights` is a name of `safellm setup`'s list or the path of a GGUF file."""

    backend: Literal["embedded"]
    weights: str
    context: int = Field(default=4096, ge=512)
    threads: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    constrain: bool = True


class Ollama(Settings):
    """A model of an Ollama server. `host` must be on this machine unless the dataset is open.

    `context` in tokens; empty: sized by the prompt and the model's own limit. `think` empty: low for gpt-oss, which
    cannot be without, and false for other models that think; `think_tokens` bounds it. `timeout` in seconds, of one
    reply or of loading the model. `concurrency`: how many requests at once; more than 1 changes replies now and then.
    """

    backend: Literal["ollama"]
    model: str
    host: str = "http://127.0.0.1:11434"
    context: int | None = Field(default=None, ge=512)
    temperature: float = Field(default=0.0, ge=0, le=2)
    constrain: bool = True
    think: Think = None
    think_tokens: int = Field(default=2048, ge=1)
    timeout: float = Field(default=600.0, gt=0)
    keep_alive: str = "30m"
    concurrency: int = Field(default=1, ge=1)


class Price(Settings):
    """US dollars for a million tokens, read and written."""

    read: float = Field(ge=0)
    written: float = Field(ge=0)


Variable = Annotated[str, Field(pattern=r"^[A-Z_][A-Z0-9_]*$")]


class Api(Settings):
    """What APIs share. `key` is the name of the environment variable that holds the key, never the key.

    The host of `url` must be on this machine or among `allowed_hosts`, unless the dataset is open. `think_tokens`:
    what the model may write before its answer; empty: 2,048 for models of OpenAI that think, else none. `timeout` in
    seconds, of one reply.
    """

    model: str
    url: str = Field(pattern=r"^https?://(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+)(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?$")
    key: Variable | None = None
    price: Price | None = None
    think_tokens: int | None = Field(default=None, ge=0)
    timeout: float = Field(default=600.0, gt=0)
    concurrency: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _key_is_not_overheard(self) -> Self:
        if self.key is not None and self.url.startswith("http:") and not is_local(self.url):
            raise ValueError("a key must not be sent over http to another machine: use https")
        return self


class OpenAI(Api):
    """A server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp's server and others.

    `temperature` is left out for models that take none. `effort`: how much a model that thinks should.
    """

    backend: Literal["openai"]
    constrain: bool = True
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    effort: Literal["minimal", "low", "medium", "high"] | None = None


class Replicate(Api):
    """A model of replicate.com, as "owner/name". It enforces no constraint. `inputs` are further inputs of the model."""

    backend: Literal["replicate"]
    model: str = Field(pattern=r"^[a-z0-9_.-]+/[a-z0-9_.-]+$")
    url: str = Field(
        default="https://api.replicate.com/v1", pattern=r"^https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~/-]*)?$"
    )
    key: Variable | None = "REPLICATE_API_TOKEN"
    constrain: Literal[False] = False
    inputs: dict[str, str | int | float | bool] = {}


class Replay(Settings):
    """Recorded replies only: a prompt that was never recorded stops the run. `file` is a JSONL of `safellm` replies."""

    backend: Literal["replay"]
    file: str
    constrain: bool = True


Model = Annotated[Embedded | Ollama | OpenAI | Replicate | Replay, Field(discriminator="backend")]


class Prefixes(Settings):
    """What a model was trained to read before a question, and before a text of a document."""

    query: str = ""
    document: str = ""


class Embeds(Settings):
    """What embedders share. `prefixes`: none (as in the paper), model (what the model's makers say), or the two texts.

    `long`: a text that the model cannot read whole is embedded in parts (window), and counted, or stops the run (refuse).
    """

    prefixes: Literal["none", "model"] | Prefixes = "none"
    long: Literal["window", "refuse"] = "window"


class SentenceTransformers(Embeds):
    """A sentence-transformers model: `all-MiniLM-L6-v2` (installed with SafeLLM) or the path of a local folder."""

    backend: Literal["sentence-transformers"]
    weights: str


class OllamaEmbedder(Embeds):
    """An embedding model of an Ollama server. `host` must be on this machine unless the dataset is open.

    `context` in tokens; empty: the model's own limit, at most 8,192. `timeout` in seconds.
    """

    backend: Literal["ollama"]
    model: str
    host: str = "http://127.0.0.1:11434"
    context: int | None = Field(default=None, ge=16)
    timeout: float = Field(default=600.0, gt=0)
    keep_alive: str = "30m"


Embedder = Annotated[SentenceTransformers | OllamaEmbedder, Field(discriminator="backend")]


class Vote(Settings):
    """LINES and QUOTE are asked `of` times, and what at least `keep` of the replies select is the answer.

    `by`: in as many wordings of the question (wording), or as samples of a model with a temperature (sample).
    """

    of: int = Field(ge=2, le=9)
    keep: int = Field(ge=1)
    by: Literal["wording", "sample"] = "wording"

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        if self.keep > self.of:
            raise ValueError(f"keep is {self.keep}, and there are only {self.of} votes")
        return self


class Experiment(Settings):
    """One dataset, model, embedder, view and context, and the strategies to compare.

    `context`: the model reads the whole guideline (full), the lines of the sections kept by similarity mass (mass), or
    the shortlisted lines (shortlist). `union`: this many of the best shortlisted lines are added to what a model chose.
    """

    dataset: str
    model: str
    embedder: str
    view: View = "text+question"
    context: Literal["full", "mass", "shortlist"] = "full"
    union: int = Field(default=0, ge=0)
    vote: Vote | None = None
    strategies: tuple[Strategy, ...] = ("base", "copy", "lines", "junior", "safety")

    def votes(self, strategy: str) -> Vote | None:
        """The vote that a strategy is put to, if it is."""
        return self.vote if strategy in ("lines", "quote") else None

    def ballots(self, strategy: str) -> int:
        """How many times a strategy asks the same question."""
        vote = self.votes(strategy)
        return 1 if vote is None else vote.of

    @property
    def reads_shortlist(self) -> bool:
        """Whether a shortlist must have been made."""
        return self.context == "shortlist" or self.union > 0


class Ocr(Settings):
    """How tesseract reads: `language` is its own ("eng", "deu+fra"), `dpi` how finely a page is drawn for it."""

    language: str = Field(default="eng", pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$")
    dpi: int = Field(default=300, ge=72, le=600)


class Extract(Settings):
    """`timeout` (seconds) and `memory` (MB) bound every call of a program over a PDF.

    `ocr`: pages without text are read by tesseract, and every line of them is marked; without it they are refused.
    """

    timeout: float = Field(default=60.0, gt=0)
    memory: int = Field(default=2048, ge=64)
    ocr: bool | Ocr = False


class Validate(Settings):
    """`min_words_kept`: the share of a PDF's words that must survive cleaning."""

    min_words_kept: float = Field(default=0.6, ge=0, le=1)


class Index(Settings):
    """Listing 1: who makes the sections, and whether it copies spans or names sentences."""

    model: str
    spans: Literal["copy", "ids"] = "ids"
    min_subparts: int = Field(default=2, ge=1)
    max_subparts: int = Field(default=6, ge=1)


class Topics(Settings):
    """`shortlist`: the model chooses among this many guidelines, those nearest to the question by its embedder; 0: all."""

    shortlist: int = Field(default=0, ge=0)


class Shortlist(Settings):
    """The best `lines` lines of a guideline, by the embedder's vectors of lines, of tokens, and by words (BM25).

    `tokens` and `words` are weights beside the line's, which is 1; the sum is smoothed over neighbouring lines by a
    Gaussian of `width` lines, and `own` of it is added to the smoothed one. `make bench-shortlist` chose these.
    """

    lines: int = Field(default=20, ge=1)
    tokens: float = Field(default=0.5, ge=0)
    words: float = Field(default=0.25, ge=0)
    width: float = Field(default=4.0, gt=0)
    own: float = Field(default=0.2, ge=0)


class Retrieve(Settings):
    """BASE's top k, the cumulative similarity mass, and the shortlist of lines; none is made where it is empty."""

    top_k: int = Field(default=6, ge=1)
    threshold: float = Field(default=0.95, gt=0, le=1)
    scope: int = Field(default=47, ge=1)
    min_sections: int = Field(default=5, ge=1)
    weight: Literal["cosine", "softmax"] = "cosine"
    temperature: float = Field(default=0.42, gt=0)
    shortlist: Shortlist | None = None


class Answer(Settings):
    """Bounds on replies, in tokens. A reply that reaches its bound counts as cut."""

    max_tokens: int = Field(default=400, ge=1)
    draft_tokens: int = Field(default=120, ge=1)


class Scoring(Settings):
    """The term finder, the empty-set rule and the bootstrap."""

    terms: str = "builtin"
    terms_sha256: str | None = None
    term_types: tuple[str, ...] = ()
    term_key: Literal["span", "cui"] = "span"
    both_empty: float = Field(default=1.0, ge=0, le=1)
    baseline: Strategy = "copy"
    draws: int = Field(default=10_000, ge=100)
    seed: int = 0


class Asking(Settings):
    """What `safellm ask` uses unless told otherwise."""

    experiment: str
    strategy: Strategy = "copy"


class Params(Settings):
    """The whole of params.yaml. Every group must be there, for DVC follows each by its name.

    `allowed_hosts`: hosts of APIs that may be sent the text of datasets that are not open.
    """

    allowed_hosts: tuple[str, ...] = ()
    datasets: dict[Key, Dataset]
    models: dict[Key, Model]
    embedders: dict[Key, Embedder]
    experiments: dict[Key, Experiment]
    extract: Extract
    validate_: Validate = Field(alias="validate")
    index: Index
    topic: Topics
    retrieve: Retrieve
    answer: Answer
    score: Scoring
    ask: Asking

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        for key, experiment in self.experiments.items():
            _known(experiment.dataset, self.datasets, f"experiments.{key}.dataset")
            _known(experiment.model, self.models, f"experiments.{key}.model")
            _known(experiment.embedder, self.embedders, f"experiments.{key}.embedder")
            self._shortlist_is_made(key, experiment)
            self._samples_differ(key, experiment)
        self._tokens_are_there()
        _known(self.index.model, self.models, "index.model")
        _known(self.ask.experiment, self.experiments, "ask.experiment")
        return self

    def _samples_differ(self, key: str, experiment: Experiment) -> None:
        """Raise ParamsError if a vote would ask the same of a model without a temperature."""
        model = self.models[experiment.model]
        settled = getattr(model, "temperature", None) == 0 or (
            isinstance(model, Replicate) and not model.inputs.get("temperature")
        )
        if experiment.vote is not None and experiment.vote.by == "sample" and settled:
            raise ParamsError(
                f"experiments.{key}.vote is by sample, and models.{experiment.model} has temperature 0, so that all are "
                "alike: give it a temperature, or vote by wording"
            )

    def _tokens_are_there(self) -> None:
        """Raise ParamsError if the shortlist counts tokens and an embedder gives none."""
        without = [key for key, embedder in self.embedders.items() if isinstance(embedder, OllamaEmbedder)]
        if without and self.retrieve.shortlist is not None and self.retrieve.shortlist.tokens:
            raise ParamsError(
                f"retrieve.shortlist.tokens is {self.retrieve.shortlist.tokens}, and Ollama gives no vectors of tokens "
                f"(embedders.{without[0]}): set it to 0"
            )

    def _shortlist_is_made(self, key: str, experiment: Experiment) -> None:
        """Raise ParamsError if the experiment reads more shortlisted lines than there will be."""
        made = self.retrieve.shortlist
        if made is None and experiment.reads_shortlist:
            raise ParamsError(
                f"experiments.{key} reads the shortlist, and none is made: set retrieve.shortlist to {{}}"
            )
        if made is not None and experiment.union > made.lines:
            raise ParamsError(
                f"experiments.{key}.union is {experiment.union}, and retrieve.shortlist.lines only {made.lines}"
            )


def load(path: Path = Path("params.yaml")) -> Params:
    """Read and check params.yaml. Raises ParamsError with the key, its place and what to do."""
    if not path.is_file():
        raise ParamsError(f"{str(path)!r} does not exist: run this in the project's folder")
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise ParamsError(f"{str(path)!r} is not YAML: {error}") from error
    try:
        return Params.model_validate(raw)
    except ValidationError as error:
        raise ParamsError(f"{path}: " + "; ".join(_sentence(item) for item in error.errors())) from error


def _known(name: str, known: dict[str, Any], where: str) -> None:
    if name not in known:
        raise ParamsError(f"{where} is {name!r}, which is not among {sorted(known)}.{_nearest(name, list(known))}")


def _sentence(item: Any) -> str:
    place = [str(part) for part in item["loc"]]
    if item["type"] == "extra_forbidden":
        return f"unknown key {'.'.join(place)!r}.{_nearest(place[-1], _all_keys())}"
    if place[-1:] == ["key"]:  # a key that was pasted here is not shown
        return f"{'.'.join(place)}: it must be the name of an environment variable, such as OPENAI_API_KEY, not a key"
    if item["type"] == "value_error":
        return f"{'.'.join(place)}: {item['msg'].removeprefix('Value error, ')}"
    return f"{'.'.join(place) or 'the file'}: {item['msg']} (it is {item['input']!r})"


def _all_keys() -> list[str]:
    groups: list[type[Settings]] = [Settings]
    for group in groups:
        groups += group.__subclasses__()
    return sorted({field.alias or name for group in groups for name, field in group.model_fields.items()})


def _nearest(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
