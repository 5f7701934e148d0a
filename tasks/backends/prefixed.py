"""What stands between an embedder's model and the rest: the prefixes of each role, and texts longer than it reads."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tasks.errors import ParamsError, TextTooLong
from tasks.params import Embeds, Prefixes
from tasks.protocols import Matrix, Role

Vector = NDArray[np.float32]

# As the models' cards give them.
_OWN = {
    "nomic-embed-text": Prefixes(query="search_query: ", document="search_document: "),
    "embeddinggemma": Prefixes(query="task: search result | query: ", document="title: none | text: "),
    "qwen3-embedding": Prefixes(
        query="Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
    ),
}


class Vectors(Protocol):
    """A model that embeds texts as they are."""

    name: str
    identity: str

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector a text, all of one dimension; None where the text is longer than the model reads."""
        ...

    def close(self) -> None:
        """Free what it holds."""
        ...


@runtime_checkable
class Tokens(Protocol):
    """A model that also gives the vectors of the tokens of a text."""

    def tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """One matrix a text, a row a token, rows of length 1."""
        ...


class Prefixed:
    """An embedder: normalised vectors of whole texts, each with its role's prefix.

    Source: the prefixes are those of the model's card. A text that the model cannot read whole is embedded in 2, 4, 8 or
    more parts of as many words each, every part with the prefix; its vector is their mean, weighted by words, of length
    1 again. `windowed` counts such texts. `prefixes` and `long` are part of `identity`.
    """

    def __init__(self, vectors: Vectors, prefixes: Prefixes, long: str) -> None:
        self.name = vectors.name
        self.identity = f"{vectors.identity} query={prefixes.query!r} document={prefixes.document!r} long={long}"
        self.windowed = 0
        self._vectors, self._prefixes, self._long = vectors, prefixes, long

    def embed(self, texts: Sequence[str], role: Role) -> Matrix:
        """Shape (len(texts), dimension), float32, rows of length 1; (0, 0) for no text. Raises TextTooLong."""
        prefix = self._prefixes.query if role == "query" else self._prefixes.document
        found = self._vectors.vectors([prefix + text for text in texts])
        rows = [
            _unit(row) if row is not None else self._whole(text, prefix) for text, row in zip(texts, found, strict=True)
        ]
        return np.stack(rows).astype(np.float32) if rows else np.empty((0, 0), dtype=np.float32)

    def tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """The vectors of each text's tokens, without prefixes. Raises ParamsError if the model gives none."""
        if not isinstance(self._vectors, Tokens):
            raise ParamsError(
                f"embedders.{self.name} gives no vectors of tokens: set retrieve.shortlist.tokens to 0, or use an "
                "embedder of sentence-transformers"
            )
        return self._vectors.tokens(texts)

    def close(self) -> None:
        """Free what the model holds."""
        self._vectors.close()

    def _whole(self, text: str, prefix: str) -> Vector:
        """The vector of a text that does not fit, by its parts."""
        if self._long == "refuse":
            raise TextTooLong(
                f"{self.name!r} cannot read a text of {len(text.split())} words whole ({text[:60]!r}...): set "
                f"embedders.{self.name}.long to window, and it is embedded in parts"
            )
        words = text.split()
        count = 2
        while count <= len(words):
            parts = [part.tolist() for part in np.array_split(np.array(words, dtype=object), count)]
            found = self._vectors.vectors([prefix + " ".join(part) for part in parts])
            rows = [row for row in found if row is not None]
            if len(rows) == len(parts):
                self.windowed += 1
                weights = np.array([len(part) for part in parts])
                return _unit(np.average([_unit(row) for row in rows], axis=0, weights=weights))
            count *= 2
        raise TextTooLong(f"{self.name!r} cannot read even single words of a text that begins {text[:60]!r}")


def prefixes_of(name: str, settings: Embeds, model: str, own: Prefixes | None) -> Prefixes:
    """The prefixes that `embedders.<name>` asks for; `own` are those that the model's files give, if they do.

    Raises ParamsError if it asks for the model's own, and they are not known.
    """
    if isinstance(settings.prefixes, Prefixes):
        return settings.prefixes
    if settings.prefixes == "none":
        return Prefixes()
    known = own or _OWN.get(model.rsplit("/", 1)[-1].split(":")[0])
    if known is None:
        raise ParamsError(
            f"embedders.{name}.prefixes is 'model', and the prefixes of {model!r} are not known: write them as "
            '{query: "...", document: "..."} (its card has them), or none'
        )
    return known


def _unit(vector: Vector) -> Vector:
    return vector / np.linalg.norm(vector)
