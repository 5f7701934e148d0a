"""Every path of the project, spelled once, relative to the project's folder."""

from pathlib import Path

RAW = Path("data/raw")
CLEAN = Path("data/clean")
INTERIM = Path("data/interim")
PROCESSED = Path("data/processed")
REPLIES = Path("data/replies")
INDEX = Path("models/index")
WEIGHTS = Path("models/weights")
MEDCAT = Path("models/medcat")
TERMS = RAW / "terms" / "acute-care.csv"
REPORTS = Path("reports")
PAPER = Path("tests/golden/paper")  # the published values


def guidelines(dataset: str) -> Path:
    """The folder of the dataset's PDFs."""
    return RAW / dataset / "guidelines"


def questions(dataset: str) -> Path:
    """The dataset's questions.csv."""
    return RAW / dataset / "questions.csv"


def clean(dataset: str) -> Path:
    """The folder of hand-cleaned text, <guideline>.txt with its <guideline>.orig.txt; it may be missing."""
    return CLEAN / dataset


def hand(dataset: str, guideline: str) -> Path:
    """The hand-cleaned text of a guideline, which is used instead of the PDF's where it exists."""
    return clean(dataset) / f"{guideline}.txt"


def original(dataset: str, guideline: str) -> Path:
    """The automatic text that the hand-cleaned one was made from, as it was then."""
    return clean(dataset) / f"{guideline}.orig.txt"


def before(dataset: str, guideline: str) -> Path:
    """The hand-cleaned text as it was before it was last made anew from a PDF that had changed."""
    return clean(dataset) / f"{guideline}.before.txt"


def extract(dataset: str) -> Path:
    """words.parquet."""
    return INTERIM / "extract" / dataset


def validate(dataset: str) -> Path:
    """documents, lines, sentences, questions, removals, repairs (.parquet) and <guideline>.txt to read."""
    return INTERIM / "validate" / dataset


def index(dataset: str) -> Path:
    """sections.parquet, dropped.parquet and calls.parquet."""
    return INTERIM / "index" / dataset


def embed(embedder: str, dataset: str) -> Path:
    """One FAISS index per view, and sections.parquet in the order of its rows."""
    return INDEX / embedder / dataset


def topic(experiment: str) -> Path:
    """topics.parquet and calls.parquet."""
    return PROCESSED / "topic" / experiment


def retrieve(embedder: str, dataset: str) -> Path:
    """hits.parquet."""
    return PROCESSED / "retrieve" / embedder / dataset


def answer(experiment: str) -> Path:
    """answers.parquet, base.parquet and calls.parquet."""
    return PROCESSED / "answer" / experiment


def score(experiment: str) -> Path:
    """scores.parquet, base.parquet, comparisons.parquet and term_counts.json."""
    return PROCESSED / "score" / experiment


def replies(model: str) -> Path:
    """The reply store of a model."""
    return REPLIES / f"{model}.sqlite"


def data_docs(dataset: str) -> Path:
    """What the Great Expectations suite found in a dataset: gate.txt, and index.html, its own page made offline."""
    return REPORTS / "validate" / dataset


def pages(dataset: str) -> Path:
    """Pictures of pages with their lines, which `safellm show` draws."""
    return REPORTS / "pages" / dataset
