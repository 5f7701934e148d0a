"""What the outside world must be able to do for the tasks: one method each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tasks.records import Ask, Failed, Reply, Word

Matrix = NDArray[np.float32]
Role = Literal["query", "document"]


class LLM(Protocol):
    """A language model. `name` is its key in params.yaml; `identity` says exactly which weights and options answer."""

    name: str
    identity: str

    def reply(self, ask: Ask) -> Reply:
        """The model's reply. Raises Unavailable or PromptTooLong; never returns an empty answer for a failed call."""
        ...

    def close(self) -> None:
        """Free what it holds: connections, or the memory of its weights."""
        ...


class Budget(Protocol):
    """What a run may cost, in US dollars."""

    def take(self, most: float) -> None:
        """Take it out of what is left. Raises TooExpensive if that is less."""
        ...

    def give_back(self, unspent: float) -> None:
        """Put back what was taken and not spent."""
        ...


class Embedder(Protocol):
    """A sentence embedder. `identity` says exactly which weights and options embed.

    `windowed` is how many texts, so far, were longer than the model reads and were embedded in parts.
    """

    name: str
    identity: str
    windowed: int

    def embed(self, texts: Sequence[str], role: Role) -> Matrix:
        """Rows of L2-normalised vectors, shape (len(texts), dimension). Raises TextTooLong, or ModelError."""
        ...

    def tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """The vectors of each text's tokens, rows of length 1, without prefixes. Raises ParamsError if it has none."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


class PdfReader(Protocol):
    """A reader of PDFs with the place of every word."""

    def read(self, pdf: Path) -> list[Word]:
        """Every word in reading order, those read by OCR marked so. Raises UnreadablePdf."""
        ...


class TermFinder(Protocol):
    """A medical named-entity recogniser."""

    def find(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """The set of unique normalised term spans of each text; an empty text has none."""
        ...


class Replies(Protocol):
    """Where replies are remembered, by the SHA-256 of what was asked of whom."""

    def get(self, key: str) -> Reply | None:
        """The remembered reply, or None."""
        ...

    def put(self, key: str, identity: str, ask: Ask, reply: Reply) -> None:
        """Remember it, durably, before returning."""
        ...

    def put_failure(self, failed: Failed) -> None:
        """Remember that a call failed, durably, before returning."""
        ...

    def mark_unreadable(self, key: str) -> None:
        """Remember that no answer could be read from a reply."""
        ...
