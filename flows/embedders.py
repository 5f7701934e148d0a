"""Choosing the embedder that params.yaml names."""

from collections.abc import Iterator
from contextlib import contextmanager

from flows.leaving import refuse_leaving
from flows.stage import console
from tasks.params import OllamaEmbedder, Params
from tasks.protocols import Embedder


@contextmanager
def open_embedder(params: Params, embedder: str, dataset: str) -> Iterator[Embedder]:
    """The embedder called `embedder`, for the text of `dataset`; in the end, it is said what it embedded in parts.

    Raises ParamsError.
    """
    settings = params.embedders[embedder]
    refuse_leaving(params, dataset, f"embedders.{embedder}", settings)
    from tasks.backends.prefixed import Prefixed, prefixes_of

    if isinstance(settings, OllamaEmbedder):
        from tasks.backends.ollama_embedder import OllamaVectors

        prefixes = prefixes_of(embedder, settings, settings.model, None)
        opened = Prefixed(OllamaVectors(embedder, settings), prefixes, settings.long)
    else:
        from tasks.backends.sentence_transformers import SentenceTransformersVectors

        vectors = SentenceTransformersVectors(embedder, settings.weights)
        prefixes = prefixes_of(embedder, settings, settings.weights, vectors.prefixes)
        opened = Prefixed(vectors, prefixes, settings.long)
    try:
        yield opened
    finally:
        opened.close()
    if opened.windowed:
        console.print(
            f"embedders.{embedder}: {opened.windowed} texts were longer than the model reads, and embedded in parts",
            style="yellow",
            highlight=False,
        )
