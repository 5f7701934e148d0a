"""A model of an Ollama server: the context is sized, nothing is truncated in silence, and every failure is named."""

import json
import threading
import time
from bisect import bisect_left
from typing import Any

from tasks.backends import tokens
from tasks.backends.ollama_server import OllamaServer, context_limit
from tasks.errors import ParamsError, Refused, Unavailable
from tasks.params import Ollama as Settings
from tasks.params import Think
from tasks.records import Ask, Reply, Status

_STATUS: dict[str, Status] = {"stop": "ok", "length": "truncated_reply"}
_SEED = 1
_LEAST_CONTEXT = 4096
_EFFORTS = ("low", "medium", "high")
_OLD = tuple(f"0.{minor}." for minor in range(7))
_OLD_SCHEMA = 30_000  # bytes: until 0.7 the grammar made of a schema was cut at 32,768
_SCHEMA = 250_000  # bytes: since then at four times the schema, and at 1 MiB
_WARM_UP = "Reply with the word OK."


class Ollama:
    """A model of an Ollama server; its digest is part of `identity`, for tags move.

    The context (`num_ctx`) is a power of two that holds the prompt, its reply and its thinking, and no more than the
    model's own limit; it grows when a prompt needs it, which loads the model again. The model is loaded by a short
    warm-up, which is in no reply's seconds. Temperature 0 and a seed do not make Ollama repeat itself: its prompt cache
    and requests at once change the arithmetic. The reply store does.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self._settings = settings
        self._server = OllamaServer(f"models.{name}", settings.model, settings.host, settings.timeout)
        self._digest = self._server.digest()
        shown = self._server.show()
        self._limit = context_limit(shown)
        self._think = self._policy(shown)
        self._loading = threading.Lock()
        self._context = 0
        self._counts_whole = True
        self._earlier: list[str] = []
        version = self._server.version()
        self._longest_schema = _OLD_SCHEMA if version.startswith(_OLD) else _SCHEMA
        options = f"context={settings.context or 'auto'} think={self._think} temperature={settings.temperature:g} seed={_SEED}"
        self.identity = f"ollama/{version} {settings.model} digest:{self._digest} {options}"
        self._server.refuse_beyond(settings.context, self._limit)

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong, EmptyReply, Refused or Unavailable."""
        context = self._load(ask)
        started = time.monotonic()
        answer = self._server.chat(self._request(ask.prompt, self._room(ask), context, ask))
        seconds = time.monotonic() - started
        tokens_in, tokens_out = int(answer.get("prompt_eval_count", 0)), int(answer.get("eval_count", 0))
        self._refuse_truncated(ask, tokens_in, tokens_out, context)
        self._server.refuse_swapped(self._digest)
        message, reason = answer.get("message", {}), answer.get("done_reason")
        if reason not in _STATUS:
            raise Unavailable(
                f"{self._settings.model!r} ended with {reason!r}, not with 'stop' or 'length': run it again"
            )
        text, thinking = str(message.get("content") or ""), str(message.get("thinking") or "")
        if not text.strip():
            raise self._server.empty(thinking)
        return Reply(
            text=text,
            status=_STATUS[str(reason)],
            model=self.name,
            digest=self._digest,
            tokens_in=tokens_in,
            tokens_reused=0,  # Ollama does not say
            tokens_out=tokens_out,
            seconds=seconds,
            thinking=thinking,
        )

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _request(self, prompt: str, room: int, context: int, ask: Ask | None = None) -> dict[str, Any]:
        """Servers that do not know `truncate` and `shift` ignore them: the counts are checked as well."""
        request: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "user", "content": prompt}],
            "stream": False,
            "truncate": False,
            "shift": False,
            "keep_alive": self._settings.keep_alive,
            "options": {
                "num_ctx": context,
                "temperature": self._settings.temperature,
                "seed": _SEED + (ask.sample if ask is not None else 0),
                "num_predict": room,
            },
        }
        if self._think is not None:
            request["think"] = self._think
        if ask is not None and ask.constraint is not None and ask.constraint.json_schema is not None:
            request["format"] = self._schema(ask.constraint.json_schema)
        return request

    def _schema(self, text: str) -> Any:
        """The schema of a constraint. Raises Refused if this version of Ollama would cut what it makes of it."""
        size = len(text.encode())
        if size > self._longest_schema:
            raise Refused(
                f"the constraint enumerates {size} bytes of the guideline, and this version of Ollama holds a model to at "
                f"most {self._longest_schema}: let the experiment read less (context: mass or shortlist), use the "
                f"embedded model, or set models.{self.name}.constrain to false"
            )
        return json.loads(text)

    def _room(self, ask: Ask) -> int:
        """The bound on what the model may write: its answer, and before that what it thinks."""
        return ask.max_tokens + (self._settings.think_tokens if self._think else 0)

    def _load(self, ask: Ask) -> int:
        """Load the model with a context that holds the prompt, unless it is; the context."""
        with self._loading:
            context = self._fitting(tokens.most(ask.prompt) + self._room(ask))
            if context != self._context:
                # twice: a server that counts only what its cache lacks counts less the second time
                first, second = (self._server.chat(self._request(_WARM_UP, 1, context)) for _ in range(2))
                self._counts_whole = first.get("prompt_eval_count") == second.get("prompt_eval_count")
                self._refuse_less(context)
                self._context = context
            return context

    def _fitting(self, needed: int) -> int:
        if self._settings.context is not None:
            return self._settings.context
        context = max(self._context, _LEAST_CONTEXT)
        while context < needed:
            context *= 2
        return min(context, self._limit or context)

    def _refuse_less(self, context: int) -> None:
        loaded = self._server.loaded_context()
        if loaded is not None and loaded < context:
            raise self._server.too_long(f"{context} tokens were asked for, and the server loaded it with {loaded}")

    def _refuse_truncated(self, ask: Ask, tokens_in: int, tokens_out: int, context: int) -> None:
        """Old servers cut a prompt in silence, to half the context: the count gives it away."""
        if tokens_in + tokens_out >= context:
            raise self._server.too_long(f"{tokens_in} tokens and a reply of {tokens_out}, in a context of {context}")
        if self._counts_whole:
            unread = ask.prompt
        else:
            shared = max((_shared(ask.prompt, item) for item in self._earlier), default=0)
            unread = ask.prompt[shared:]
            self._earlier.append(ask.prompt)
        if tokens_in < tokens.least(unread):
            raise self._server.too_long(
                f"Ollama read only {tokens_in} tokens of a prompt of at least {tokens.least(unread)}"
            )
        if not self._counts_whole and tokens.most(ask.prompt) + self._room(ask) > context:
            raise self._server.too_long(
                "it may not fit, and this version of Ollama does not count what it had read before"
            )

    def _policy(self, shown: dict[str, Any]) -> Think:
        """What is sent as `think`: gpt-oss cannot be without, other thinking models answer without unless told."""
        wanted, model = self._settings.think, self._settings.model
        if model.rsplit("/", 1)[-1].startswith("gpt-oss"):
            if wanted is not None and wanted not in _EFFORTS:
                raise ParamsError(f"models.{self.name}.think is {wanted!r}: {model!r} takes one of {list(_EFFORTS)}")
            return wanted or "low"
        return False if wanted is None and "thinking" in shown.get("capabilities", ()) else wanted


def _shared(one: str, two: str) -> int:
    """How many letters two texts begin with alike."""
    return bisect_left(range(1, min(len(one), len(two)) + 1), True, key=lambda n: one[:n] != two[:n])
