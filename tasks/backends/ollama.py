"""Ollama's native /api/chat: the context is set, nothing is truncated in silence, and every failure is named."""

import json
import time
from typing import Any

from tasks.errors import PromptTooLong, Unavailable
from tasks.params import Ollama as Settings
from tasks.records import Ask, Reply, Status

_STATUS: dict[str, Status] = {"stop": "ok", "length": "truncated_reply"}
_TRIES = 3
_SEED = 1


class Ollama:
    """A model of an Ollama server at temperature 0; its digest is part of `identity`, for tags move."""

    def __init__(self, name: str, settings: Settings) -> None:
        from ollama import Client

        self.name = name
        self._settings = settings
        self._client: Any = Client(host=settings.host, timeout=settings.timeout)
        self._digest = self._find_digest()
        options = f"context={settings.context} think={settings.think} seed={_SEED}"
        self.identity = f"ollama {settings.model} digest:{self._digest} {options}"

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong, or Unavailable; transport errors are tried three times."""
        started = time.monotonic()
        answer = self._post("/api/chat", self._request(ask))
        message, reason = answer.get("message", {}), answer.get("done_reason", "")
        prompt_tokens, reply_tokens = int(answer.get("prompt_eval_count", 0)), int(answer.get("eval_count", 0))
        if prompt_tokens + reply_tokens >= self._settings.context:
            raise PromptTooLong(self._too_long(f"{prompt_tokens} tokens and a reply of {reply_tokens}"))
        if reason not in _STATUS:
            raise Unavailable(f"{self._settings.model!r} ended with {reason!r}, not with 'stop' or 'length'")
        if not message.get("content") and message.get("thinking"):
            raise Unavailable(
                f"{self._settings.model!r} wrote only thinking and no answer: set models.{self.name}.think in params.yaml"
            )
        return Reply(
            text=message.get("content", ""),
            status=_STATUS[reason],
            model=self.name,
            digest=self._digest,
            tokens_in=prompt_tokens,
            tokens_reused=0,
            tokens_out=reply_tokens,
            seconds=time.monotonic() - started,
        )

    def _request(self, ask: Ask) -> dict[str, Any]:
        options = {
            "num_ctx": self._settings.context,
            "temperature": 0,
            "seed": _SEED,
            "num_predict": ask.max_tokens,
        }
        request: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "user", "content": ask.prompt}],
            "stream": False,
            "truncate": False,
            "options": options,
        }
        if self._settings.think is not None:
            request["think"] = self._settings.think
        if ask.constraint is not None and ask.constraint.json_schema is not None:
            request["format"] = json.loads(ask.constraint.json_schema)
        return request

    def _post(self, route: str, request: dict[str, Any]) -> dict[str, Any]:
        """A direct call over the client's connection: the client's own `chat` cannot say `truncate: false`."""
        import httpx

        for attempt in range(1, _TRIES + 1):
            try:
                response = self._client._client.post(route, json=request)
                break
            except httpx.TransportError as error:
                if attempt == _TRIES or isinstance(error, httpx.ReadTimeout):
                    raise Unavailable(self._unreachable(error)) from error
                time.sleep(attempt)
        if response.status_code == 404:
            raise Unavailable(
                f"{self._settings.host} has no model {self._settings.model!r}: `ollama pull {self._settings.model}`"
            )
        if response.status_code == 400 and "context" in response.text:
            raise PromptTooLong(self._too_long(response.text[:200]))
        if response.status_code != 200:
            raise Unavailable(f"{self._settings.host}{route} answered {response.status_code}: {response.text[:200]!r}")
        return dict(response.json())

    def _find_digest(self) -> str:
        import httpx

        try:
            models = self._client.list().models
        except (ConnectionError, httpx.TransportError) as error:
            raise Unavailable(self._unreachable(error)) from error
        wanted = self._settings.model if ":" in self._settings.model else f"{self._settings.model}:latest"
        for model in models:
            if model.model == wanted:
                return str(model.digest)
        raise Unavailable(f"{self._settings.host} has no model {wanted!r}: `ollama pull {self._settings.model}`")

    def _too_long(self, what: str) -> str:
        return (
            f"the prompt does not fit the context of {self.name!r} ({self._settings.context} tokens): {what}. "
            f"Raise models.{self.name}.context in params.yaml, or use context: mass"
        )

    def _unreachable(self, error: Exception) -> str:
        return (
            f"no answer from Ollama at {self._settings.host} within {self._settings.timeout:g} s "
            f"({type(error).__name__}: {error}): start it with `ollama serve`"
        )
