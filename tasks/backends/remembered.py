"""The reply store in front of any language model: a prompt is asked once of the same model with the same options."""

import hashlib
import json
import threading
import time
from dataclasses import dataclass

from tasks.errors import ModelError
from tasks.protocols import LLM, Replies
from tasks.records import Ask, Failed, Reply


@dataclass
class Tally:
    """What the calls of a run cost so far; tokens, seconds and US dollars of remembered replies are not counted."""

    asked: int = 0
    remembered: int = 0
    failed: int = 0
    unreadable: int = 0
    tokens_in: int = 0
    tokens_reused: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def add(self, reply: Reply) -> None:
        """Count a reply of the model."""
        self.asked += 1
        self.tokens_in += reply.tokens_in
        self.tokens_reused += reply.tokens_reused
        self.tokens_out += reply.tokens_out
        self.seconds += reply.seconds
        self.cost += reply.cost


class Remembered:
    """Answers from the store where it can. Without `constrain` the constraint is neither sent nor part of the key.

    A call that fails is remembered as failed, and made again by the next run.
    """

    def __init__(self, llm: LLM, replies: Replies, constrain: bool) -> None:
        self.name, self.identity = llm.name, llm.identity
        self._llm, self._replies, self._constrain = llm, replies, constrain
        self._counting = threading.Lock()
        self.tally = Tally()

    def reply(self, ask: Ask) -> Reply:
        """The remembered reply, or the model's, remembered durably before it is returned."""
        asked = self._asked(ask)
        key = reply_key(asked, self.identity)
        known = self._replies.get(key)
        if known is not None:
            with self._counting:
                self.tally.remembered += 1
            return known
        reply = self._ask(asked)
        self._replies.put(key, self.identity, asked, reply)
        with self._counting:
            self.tally.add(reply)
        return reply

    def unreadable(self, ask: Ask) -> None:
        """Remember that no answer could be read from the reply to `ask`; it stays what this model replies."""
        self._replies.mark_unreadable(reply_key(self._asked(ask), self.identity))
        with self._counting:
            self.tally.unreadable += 1

    def _asked(self, ask: Ask) -> Ask:
        return ask if self._constrain else ask.model_copy(update={"constraint": None})

    def _ask(self, asked: Ask) -> Reply:
        started = time.monotonic()
        try:
            return self._llm.reply(asked)
        except ModelError as error:
            with self._counting:
                self.tally.failed += 1
            seconds = time.monotonic() - started
            self._replies.put_failure(
                Failed(identity=self.identity, ask=asked, fate=error.fate, message=str(error), seconds=seconds)
            )
            raise


def reply_key(ask: Ask, identity: str) -> str:
    """SHA-256 over the prompt, the model's identity, the bound on the reply, the constraint and which sample it is."""
    constraint = ask.constraint.model_dump() if ask.constraint is not None else None
    parts = [ask.prompt, identity, ask.max_tokens, constraint, *([ask.sample] if ask.sample else [])]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
