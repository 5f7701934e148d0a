"""llama.cpp in the process: no server to install, nothing leaves the machine; the default model."""

import json
import os
import secrets
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tasks.backends.weights import digest
from tasks.errors import PromptTooLong, Unavailable
from tasks.records import Ask, Reply, Status

_FINISHED: dict[str, Status] = {"stop": "ok", "length": "truncated_reply"}
_SEED = 1


class Embedded:
    """A GGUF model, loaded at its first reply, at temperature 0, one request at a time.

    The evaluated beginning that a prompt shares with the one before it is reused. `identity` names the weights by
    their SHA-256, the runtime and the options.
    """

    def __init__(self, name: str, weights: Path, context: int, threads: int | None) -> None:
        self.name = name
        self._weights = weights
        self._context = context
        self._threads = threads or os.cpu_count() or 1
        self._server: Any = None
        self._digest = digest(weights)
        self.identity = f"llama.cpp/{version('xllamacpp')} sha256:{self._digest} context={context} seed={_SEED}"

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong before anything is evaluated, Unavailable on any other failure."""
        request: dict[str, Any] = {
            "messages": [{"role": "user", "content": ask.prompt}],
            "temperature": 0,
            "seed": _SEED,
            "cache_prompt": True,
            "max_tokens": ask.max_tokens,
        }
        if ask.constraint is not None:
            request["grammar"] = ask.constraint.grammar
        started = time.monotonic()
        answer = self._post(request)
        choice, usage = answer["choices"][0], answer["usage"]
        if usage["prompt_tokens"] + usage["completion_tokens"] >= self._context:
            raise PromptTooLong(
                f"prompt ({usage['prompt_tokens']} tokens) and reply ({usage['completion_tokens']}) reach the context "
                f"of {self.name!r} ({self._context} tokens): raise models.{self.name}.context in params.yaml"
            )
        return Reply(
            text=choice["message"]["content"] or "",
            status=_FINISHED[choice["finish_reason"]],
            model=self.name,
            digest=self._digest,
            tokens_in=usage["prompt_tokens"],
            tokens_reused=usage["prompt_tokens_details"]["cached_tokens"],
            tokens_out=usage["completion_tokens"],
            seconds=time.monotonic() - started,
        )

    def close(self) -> None:
        """Free the model's memory."""
        self._server = None

    @property
    def address(self) -> str:
        """Where the runtime listens on loopback; without the random key of this process it refuses everyone."""
        return str(self._load().listening_address)

    def _post(self, request: dict[str, Any]) -> dict[str, Any]:
        answer = self._load().handle_chat_completions(request)
        answer = json.loads(answer) if isinstance(answer, str) else answer
        error = answer.get("error")
        if error is None:
            return dict(answer)
        if error.get("type") == "exceed_context_size_error":
            raise PromptTooLong(
                f"the prompt has {error['n_prompt_tokens']} tokens and the context of {self.name!r} {error['n_ctx']}: "
                f"raise models.{self.name}.context in params.yaml, or use context: mass"
            )
        raise Unavailable(f"{self.name!r} ({self._weights.name}) failed: {error.get('message', error)!r}")

    def _load(self) -> Any:
        if self._server is None:
            os.environ.setdefault("GOMP_SPINCOUNT", "0")
            import xllamacpp

            self._server = xllamacpp.Server(self._parameters(xllamacpp.CommonParams()))
        return self._server

    def _parameters(self, parameters: Any) -> Any:
        parameters.model.path = str(self._weights)
        parameters.n_ctx = self._context
        parameters.n_parallel = 1
        parameters.cpuparams.n_threads = self._threads
        parameters.cpuparams_batch.n_threads = self._threads
        parameters.n_gpu_layers = 0
        parameters.cache_ram_mib = 0
        parameters.ctx_shift = False
        parameters.api_keys = [secrets.token_urlsafe(32)]
        parameters.ui = False
        parameters.verbosity = -1
        return parameters
