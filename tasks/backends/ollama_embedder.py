"""An embedding model of an Ollama server: it is told never to truncate, and its count of tokens is checked."""

from collections.abc import Sequence

import numpy as np

from tasks.backends import tokens
from tasks.backends.ollama_server import OllamaServer, context_limit
from tasks.backends.prefixed import Vector
from tasks.errors import PromptTooLong, Unavailable
from tasks.params import OllamaEmbedder as Settings

_LONGEST = 8192  # tokens; models say more than a small machine holds


class OllamaVectors:
    """One text a request, so that a vector is the same whatever else is embedded; the digest is part of `identity`."""

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self._settings = settings
        self._server = OllamaServer(f"embedders.{name}", settings.model, settings.host, settings.timeout)
        self._digest = self._server.digest()
        limit = context_limit(self._server.show())
        self._server.refuse_beyond(settings.context, limit)
        self._context = settings.context or min(limit or _LONGEST, _LONGEST)
        self._dimension: int | None = None
        self.identity = (
            f"ollama/{self._server.version()} {settings.model} digest:{self._digest} context={self._context}"
        )

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector a text; None where the server says that it does not fit, or read less than it. Raises ModelError."""
        found = [self._vector(text) for text in texts]
        self._server.refuse_swapped(self._digest)
        return found

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _vector(self, text: str) -> Vector | None:
        try:
            rows, count = self._server.embed(text, self._context, self._settings.keep_alive)
        except PromptTooLong:
            return None
        if count is None:
            raise Unavailable(f"{self._settings.host} does not count the tokens that it embeds: update Ollama")
        if count < tokens.least(text):
            return None
        vector = np.asarray(rows[0] if len(rows) == 1 else [], dtype=np.float32)
        if not vector.size or not np.isfinite(vector).all() or not vector.any():
            raise Unavailable(
                f"{self._settings.model!r} gave no vector for {text[:60]!r}: is it an embedding model? See Ollama's log"
            )
        if self._dimension not in (None, vector.size):
            raise Unavailable(
                f"{self._settings.model!r} gave vectors of {self._dimension} and of {vector.size} numbers"
            )
        self._dimension = vector.size
        return vector
