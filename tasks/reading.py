"""Reading a model's JSON strictly: one object of the form that was asked for, or UnreadableReply."""

import json
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tasks.errors import UnreadableReply


class Form(BaseModel):
    """The form of a JSON reply; unknown keys are ignored, wrong types are not."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


F = TypeVar("F", bound=Form)


def read_json(reply: str, form: type[F]) -> F:
    """The one JSON object in `reply` that has the form. Prose or a code fence around it is passed over.

    Raises UnreadableReply if there is none, or if there are two that differ: which one is meant cannot be known.
    """
    found = [value for value in (_as(item, form) for item in _objects(reply)) if value is not None]
    if not found:
        raise UnreadableReply(f"no JSON object of the form {list(form.model_fields)} in the reply {reply!r}")
    if any(value != found[0] for value in found):
        raise UnreadableReply(f"{len(found)} different JSON objects in the reply {reply!r}")
    return found[0]


def _objects(reply: str) -> list[object]:
    """Every outermost JSON object of the reply, in order."""
    decoder, objects, at = json.JSONDecoder(), [], reply.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(reply, at)
        except (json.JSONDecodeError, RecursionError):
            end = at + 1
        else:
            objects.append(value)
        at = reply.find("{", end)
    return objects


def _as(value: object, form: type[F]) -> F | None:
    try:
        return form.model_validate(value)
    except ValidationError:
        return None
