"""The form of a strategy, a generator that yields prompts and is sent replies, and the one loop that drives it."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from tasks.answer.context import Context
from tasks.errors import UnreadableReply
from tasks.params import Answer as Bounds
from tasks.records import Ask, Excerpt, Outcome, Reply


@dataclass(frozen=True)
class Selection:
    """What a strategy selected: excerpts in the order they are shown, and the line numbers that do not exist."""

    excerpts: tuple[Excerpt, ...]
    invalid_ids: tuple[int, ...] = ()


Dialogue = Generator[Ask, str, Selection]
Strategy = Callable[[str, Context, Bounds], Dialogue]


@dataclass
class Conversation:
    """One dialogue on its way: what it asks next, what it was told, and in the end what it selected.

    A reply that cannot be read, or was cut, is a result: an empty selection whose `outcome` says so.
    """

    dialogue: Dialogue
    outcome: Outcome = "answered"
    selection: Selection = Selection(())
    replies: list[Reply] = field(default_factory=list)
    asking: Ask | None = None

    def start(self) -> None:
        """Run to the first prompt, or to the end."""
        self._step(lambda: next(self.dialogue))

    def tell(self, reply: Reply) -> None:
        """Send a reply and run to the next prompt, or to the end."""
        self.replies.append(reply)
        if reply.status == "truncated_reply" and self.asking is not None and not self.asking.cut_ok:
            self._end("truncated")
        else:
            self._step(lambda: self.dialogue.send(reply.text))

    def _step(self, advance: Callable[[], Ask]) -> None:
        try:
            self.asking = advance()
        except StopIteration as end:
            self.selection, self.asking = end.value, None
        except UnreadableReply:
            self._end("unreadable")

    def _end(self, outcome: Outcome) -> None:
        self.outcome, self.asking = outcome, None
        self.dialogue.close()


def converse(
    dialogues: Sequence[Dialogue],
    reply: Callable[[Ask], Reply],
    unreadable: Callable[[Ask], None] = lambda ask: None,
    ended: Callable[[], None] = lambda: None,
) -> list[Conversation]:
    """Drive dialogues in step: every first prompt, then every second one.

    So prompts that begin alike follow each other, and a model evaluates their common beginning once. `unreadable` is told
    the prompts whose reply could not be read; `ended` is called when a dialogue has ended.
    """
    conversations = [Conversation(dialogue) for dialogue in dialogues]
    for conversation in conversations:
        conversation.start()
        if conversation.asking is None:
            ended()
    while waiting := [conversation for conversation in conversations if conversation.asking is not None]:
        for conversation in waiting:
            asking = conversation.asking
            if asking is not None:
                conversation.tell(reply(asking))
                if conversation.outcome == "unreadable":
                    unreadable(asking)
                if conversation.asking is None:
                    ended()
    return conversations
