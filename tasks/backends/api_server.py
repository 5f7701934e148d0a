"""One HTTP API that is asked with a key: no proxy, no redirect, limits honoured, and the key in no message."""

import os
import re
import time
from typing import Any

from tasks.backends import tokens
from tasks.backends.busy import BUSY, wait
from tasks.errors import ModelError, ParamsError, PromptTooLong, Refused, Unavailable
from tasks.params import Api

_TRIES = 5
_CONNECT = 10.0  # seconds
_LONGEST_WAIT = 120.0
_THINK_TOKENS = 2048
_OUT_OF_MONEY = ("insufficient_quota", "billing", "payment")
_TOO_LONG = re.compile(r"context.?(length|size|window)|(prompt|input).{0,40}(too long|exceeds)", re.IGNORECASE)
_REASONING = re.compile(r"gpt-5|o\d")


def reasons(model: str) -> bool:
    """Whether it is a model of OpenAI that thinks always and takes no temperature (gpt-5, o1, o3, o4 and kin)."""
    return _REASONING.match(model.rsplit("/", 1)[-1]) is not None


def think_tokens(settings: Api) -> int:
    """What the model may write before its answer."""
    if settings.think_tokens is not None:
        return settings.think_tokens
    return _THINK_TOKENS if reasons(settings.model) else 0


def apart(content: str) -> tuple[str, str]:
    """What is thought, and what is answered, of a content that may hold both: numbers in thinking are no answer."""
    if not content.lstrip().startswith("<think>"):
        return "", content
    thinking, _, answer = content.lstrip().removeprefix("<think>").partition("</think>")
    return thinking.strip(), answer.lstrip("\n")


class ApiServer:
    """`where` is the place in params.yaml, for messages.

    A request is sent again only where none was answered: no connection, or a server that is busy and says when to come
    back. One that broke off may have been answered and billed, so the next run asks it again, not this one.
    """

    def __init__(self, where: str, settings: Api) -> None:
        import httpx

        self.where = where
        self._settings = settings
        self._key = _key(where, settings.key)
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._http = httpx.Client(
            base_url=settings.url.rstrip("/") + "/",
            headers=headers,
            timeout=httpx.Timeout(settings.timeout, connect=min(_CONNECT, settings.timeout)),
            trust_env=False,
            follow_redirects=False,
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def json(
        self, method: str, route: str, request: dict[str, Any] | None = None, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """The answer's JSON object. Raises Unavailable, Refused or PromptTooLong."""
        answer = self._answer(method, route, request, headers)
        try:
            body = answer.json()
        except ValueError:
            body = None
        if not answer.is_success:
            raise self._refusal(answer.status_code, self.scrubbed(_said(body, answer.text)))
        if not isinstance(body, dict):
            raise Unavailable(f"{self._settings.url} does not answer in JSON: {self.scrubbed(answer.text[:60])!r}")
        return body

    def scrubbed(self, text: str) -> str:
        """The text, with the key taken out of it."""
        return text.replace(self._key, "***") if self._key else text

    def counted(self, prompt: str, counts: dict[str, Any], read: str, written: str) -> tuple[int, int]:
        """The tokens that were read and written, which `counts` has under these names: they prove what was read.

        Raises Unavailable if they are not there, and PromptTooLong if they are too few for the prompt.
        """
        if read not in counts or written not in counts:
            raise Unavailable(
                f"{self._settings.url} does not count tokens for {self._settings.model!r}, so nobody can see whether "
                "its prompt or its reply was cut: use another model"
            )
        tokens_in = int(counts[read])
        if tokens_in < tokens.least(prompt):
            raise self.too_long(f"it read only {tokens_in} tokens of at least {tokens.least(prompt)}")
        return tokens_in, int(counts[written])

    def too_long(self, what: str) -> PromptTooLong:
        """The error for a prompt that does not fit, or was cut."""
        return PromptTooLong(
            f"the prompt does not fit the context of {self._settings.model!r}: {what}. Use a model with a longer "
            "context, or let the experiment read less (context: mass or shortlist)"
        )

    def _answer(self, method: str, route: str, request: dict[str, Any] | None, headers: dict[str, str] | None) -> Any:
        import httpx

        for attempt in range(1, _TRIES + 1):
            try:
                answer = self._http.request(method, route, json=request, headers=headers)
            except httpx.ConnectError as error:
                if attempt == _TRIES:
                    raise Unavailable(self._unreachable(error)) from error
                time.sleep(attempt / 2)
                continue
            except httpx.TransportError as error:
                raise Unavailable(self._unreachable(error)) from error
            if answer.status_code not in BUSY or attempt == _TRIES or _broke(answer.text):
                return answer
            time.sleep(wait(answer.headers.get("Retry-After"), 2.0 ** (attempt - 1), _LONGEST_WAIT))
        raise AssertionError("unreachable")

    def _refusal(self, code: int, said: str) -> ModelError:
        url, model = self._settings.url, self._settings.model
        if code in (401, 403):
            have = f"the key in ${self._settings.key}" if self._settings.key else "a request without a key"
            return Refused(
                f"{url} refused {have} ({code}): {said!r}: set {self.where}.key to the variable that holds it"
            )
        if code == 404:
            return Unavailable(f"{url} has no model {model!r} (404): {said!r}: check {self.where}.model and .url")
        if code in (400, 413, 422, 500) and _TOO_LONG.search(said):
            return self.too_long(said)
        if code in BUSY and not _broke(said):
            return Unavailable(
                f"{url} was still busy ({code}) when asked {_TRIES} times: {said!r}: run it again later, or lower "
                f"{self.where}.concurrency"
            )
        if 300 <= code < 400:
            return Refused(f"{url} redirects ({code}), which is not followed: set {self.where}.url to where it is")
        if 400 <= code < 500:
            return Refused(f"{url} refused the request ({code}): {said!r}")
        return Unavailable(f"{url} answered {code}: {said!r}: run it again")

    def _unreachable(self, error: Exception) -> str:
        return (
            f"no answer from {self._settings.url} within {self._settings.timeout:g} s ({type(error).__name__}): "
            f"is it there? Run it again, or raise {self.where}.timeout"
        )


def _key(where: str, variable: str | None) -> str:
    if variable is None:
        return ""
    key = os.environ.get(variable, "")
    if not key:
        raise ParamsError(f"{where}.key names the environment variable {variable!r}, which is not set: export it first")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ParamsError(
            f"the environment variable {variable!r} holds a space, a line end or a letter that no key has"
        )
    return key


def _said(body: Any, text: str) -> str:
    """What the server says went wrong."""
    error = body.get("error", body) if isinstance(body, dict) else text
    if isinstance(error, dict):
        error = ": ".join(str(error[name]) for name in ("type", "code", "message", "detail") if error.get(name))
    return str(error)[:300]


def _broke(said: str) -> bool:
    """Whether the account, not the moment, is what a busy answer is about."""
    return any(word in said for word in _OUT_OF_MONEY)
