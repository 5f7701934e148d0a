"""Recorded replies only: for golden tests, and for scoring on one machine what was asked on another."""

from collections.abc import Sequence

from tasks.backends.remembered import reply_key
from tasks.errors import DataError, UnrecordedPrompt
from tasks.records import Ask, Recorded, Reply


class Replay:
    """Answers what was recorded, under the identity it was recorded with; anything else is UnrecordedPrompt."""

    def __init__(self, name: str, recorded: Sequence[Recorded]) -> None:
        identities = {entry.identity for entry in recorded}
        if len(identities) != 1:
            raise DataError(
                f"the recorded replies for {name!r} are of {len(identities)} models, not of one: {identities}"
            )
        self.name, self.identity = name, identities.pop()
        self._replies = {reply_key(entry.ask, entry.identity): entry.reply for entry in recorded}

    def reply(self, ask: Ask) -> Reply:
        """The recorded reply."""
        key = reply_key(ask, self.identity)
        if key not in self._replies:
            raise UnrecordedPrompt(
                f"{self.name!r} has no recorded reply to the prompt that ends in {ask.prompt[-160:]!r}: "
                "record it with the model itself, or use the prompts, the questions and the constrain it was recorded with"
            )
        return self._replies[key]

    def close(self) -> None:
        """It holds nothing."""
