"""llama.cpp in the process: no server to install, nothing leaves the machine; the default model."""

import os
import secrets
import threading
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any

from tasks.backends.weights import digest, token_bytes
from tasks.errors import PromptTooLong, Unavailable
from tasks.records import Ask, Reply, Status

_FINISHED: dict[str, Status] = {"eos": "ok", "word": "ok", "limit": "truncated_reply"}
_SEED = 1
_CHUNK = 64


class Embedded:
    """A GGUF model, loaded at its first reply, one request at a time.

    The evaluated beginning that a prompt shares with the one before it is reused, in whole chunks: a prompt is always
    evaluated in the same chunks of 64 tokens, whatever was asked before. Where chunks begin changes the last bits of
    the arithmetic, and with them, now and then, the text of a reply. `identity` names the weights by their SHA-256,
    the runtime and the options. `say` is told, before the model is loaded, what memory it takes.
    """

    def __init__(
        self,
        name: str,
        weights: Path,
        context: int,
        threads: int | None,
        temperature: float = 0.0,
        say: Callable[[str], None] = lambda said: None,
    ) -> None:
        self.name = name
        self._say = say
        self._temperature = temperature
        self._weights = weights
        self._context = context
        self._threads = threads or os.cpu_count() or 1
        self._one_at_a_time = threading.Lock()
        self._server: Any = None
        self._http: Any = None
        self._evaluated: list[int] = []
        self._digest = digest(weights)
        self.identity = (
            f"llama.cpp/{version('xllamacpp')} sha256:{self._digest} "
            f"context={context} temperature={temperature:g} seed={_SEED} chunk={_CHUNK}"
        )

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong before anything is evaluated, Unavailable on any other failure."""
        with self._one_at_a_time:
            self._load()
            started = time.monotonic()
            tokens = self._tokens(ask.prompt)
            self._refuse_too_long(len(tokens), ask.max_tokens)
            answer = self._complete(tokens, ask)
        return Reply(
            text=answer["content"],
            status=_FINISHED[answer["stop_type"]],
            model=self.name,
            digest=self._digest,
            tokens_in=len(tokens),
            tokens_reused=answer["timings"]["cache_n"],
            tokens_out=answer["timings"]["predicted_n"],
            seconds=time.monotonic() - started,
        )

    def close(self) -> None:
        """Free the model's memory; the next reply loads it again."""
        with self._one_at_a_time:
            if self._http is not None:
                self._http.close()
            self._server = self._http = None
            self._evaluated = []

    @property
    def address(self) -> str:
        """Where the runtime listens on loopback; without the random key of this process it refuses everyone."""
        with self._one_at_a_time:
            self._load()
            return str(self._server.listening_address)

    def _tokens(self, prompt: str) -> list[int]:
        """The prompt as one user message in the model's own chat template, in tokens."""
        templated = self._post("/apply-template", {"messages": [{"role": "user", "content": prompt}]})["prompt"]
        request = {"content": templated, "add_special": True, "parse_special": True}
        return [int(token) for token in self._post("/tokenize", request)["tokens"]]

    def _refuse_too_long(self, tokens: int, max_tokens: int) -> None:
        if tokens + max_tokens > self._context:
            raise PromptTooLong(
                f"the prompt ({tokens} tokens) and its reply (up to {max_tokens}) do not fit the context of "
                f"{self.name!r} ({self._context} tokens), and nothing was sent: raise models.{self.name}.context in "
                "params.yaml, or use context: mass or shortlist"
            )

    def _complete(self, tokens: list[int], ask: Ask) -> dict[str, Any]:
        reused = self._rewind(tokens)
        request = {"prompt": tokens, "n_predict": ask.max_tokens, "cache_prompt": reused > 0}
        request |= {"temperature": self._temperature, "seed": _SEED + ask.sample}
        if ask.constraint is not None:
            request["grammar"] = ask.constraint.grammar
        answer = self._post("/completion", request)
        self._evaluated = tokens
        return answer

    def _rewind(self, tokens: list[int]) -> int:
        """Make the runtime forget all but the whole chunks that these tokens share with the last; how many tokens remain.

        It is asked to go on from there with a token that does not follow, which costs the time of one token.
        """
        last, self._evaluated = self._evaluated, []
        shared = sum(1 for _ in takewhile(bool, (a == b for a, b in zip(tokens[:-1], last, strict=False))))
        kept = shared // _CHUNK * _CHUNK
        if kept:
            other = tokens[kept] - 1 if tokens[kept] else 1
            request = {"prompt": [*tokens[:kept], other], "n_predict": 0, "cache_prompt": True}
            self._post("/completion", request)
        return kept

    def _post(self, route: str, request: dict[str, Any]) -> dict[str, Any]:
        import httpx

        try:
            answer: dict[str, Any] = self._http.post(route, json=request).json()
        except (httpx.HTTPError, ValueError) as error:
            raise Unavailable(f"{self.name!r} ({self._weights.name}) broke off ({error!r}): run it again") from error
        if "error" in answer:
            raise Unavailable(f"{self.name!r} ({self._weights.name}) refused: {answer['error'].get('message')!r}")
        return answer

    def _load(self) -> None:
        """Load the model, if it is not. Requests go over loopback, so that Ctrl-C ends one at once."""
        if self._server is not None:
            return
        os.environ.setdefault("GOMP_SPINCOUNT", "0")  # else waiting threads spin, and a busy machine slows tenfold
        import httpx
        import xllamacpp

        self._refuse_without_memory()
        key = secrets.token_urlsafe(32)
        try:
            server = xllamacpp.Server(self._parameters(xllamacpp.CommonParams(), key))
        except RuntimeError as error:
            raise Unavailable(
                f"{str(self._weights)!r} could not be loaded ({error}): is it a whole GGUF file, and is there memory?"
            ) from error
        self._http = httpx.Client(
            base_url=server.listening_address,
            headers={"Authorization": f"Bearer {key}"},
            timeout=None,
            trust_env=False,  # a proxy must not stand between
        )
        self._server = server

    def _refuse_without_memory(self) -> None:
        """Say what memory the weights and the context take, and raise Unavailable if there is less.

        The runtime may take up to as much again as the weights, where it lays them out anew for the processor.
        """
        import psutil

        weights, cache = self._weights.stat().st_size, token_bytes(self._weights) * self._context
        needs = (
            f"models.{self.name} takes at least {_size(weights + cache)} of memory ({_size(weights)} of weights, "
            f"{_size(cache)} for a context of {self._context:,} tokens), and {{}} are free"
        )
        free = psutil.virtual_memory().available
        if weights + cache > free:
            raise Unavailable(
                needs.format(_size(free)) + f": end other programs, lower models.{self.name}.context in params.yaml, "
                "or use smaller weights"
            )
        self._say(needs.format(_size(free)))

    def _parameters(self, parameters: Any, key: str) -> Any:
        parameters.model.path = str(self._weights)
        parameters.n_ctx = self._context
        parameters.n_parallel = 1
        parameters.n_batch = parameters.n_ubatch = _CHUNK
        parameters.cpuparams.n_threads = self._threads
        parameters.cpuparams_batch.n_threads = self._threads
        parameters.n_gpu_layers = 0
        parameters.cache_ram_mib = 0
        parameters.n_ctx_checkpoints = 0
        parameters.ctx_shift = False
        parameters.api_keys = [key]
        parameters.ui = False
        parameters.verbosity = -1
        return parameters


def _size(count: int) -> str:
    return f"{count / 1e9:,.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
