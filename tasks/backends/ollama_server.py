"""One Ollama server: the official client for what it can say, plain HTTP for what it cannot."""

import re
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from tasks.backends.busy import BUSY, wait
from tasks.errors import EmptyReply, ModelError, ParamsError, PromptTooLong, Refused, Unavailable

T = TypeVar("T")
_TRIES = 3
_CONNECT = 10.0  # seconds
_LONGEST_WAIT = 60.0
_OVERFLOW = re.compile(r"(?s)exceed.*context|context.*exceed|too large to process")
_PORT = 11434


class OllamaServer:
    """The routes of one server for one model. `where` is its place in params.yaml, for messages.

    No proxy and no redirect: the text goes to `host` and nowhere else. Only a connection that breaks, or a server that
    is busy, is tried again, at most three times; a time-out is not, for it would abort a long load again.
    """

    def __init__(self, where: str, model: str, host: str, timeout: float) -> None:
        import httpx
        from ollama import Client

        self.host = host
        self._where, self._model, self._timeout = where, model, timeout
        limits = httpx.Timeout(timeout, connect=min(_CONNECT, timeout))
        self._client: Any = Client(host=host, timeout=limits, trust_env=False, follow_redirects=False)
        self._http = httpx.Client(base_url=_base_url(host), timeout=limits, trust_env=False, follow_redirects=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._http.close()

    def version(self) -> str:
        """The server's version."""
        return str(self._json("GET", "/api/version").get("version"))

    def digest(self) -> str:
        """The digest of the weights that the model's tag names now. Raises Unavailable if there is no such model."""
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        for item in self._try(self._client.list).models:
            if item.model == wanted:
                return str(item.digest)
        raise Unavailable(self._missing())

    def show(self) -> dict[str, Any]:
        """What the server knows of the model, with `remote_host`, which the client leaves out.

        Raises ParamsError if it is a cloud model: Ollama on this machine would send the prompt elsewhere.
        """
        shown = self._json("POST", "/api/show", {"model": self._model})
        remote = shown.get("remote_host")
        if remote:
            raise ParamsError(
                f"{self._where}.model is {self._model!r}, which Ollama sends on to {remote!r}: "
                "choose a model that runs on the host itself"
            )
        return shown

    def loaded_context(self) -> int | None:
        """The context that the loaded model has, in tokens; None where the server does not say."""
        wanted = self._model if ":" in self._model else f"{self._model}:latest"
        return next((item.context_length for item in self._try(self._client.ps).models if item.model == wanted), None)

    def chat(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one chat request: the client's own has neither `truncate` nor `shift`."""
        return self._json("POST", "/api/chat", request)

    def embed(self, text: str, context: int, keep_alive: str) -> tuple[Sequence[Sequence[float]], int | None]:
        """The vectors of one text, and how many tokens were read. Raises PromptTooLong if it does not fit `context`."""
        options = {"num_ctx": context}
        answer = self._try(
            lambda: self._client.embed(self._model, text, truncate=False, options=options, keep_alive=keep_alive)
        )
        return answer.embeddings, answer.prompt_eval_count

    def refuse_beyond(self, context: int | None, limit: int | None) -> None:
        """Raise ParamsError if more context is set than the model has, both in tokens."""
        if context is not None and limit is not None and context > limit:
            raise ParamsError(
                f"{self._where}.context is {context}, and {self._model!r} reads at most {limit} tokens: leave it empty, "
                "and it is sized for you"
            )

    def refuse_swapped(self, digest: str) -> None:
        """Raise Unavailable if the model's tag names other weights than these."""
        now = self.digest()
        if now != digest:
            raise Unavailable(
                f"{self._model!r} was swapped while it answered: its tag named {digest[:12]}, and now names {now[:12]}. "
                "Run again: what the new model says is kept apart"
            )

    def too_long(self, what: str) -> PromptTooLong:
        """The error for a prompt that does not fit, or was cut."""
        return PromptTooLong(
            f"the prompt does not fit the context of {self._model!r}: {what}. Leave {self._where}.context in params.yaml "
            "empty or raise it, use a model with a longer context, or let the experiment read less (context: mass or shortlist)"
        )

    def empty(self, thinking: str) -> EmptyReply:
        """The error for a reply without an answer."""
        said = "wrote only thinking and no answer" if thinking else "wrote nothing"
        return EmptyReply(
            f"{self._model!r} {said}: set {self._where}.think in params.yaml (false, or low for a model that always "
            "thinks), or let replies be longer (answer.max_tokens)"
        )

    def _json(self, method: str, route: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self._try(lambda: self._http.request(method, route, json=request))
        try:
            body = answer.json()
        except ValueError:
            body = None
        if answer.is_error:
            said = body.get("error", body) if isinstance(body, dict) else answer.text
            raise self._refusal(answer.status_code, str(said)[:300])
        if not isinstance(body, dict):
            raise Unavailable(f"{self.host}{route} does not speak Ollama's language: {answer.text[:60]!r}")
        return body

    def _try(self, call: Callable[[], T]) -> T:
        """What `call` returns; the client raises where it met an error, plain HTTP returns a busy answer."""
        import httpx
        from ollama import ResponseError
        from pydantic import ValidationError

        for attempt in range(1, _TRIES + 1):
            try:
                answer = call()
            except (ConnectionError, httpx.TransportError) as error:
                if attempt == _TRIES or isinstance(error, httpx.TimeoutException):
                    raise Unavailable(self._unreachable(error)) from error
                time.sleep(attempt / 2)
                continue
            except ResponseError as error:
                if attempt < _TRIES and error.status_code in BUSY:
                    time.sleep(attempt / 2)
                    continue
                raise self._refusal(error.status_code, str(error.error)[:300]) from error
            except (ValueError, ValidationError) as error:
                raise Unavailable(f"{self.host} does not speak Ollama's language: {error}") from error
            if attempt < _TRIES and isinstance(answer, httpx.Response) and answer.status_code in BUSY:
                time.sleep(wait(answer.headers.get("Retry-After"), attempt / 2, _LONGEST_WAIT))
                continue
            return answer
        raise AssertionError("unreachable")

    def _refusal(self, code: int, said: str) -> ModelError:
        if code == 404:
            return Unavailable(self._missing())
        if code in (400, 500) and _OVERFLOW.search(said.lower()):
            return self.too_long(said)
        if 400 <= code < 500 and code not in BUSY:
            return Refused(f"Ollama at {self.host} refused the request ({code}): {said!r}: is it older than 0.5?")
        return Unavailable(f"Ollama at {self.host} answered {code}: {said!r}: see its log, then run again")

    def _missing(self) -> str:
        return f"{self.host} has no model {self._model!r}: run `ollama pull {self._model}`"

    def _unreachable(self, error: Exception) -> str:
        return (
            f"no answer from Ollama at {self.host} within {self._timeout:g} s ({type(error).__name__}): "
            f"start it with `ollama serve`, or raise {self._where}.timeout"
        )


def context_limit(shown: dict[str, Any]) -> int | None:
    """A model's own context length, in tokens, where the server tells it; `shown` is what `show` returns."""
    info = shown.get("model_info") or {}
    return next((int(value) for key, value in info.items() if key.endswith(".context_length")), None)


def _base_url(host: str) -> str:
    """The address as the official client reads it: http and port 11434 unless it says otherwise."""
    parts = urlsplit(host if "//" in host else f"http://{host}")
    port = parts.port or {"https": 443, "http": 80 if "//" in host else _PORT}[parts.scheme]
    name = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{name}:{port}{parts.path.rstrip('/')}"
