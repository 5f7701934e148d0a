"""The reply store in front of any language model: a prompt is asked once of the same model with the same options."""

import hashlib
import json

from tasks.protocols import LLM, Replies
from tasks.records import Ask, Reply


class Remembered:
    """Answers from the store where it can. Without `constrain` the constraint is neither sent nor part of the key."""

    def __init__(self, llm: LLM, replies: Replies, constrain: bool) -> None:
        self.name, self.identity = llm.name, llm.identity
        self._llm, self._replies, self._constrain = llm, replies, constrain
        self.asked = self.remembered = 0

    def reply(self, ask: Ask) -> Reply:
        """The remembered reply, or the model's, remembered durably before it is returned."""
        asked = ask if self._constrain else ask.model_copy(update={"constraint": None})
        key = reply_key(asked, self.identity)
        known = self._replies.get(key)
        if known is not None:
            self.remembered += 1
            return known
        reply = self._llm.reply(asked)
        self._replies.put(key, self.identity, asked, reply)
        self.asked += 1
        return reply


def reply_key(ask: Ask, identity: str) -> str:
    """SHA-256 over the prompt, the model's identity, the bound on the reply and the constraint."""
    constraint = ask.constraint.model_dump() if ask.constraint is not None else None
    parts = [ask.prompt, identity, ask.max_tokens, constraint]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()
