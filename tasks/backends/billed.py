"""A model that costs money, behind a budget: no prompt is sent that could cost more than is left."""

from tasks.backends import tokens
from tasks.backends.api_server import think_tokens
from tasks.params import Api, Price
from tasks.protocols import LLM, Budget
from tasks.records import Ask, Reply

_MILLION = 1_000_000


class Billed:
    """The most that a reply can cost is taken from the budget before it is asked for; what it did cost, after.

    A call that fails counts as the most it could cost: a model may be billed for a reply that it refused to give.
    """

    def __init__(self, llm: LLM, settings: Api, price: Price, budget: Budget) -> None:
        self.name, self.identity = llm.name, llm.identity
        self._llm, self._price, self._budget = llm, price, budget
        self._think_tokens = think_tokens(settings)

    def reply(self, ask: Ask) -> Reply:
        """The reply to one prompt, with its cost. Raises TooExpensive before anything is sent."""
        schema = ask.constraint.json_schema if ask.constraint is not None else None
        read = tokens.most(ask.prompt) + tokens.most(schema or "")
        most = self._cost(read, ask.max_tokens + self._think_tokens)
        self._budget.take(most)
        reply = self._llm.reply(ask)
        cost = self._cost(reply.tokens_in, reply.tokens_out)
        self._budget.give_back(most - cost)
        return reply.model_copy(update={"cost": cost})

    def close(self) -> None:
        """Close the connections."""
        self._llm.close()

    def _cost(self, read: int, written: int) -> float:
        """In US dollars."""
        return (read * self._price.read + written * self._price.written) / _MILLION
