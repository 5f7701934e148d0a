"""Choosing the language model that params.yaml names, and refusing to send closed text off this machine."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flows.stage import console
from tasks import paths
from tasks.errors import ParamsError
from tasks.params import Embedded, Ollama, Params, Replay
from tasks.protocols import LLM
from tasks.records import Call, Reply

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered

_LOCAL = {"localhost", "127.0.0.1", "::1"}


@contextmanager
def open_llm(params: Params, model: str, dataset: str) -> Iterator["Remembered"]:
    """The model called `model` with the reply store in front of it, for the text of `dataset`. Raises ParamsError."""
    from tasks.backends.remembered import Remembered
    from tasks.store.replies import ReplyStore

    refuse_leaving(params, model, dataset)
    settings = params.models[model]
    store = ReplyStore(paths.replies(model))
    llm = _llm(model, settings)
    _say_others(model, llm.identity, store.identities())
    try:
        yield Remembered(llm, store, settings.constrain)
    finally:
        close = getattr(llm, "close", None)
        if close is not None:
            close()
        store.close()


def _say_others(model: str, identity: str, remembered: dict[str, int]) -> None:
    """Say that replies of other weights, or of the same with other options, are there and are not reused."""
    others = {who: count for who, count in remembered.items() if who != identity}
    if not others:
        return
    console.print(
        f"models.{model}: {sum(others.values())} remembered replies are of other weights or options, and are not reused:",
        style="yellow",
        highlight=False,
    )
    for who, count in others.items():
        console.print(f"  {count} of {who}", markup=False, highlight=False)
    console.print(f"  now it is {identity}", markup=False, highlight=False)


def call_of(experiment: str, strategy: str, question_id: str, reply: Reply) -> Call:
    """What a reply cost."""
    return Call(
        experiment=experiment,
        strategy=strategy,
        question_id=question_id,
        status=reply.status,
        tokens_in=reply.tokens_in,
        tokens_reused=reply.tokens_reused,
        tokens_out=reply.tokens_out,
        seconds=reply.seconds,
    )


def concurrency(params: Params, model: str) -> int:
    """How many requests may be at the model at once."""
    settings = params.models[model]
    return settings.concurrency if isinstance(settings, Ollama) else 1


def tags_of(params: Params, model: str) -> set[str]:
    """The tags of a model's tasks in Prefect: its name, and `gpu` if a server of our own answers."""
    return {model, "gpu"} if isinstance(params.models[model], Ollama) else {model}


def weights_folder() -> Path:
    """Where model weights are kept: SAFELLM_WEIGHTS_DIR, or the project's own folder."""
    return Path(os.environ.get("SAFELLM_WEIGHTS_DIR", paths.WEIGHTS))


def refuse_leaving(params: Params, model: str, dataset: str) -> None:
    """Raise ParamsError if `dataset` is not open and `model` is not on this machine."""
    settings = params.models[model]
    if params.datasets[dataset].open or not isinstance(settings, Ollama):
        return
    host = urlsplit(settings.host if "//" in settings.host else f"//{settings.host}").hostname
    if host not in _LOCAL:
        raise ParamsError(
            f"the dataset {dataset!r} is not open, and models.{model} would send it to {settings.host!r}: "
            f"use a model on this machine, or set datasets.{dataset}.open to true if its text may leave"
        )


def _llm(name: str, settings: Embedded | Ollama | Replay) -> LLM:
    if isinstance(settings, Embedded):
        from tasks.backends import weights
        from tasks.backends.embedded import Embedded as EmbeddedLLM

        return EmbeddedLLM(name, weights.path(settings.weights, weights_folder()), settings.context, settings.threads)
    if isinstance(settings, Ollama):
        from tasks.backends.ollama import Ollama as OllamaLLM

        return OllamaLLM(name, settings)
    from tasks.backends.replay import Replay as ReplayLLM
    from tasks.store.replies import load

    return ReplayLLM(name, load(Path(settings.file)))
