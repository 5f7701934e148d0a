"""Choosing the language model that params.yaml names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from flows.leaving import refuse_leaving
from flows.stage import console
from tasks import paths
from tasks.errors import ParamsError
from tasks.hosts import is_local
from tasks.params import Api, Embedded, Model, Ollama, OpenAI, Params, Replicate
from tasks.protocols import LLM
from tasks.records import Call, Reply

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered


@contextmanager
def open_llm(params: Params, model: str, dataset: str) -> Iterator["Remembered"]:
    """The model called `model` with the reply store in front of it, for the text of `dataset`. Raises ParamsError."""
    from tasks.backends.remembered import Remembered
    from tasks.store.replies import ReplyStore

    settings = params.models[model]
    refuse_leaving(params, dataset, f"models.{model}", settings)
    store = ReplyStore(paths.replies(model))
    llm = _llm(model, settings)
    _say_others(model, llm.identity, store.identities())
    try:
        yield Remembered(llm, store, settings.constrain)
    finally:
        llm.close()
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
        cost=reply.cost,
    )


def concurrency(params: Params, model: str) -> int:
    """How many requests may be at the model at once."""
    settings = params.models[model]
    return settings.concurrency if isinstance(settings, Ollama | Api) else 1


def tags_of(params: Params, model: str) -> set[str]:
    """The tags of a model's tasks in Prefect: its name, and `gpu` if a server of our own answers."""
    return {model, "gpu"} if isinstance(params.models[model], Ollama) else {model}


def weights_folder() -> Path:
    """Where model weights are kept: SAFELLM_WEIGHTS_DIR, or the project's own folder."""
    return Path(os.environ.get("SAFELLM_WEIGHTS_DIR", paths.WEIGHTS))


def _llm(name: str, settings: Model) -> LLM:
    if isinstance(settings, Embedded):
        from tasks.backends import weights
        from tasks.backends.embedded import Embedded as EmbeddedLLM

        file = weights.path(settings.weights, weights_folder())
        return EmbeddedLLM(name, file, settings.context, settings.threads, settings.temperature, _say)
    if isinstance(settings, Ollama):
        from tasks.backends.ollama import Ollama as OllamaLLM

        return OllamaLLM(name, settings)
    if isinstance(settings, Api):
        return _billed(name, settings)
    from tasks.backends.replay import Replay as ReplayLLM
    from tasks.store.replies import load

    return ReplayLLM(name, load(Path(settings.file)))


def _say(said: str) -> None:
    console.print(said, markup=False, highlight=False)


def _billed(name: str, settings: OpenAI | Replicate) -> LLM:
    """A model of an API, behind the budget of the run. Raises ParamsError if there is a budget and no price."""
    from flows.budget import Ledger, budget
    from tasks.backends.billed import Billed

    limit = budget()
    if settings.price is None and isinstance(limit, Ledger) and not is_local(settings.url):
        raise ParamsError(
            f"--max-cost cannot be kept without a price: set models.{name}.price to {{read: ..., written: ...}}, in US "
            "dollars for a million tokens"
        )
    llm: LLM
    if isinstance(settings, OpenAI):
        from tasks.backends.openai import OpenAI as OpenAILLM

        llm = OpenAILLM(name, settings)
    else:
        from tasks.backends.replicate import Replicate as ReplicateLLM

        llm = ReplicateLLM(name, settings)
    return llm if settings.price is None else Billed(llm, settings, settings.price, limit)
