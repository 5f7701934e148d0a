"""Closed text does not leave this machine, whoever asks for it: language models and embedders alike."""

from tasks.errors import ParamsError
from tasks.hosts import host_of, is_local
from tasks.params import Api, Embedder, Model, Ollama, OllamaEmbedder, Params


def refuse_leaving(params: Params, dataset: str, where: str, settings: Model | Embedder) -> None:
    """Raise ParamsError if `dataset` is not open and `settings`, at `where` of params.yaml, are of a host elsewhere."""
    if isinstance(settings, Ollama | OllamaEmbedder):
        address = settings.host
    elif isinstance(settings, Api):
        address = settings.url
    else:
        return
    if params.datasets[dataset].open or is_local(address) or host_of(address) in params.allowed_hosts:
        return
    raise ParamsError(
        f"the dataset {dataset!r} is not open, and {where} would send it to {address!r}: use a model on this machine, "
        f"set datasets.{dataset}.open to true if anybody may read it, or add {host_of(address)!r} to allowed_hosts if "
        "that host may"
    )
