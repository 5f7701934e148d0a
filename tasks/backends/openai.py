"""A model behind OpenAI's chat completions: hosted, or vLLM's or llama.cpp's server; the counts prove what it read."""

import json
import time
from typing import Any

from tasks.backends.api_server import ApiServer, apart, reasons, think_tokens
from tasks.errors import EmptyReply, ParamsError, Refused, Unavailable
from tasks.hosts import host_of
from tasks.params import OpenAI as Settings
from tasks.records import Ask, Reply, Status

_STATUS: dict[str, Status] = {"stop": "ok", "length": "truncated_reply"}
_HOST = "api.openai.com"
# What OpenAI itself documents for structured outputs; other servers document none
_ENUM_VALUES = 1_000
_LONG_ENUM, _LONG_ENUM_LETTERS = 250, 15_000
_LETTERS = 120_000


class OpenAI:
    """One prompt, one user message, at temperature 0 where the model takes one.

    A hosted model has no digest: what the server calls the model is recorded with every reply, and another name in the
    middle of a run is an error. Name a dated model, and it stays the same.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self._settings = settings
        self._where = f"models.{name}"
        self._temperature = _temperature(self._where, settings)
        self._think_tokens = think_tokens(settings)
        self._bound = "max_completion_tokens" if reasons(settings.model) or self._hosted else "max_tokens"
        self._server = ApiServer(self._where, settings)
        self._answering: str | None = None
        options = f"temperature={self._temperature} effort={settings.effort} think_tokens={self._think_tokens}"
        self.identity = f"openai {settings.url} {settings.model} {options}"

    @property
    def _hosted(self) -> bool:
        return host_of(self._settings.url) == _HOST

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong, EmptyReply, Refused or Unavailable."""
        request = self._request(ask)
        started = time.monotonic()
        answer = self._server.json("POST", "chat/completions", request)
        seconds = time.monotonic() - started
        choice = (answer.get("choices") or [{}])[0]
        message, reason, usage = choice.get("message") or {}, choice.get("finish_reason"), answer.get("usage") or {}
        tokens_in, tokens_out = self._server.counted(ask.prompt, usage, "prompt_tokens", "completion_tokens")
        if reason == "content_filter" or message.get("refusal"):
            raise Refused(
                f"{self._settings.model!r} refused to answer ({message.get('refusal') or reason}): {ask.prompt[-80:]!r}"
            )
        if reason not in _STATUS:
            raise Unavailable(
                f"{self._settings.model!r} ended with {reason!r}, not with 'stop' or 'length': run it again"
            )
        written, text = apart(str(message.get("content") or ""))
        thinking = str(message.get("reasoning_content") or message.get("reasoning") or written)
        if not text.strip():
            raise self._empty(bool(thinking) or bool(_reasoned(usage)))
        called = str(answer.get("model") or self._settings.model)
        self._refuse_swapped(called)
        return Reply(
            text=text,
            status=_STATUS[reason],
            model=self.name,
            digest=" ".join(filter(None, (called, str(answer.get("system_fingerprint") or "")))),
            tokens_in=tokens_in,
            tokens_reused=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0),
            tokens_out=tokens_out,
            seconds=seconds,
            thinking=thinking,
        )

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _request(self, ask: Ask) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": "user", "content": ask.prompt}],
            "stream": False,
            self._bound: ask.max_tokens + self._think_tokens,
        }
        if self._temperature is not None:
            request["temperature"] = self._temperature
        if self._settings.effort is not None:
            request["reasoning_effort"] = self._settings.effort
        if ask.constraint is not None and ask.constraint.json_schema is not None:
            schema = json.loads(ask.constraint.json_schema)
            if self._hosted:
                self._refuse_large(schema)
            form = {"name": "answer", "strict": True, "schema": schema}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        return request

    def _refuse_large(self, schema: dict[str, Any]) -> None:
        enums = [[str(value) for value in enum] for enum in _enums(schema)]
        values, letters = sum(map(len, enums)), sum(len(value) for enum in enums for value in enum)
        long = any(len(enum) > _LONG_ENUM and sum(map(len, enum)) > _LONG_ENUM_LETTERS for enum in enums)
        if values > _ENUM_VALUES or letters > _LETTERS or long:
            raise Refused(
                f"the constraint enumerates {values} values of {letters} letters, and OpenAI takes at most {_ENUM_VALUES} "
                f"values ({_LONG_ENUM} if they have more than {_LONG_ENUM_LETTERS} letters) and {_LETTERS} letters: let "
                f"the experiment read less (context: mass or shortlist), or set {self._where}.constrain to false"
            )

    def _refuse_swapped(self, called: str) -> None:
        first = self._answering = self._answering or called
        if called != first:
            raise Unavailable(
                f"{self._settings.model!r} was swapped while it answered: {first!r} before, {called!r} now: name a dated "
                f"model in {self._where}.model"
            )

    def _empty(self, thought: bool) -> EmptyReply:
        if thought:
            return EmptyReply(
                f"{self._settings.model!r} wrote only thinking and no answer: raise {self._where}.think_tokens "
                f"(now {self._think_tokens}), or lower {self._where}.effort"
            )
        return EmptyReply(
            f"{self._settings.model!r} wrote nothing: run it again, or let replies be longer (answer.max_tokens)"
        )


def _temperature(where: str, settings: Settings) -> float | None:
    """0 unless the model takes none. Raises ParamsError if the params ask for one that it refuses."""
    if not reasons(settings.model):
        return settings.temperature
    if "temperature" in settings.model_fields_set and settings.temperature is not None:
        raise ParamsError(
            f"{where}.temperature is {settings.temperature}, and {settings.model!r} takes none: leave it out"
        )
    return None


def _reasoned(usage: dict[str, Any]) -> int:
    return int((usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0)


def _enums(schema: Any) -> list[list[Any]]:
    """Every enumeration of a JSON schema."""
    if isinstance(schema, list):
        return [enum for item in schema for enum in _enums(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["enum"]] if "enum" in schema else []
    return own + [enum for key, item in schema.items() if key != "enum" for enum in _enums(item)]
