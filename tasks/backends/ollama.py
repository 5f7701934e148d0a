"""Ollama's native /api/chat: the context is set, nothing is truncated in silence, and every failure is named."""

import json
import time
from typing import Any

from tasks.errors import ParamsError, PromptTooLong, Unavailable
from tasks.params import Ollama as Settings
from tasks.records import Ask, Reply, Status

_STATUS: dict[str, Status] = {"stop": "ok", "length": "truncated_reply"}
_TRIES = 3
_SEED = 1
_OVERFLOW = ("exceed", "context")
_MOST_BYTES_A_TOKEN, _LEAST_BYTES_A_TOKEN = 6, 3


class Ollama:
    """A model of an Ollama server at temperature 0; its digest is part of `identity`, for tags move.

    Temperature 0 and a seed do not make Ollama repeat itself: its prompt cache changes the arithmetic. The reply store
    does.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        from ollama import Client

        self.name = name
        self._settings = settings
        # no proxy and no redirect: the text goes to `host` and nowhere else
        self._client: Any = Client(
            host=settings.host, timeout=settings.timeout, trust_env=False, follow_redirects=False
        )
        self._digest = self._find_digest()
        version = self._send("GET", "/api/version").get("version")
        options = f"context={settings.context} think={settings.think} temperature=0 seed={_SEED}"
        self.identity = f"ollama/{version} {settings.model} digest:{self._digest} {options}"

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong, or Unavailable; a broken connection is tried three times."""
        started = time.monotonic()
        answer = self._send("POST", "/api/chat", self._request(ask))
        seconds = time.monotonic() - started
        tokens_in, tokens_out = int(answer.get("prompt_eval_count", 0)), int(answer.get("eval_count", 0))
        self._refuse_truncated(ask, tokens_in, tokens_out)
        return Reply(
            text=self._content(answer),
            status=_STATUS[answer["done_reason"]],
            model=self.name,
            digest=self._digest,
            tokens_in=tokens_in,
            tokens_reused=0,  # Ollama does not say
            tokens_out=tokens_out,
            seconds=seconds,
        )

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _request(self, ask: Ask) -> dict[str, Any]:
        """The client's own `chat` has no `truncate` and no `shift`; servers that do not know them ignore them."""
        options = {"num_ctx": self._settings.context, "temperature": 0, "seed": _SEED, "num_predict": ask.max_tokens}
        request: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "user", "content": ask.prompt}],
            "stream": False,
            "truncate": False,
            "shift": False,
            "keep_alive": "30m",
            "options": options,
        }
        if self._settings.think is not None:
            request["think"] = self._settings.think
        if ask.constraint is not None and ask.constraint.json_schema is not None:
            request["format"] = json.loads(ask.constraint.json_schema)
        return request

    def _send(self, method: str, route: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        """One request; a connection that breaks is tried again, a time-out is not: it would abort a long load again."""
        import httpx
        from ollama import ResponseError

        for attempt in range(1, _TRIES + 1):
            try:
                return dict(self._client._request_raw(method, route, json=request).json())
            except (ConnectionError, httpx.TransportError) as error:
                if attempt == _TRIES or isinstance(error, httpx.TimeoutException):
                    raise Unavailable(self._unreachable(error)) from error
                time.sleep(attempt / 2)
            except ResponseError as error:
                raise self._refused(error) from error
            except ValueError as error:
                raise Unavailable(f"{self._settings.host}{route} does not speak Ollama's language: {error}") from error
        raise AssertionError("unreachable")

    def _find_digest(self) -> str:
        wanted = self._settings.model if ":" in self._settings.model else f"{self._settings.model}:latest"
        models = {str(model.get("model")): model for model in self._send("GET", "/api/tags").get("models", [])}
        if wanted not in models:
            raise Unavailable(self._missing())
        self._refuse_cloud(models[wanted])
        return str(models[wanted]["digest"])

    def _refuse_cloud(self, model: dict[str, Any]) -> None:
        """Ollama on this machine forwards its cloud models elsewhere: the prompt would leave with them."""
        shown = self._send("POST", "/api/show", {"model": self._settings.model})
        remote = model.get("remote_host") or shown.get("remote_host")
        if remote:
            raise ParamsError(
                f"models.{self.name}.model is {self._settings.model!r}, which Ollama sends on to {remote!r}: "
                "choose a model that runs on the host itself"
            )

    def _refuse_truncated(self, ask: Ask, tokens_in: int, tokens_out: int) -> None:
        """Servers that do not know `truncate` cut a prompt in silence, to half the context: the count gives it away."""
        size, context = len(ask.prompt.encode()), self._settings.context
        if tokens_in + tokens_out >= context:
            raise PromptTooLong(self._too_long(f"{tokens_in} tokens and a reply of {tokens_out}"))
        may_not_fit = size / _LEAST_BYTES_A_TOKEN + ask.max_tokens > context
        if may_not_fit and tokens_in * _MOST_BYTES_A_TOKEN < size:
            raise PromptTooLong(self._too_long(f"Ollama read only {tokens_in} tokens of a prompt of {size} bytes"))

    def _content(self, answer: dict[str, Any]) -> str:
        message, reason = answer.get("message", {}), answer.get("done_reason")
        if reason not in _STATUS:
            raise Unavailable(
                f"{self._settings.model!r} ended with {reason!r}, not with 'stop' or 'length': run it again"
            )
        if not message.get("content") and message.get("thinking"):
            raise Unavailable(
                f"{self._settings.model!r} wrote only thinking and no answer: set models.{self.name}.think in "
                "params.yaml (false, or low for a model that always thinks), or let replies be longer"
            )
        return str(message.get("content", ""))

    def _refused(self, error: Any) -> PromptTooLong | Unavailable:
        said = str(error.error)[:300]
        if error.status_code == 404:
            return Unavailable(self._missing())
        if error.status_code in (400, 500) and all(word in said.lower() for word in _OVERFLOW):
            return PromptTooLong(self._too_long(said))
        return Unavailable(
            f"Ollama at {self._settings.host} answered {error.status_code}: {said!r}: see its log, run again"
        )

    def _missing(self) -> str:
        return f"{self._settings.host} has no model {self._settings.model!r}: run `ollama pull {self._settings.model}`"

    def _too_long(self, what: str) -> str:
        return (
            f"the prompt does not fit the context of {self.name!r} ({self._settings.context} tokens): {what}. "
            f"Raise models.{self.name}.context in params.yaml, or use context: mass"
        )

    def _unreachable(self, error: Exception) -> str:
        return (
            f"no answer from Ollama at {self._settings.host} within {self._settings.timeout:g} s "
            f"({type(error).__name__}): start it with `ollama serve`, or raise models.{self.name}.timeout"
        )
