"""Everything SafeLLM raises on purpose.

    SafeLLMError
      ParamsError            params.yaml names what does not exist, or would send closed data away
      DataError
        UnreadablePdf        missing, encrypted, empty, image-only, broken, or with fonts that hide its letters
        UnreadableText       a .txt, .md or .docx that holds what cannot be read faithfully
        UncleanText          the validation gate did not pass
        BadQuestions         questions.csv does not fit its guidelines
        TextTooLong          a text is longer than the embedder reads
      ModelError
        Unavailable          no such model, server or tool; it died or timed out
        Refused              the server was there, and said no (the key, the request)
          TooExpensive       the run may not cost as much as the next reply might
        EmptyReply           the model ended without a word of an answer (all of it in its thinking, for instance)
        PromptTooLong        the prompt does not fit the model's context
        UnreadableReply      the reply is not in the form that was asked for (a result, not a crash)
        UnknownTopic         the reply names no guideline that exists (a result, not a crash)
        UnrecordedPrompt     `replay` was asked a prompt that was never recorded

A message says what was wrong (the value, by `!r`), where it came from, and what to do next.
"""

from typing import Literal

Failure = Literal["truncated_prompt", "unreadable", "refused", "transport_failed"]


class SafeLLMError(Exception):
    """The root: what `safellm` prints without a traceback, and exits with 1."""


class ParamsError(SafeLLMError):
    """params.yaml names what does not exist, or would send closed data away."""


class DataError(SafeLLMError):
    """The user's documents or questions cannot be used as they are."""


class UnreadablePdf(DataError):
    """A PDF that is missing, encrypted, empty, image-only, broken, or with fonts that hide its letters."""


class UnreadableText(DataError):
    """A .txt, .md or .docx that is not what its name says, or holds what cannot be read faithfully."""


class UncleanText(DataError):
    """The validation gate did not pass."""


class BadQuestions(DataError):
    """questions.csv does not fit its guidelines."""


class TextTooLong(DataError):
    """A text is longer than the embedder reads, and may not or cannot be embedded in parts."""


class ModelError(SafeLLMError):
    """A model, or what stands for one, did not do what it was asked. `fate` is how the reply store calls it."""

    fate: Failure = "transport_failed"


class Unavailable(ModelError):
    """No such model, server or tool; or it died, or timed out."""


class Refused(ModelError):
    """The server was there, and said no: to the key or to the request."""

    fate = "refused"


class TooExpensive(Refused):
    """The run may not cost as much as the next reply might: nothing was sent."""


class EmptyReply(ModelError):
    """The model ended without a word of an answer: a failed call, never an empty answer."""

    fate = "unreadable"


class PromptTooLong(ModelError):
    """The prompt does not fit the model's context, or was cut to fit it."""

    fate = "truncated_prompt"


class UnreadableReply(ModelError):
    """The reply is not in the form that was asked for. Recorded as a result."""

    fate = "unreadable"


class UnknownTopic(ModelError):
    """The reply names no guideline that exists. Recorded as a result."""


class UnrecordedPrompt(ModelError):
    """`replay` was asked a prompt that was never recorded."""
