"""Choosing the embedder that params.yaml names."""

from tasks.backends.sentence_transformers import SentenceTransformers
from tasks.params import Params
from tasks.protocols import Embedder


def open_embedder(params: Params, embedder: str) -> Embedder:
    """The embedder called `embedder`."""
    return SentenceTransformers(embedder, params.embedders[embedder].weights)
