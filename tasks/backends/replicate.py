"""A model of Replicate: a prediction is created, waited for and read; the counts prove what it read and wrote."""

import re
import time
from typing import Any

from tasks.backends.api_server import ApiServer, apart, reasons, think_tokens
from tasks.errors import EmptyReply, Unavailable
from tasks.params import Replicate as Settings
from tasks.records import Ask, Reply

_WAIT = 60  # seconds that Replicate holds a request open, at most
_POLL = 1.0
_ENDED = ("succeeded", "failed", "canceled", "aborted")


class Replicate:
    """One prompt, one prediction, at temperature 0 where the model takes one; the version answers for the digest.

    Replicate tells no reason why a reply ended: one that has as many tokens as were allowed counts as cut.
    """

    def __init__(self, name: str, settings: Settings) -> None:
        self.name = name
        self._settings = settings
        self._server = ApiServer(f"models.{name}", settings)
        inputs = " ".join(f"{key}={value}" for key, value in sorted(self._inputs.items()))
        self.identity = f"replicate {settings.url} {settings.model} {inputs} think_tokens={think_tokens(settings)}"

    @property
    def _inputs(self) -> dict[str, Any]:
        return ({} if reasons(self._settings.model) else {"temperature": 0}) | self._settings.inputs

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt. Raises PromptTooLong, EmptyReply, Refused or Unavailable."""
        bound = ask.max_tokens + think_tokens(self._settings)
        limit = "max_completion_tokens" if reasons(self._settings.model) else "max_tokens"
        started = time.monotonic()
        made = self._ended({"input": self._inputs | {"prompt": ask.prompt, limit: bound}}, started)
        seconds = time.monotonic() - started
        if made["status"] != "succeeded":
            said = self._server.scrubbed(str(made.get("error")))[:300]
            if re.search(r"too long|context|exceeds", said, re.IGNORECASE):
                raise self._server.too_long(said)
            raise Unavailable(f"Replicate's prediction {made['id']} {made['status']}: {said!r}: run it again")
        metrics, output = made.get("metrics") or {}, made.get("output")
        tokens_in, tokens_out = self._server.counted(ask.prompt, metrics, "input_token_count", "output_token_count")
        thinking, text = apart("".join(map(str, output)) if isinstance(output, list) else str(output or ""))
        if not text.strip():
            raise EmptyReply(
                f"{self._settings.model!r} wrote no answer in {tokens_out} tokens: raise {self._server.where}.think_tokens, or "
                "let replies be longer (answer.max_tokens)"
            )
        return Reply(
            text=text,
            status="truncated_reply" if tokens_out >= bound else "ok",
            model=self.name,
            digest=str(made.get("version") or made.get("model") or self._settings.model),
            tokens_in=tokens_in,
            tokens_reused=0,  # Replicate does not say
            tokens_out=tokens_out,
            seconds=seconds,
            thinking=thinking,
        )

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def _ended(self, request: dict[str, Any], started: float) -> dict[str, Any]:
        """The prediction when it has ended; one that takes longer than the time-out is cancelled."""
        wait = max(1, min(_WAIT, int(self._settings.timeout)))
        route = f"models/{self._settings.model}/predictions"
        made = self._server.json("POST", route, request, {"Prefer": f"wait={wait}"})
        while self._status(made) not in _ENDED:
            if time.monotonic() - started > self._settings.timeout:
                self._server.json("POST", f"predictions/{made['id']}/cancel")
                raise Unavailable(
                    f"Replicate's prediction {made['id']} took longer than {self._settings.timeout:g} s and was "
                    f"cancelled: raise {self._server.where}.timeout"
                )
            time.sleep(_POLL)
            made = self._server.json("GET", f"predictions/{made['id']}")
        return made

    def _status(self, made: dict[str, Any]) -> str:
        """Its status. Raises Unavailable if it is no prediction: its id becomes part of an address."""
        if not re.fullmatch(r"[A-Za-z0-9-]+", str(made.get("id", ""))) or "status" not in made:
            raise Unavailable(f"{self._settings.url} does not answer with a prediction: {sorted(made)[:8]}")
        return str(made["status"])
