"""What a reply may be, as a GBNF grammar and, where it is JSON, as a JSON schema: a model held to it cannot misquote."""

import json
from collections.abc import Sequence

from tasks.records import Constraint

LABELS = ("answers_question", "adds_required_detail", "safety_critical")
# Latin and Greek letters and the signs of clinical text: a model cut short at a bound drifts into other scripts
_SIGNS = r"!#-\[\]-~\u00a0-\u024f\u0370-\u03ff\u2010-\u2026\u2264\u2265"
_TEXT = f"[ {_SIGNS}]"
_WORD = f"[{_SIGNS}]{{1,24}}"


def one_guideline(ids: Sequence[str]) -> Constraint:
    """Exactly one of the guideline ids, and a short rationale (Listing 2)."""
    grammar = [
        rf'root ::= "{{\"guideline_id\":\"" id "\",\"rationale\":\"" {_TEXT}{{0,80}} "\"}}"',
        f"id ::= {' | '.join(_inside_json(name) for name in ids)}",
    ]
    return _constraint(grammar, {"guideline_id": {"enum": list(ids)}, "rationale": {"type": "string", "maxLength": 80}})


def line_numbers(numbers: Sequence[int]) -> Constraint:
    """Existing line numbers and ranges in ascending order, none twice (Listing 3); not JSON, so without a schema."""
    last = len(numbers) - 1
    rules = ["root ::= n0"]
    for i, number in enumerate(numbers):
        if i == last:
            rules += [f'n{i} ::= "{number}"', f'e{i} ::= "{number}"']
        else:
            after = f'( ", " n{i + 1} )?'
            rules.append(f'n{i} ::= "{number}" ( "-" e{i + 1} | {after} ) | n{i + 1}')
            rules.append(f'e{i} ::= "{number}" {after} | e{i + 1}')
    return Constraint(grammar="\n".join(rules), json_schema=None)


def copied(sentences: Sequence[str]) -> Constraint:
    """Sentences of the guideline, in order, joined by newlines in one string (Listing 4)."""
    return _constraint(
        [r'root ::= "{\"copied\":\"" n0 "\"}"', *_in_order([_inside_json(text) for text in sentences], r'"\\n"')],
        {"copied": _array({"enum": list(sentences)})},
    )


def quoted(lines: Sequence[str]) -> Constraint:
    """A list of whole lines of the guideline, in order (QUOTE)."""
    return _constraint(
        [r'root ::= "{\"lines\":[\"" n0 "\"]}"', *_in_order([_inside_json(text) for text in lines], r'"\",\""')],
        {"lines": _array({"enum": list(dict.fromkeys(lines))})},
    )


def subset(sentences: Sequence[str]) -> Constraint:
    """A list of sentences of the guideline, in order (Listing 6)."""
    return _constraint(
        [r'root ::= "{\"subset\":[\"" n0 "\"]}"', *_in_order([_inside_json(text) for text in sentences], r'"\",\""')],
        {"subset": _array({"enum": list(sentences)})},
    )


def labelled(sentences: Sequence[str]) -> Constraint:
    """A list of sentences of the guideline, in order, each with one reason label (Listing 7)."""
    items = [rf'"{{\"text\":\"" {_inside_json(text)} "\",\"reason\":\"" label "\"}}"' for text in sentences]
    label = f"label ::= {' | '.join(_inside_json(name) for name in LABELS)}"
    return _constraint(
        [r'root ::= "{\"sentences\":[" n0 "]}"', *_in_order(items, '","'), label],
        {"sentences": _array(_object({"text": {"enum": list(sentences)}, "reason": {"enum": list(LABELS)}}))},
    )


def subparts(sentences: int, least: int, most: int) -> Constraint:
    """`least` to `most` subparts, each with title, question and a first and last sentence that exist (Listing 1).

    A title has at most 10 words, a question at most 16, as the prompt asks.
    """
    title, question = '"{\\"title\\":\\"" word ( " " word ){0,9}', '"\\",\\"question\\":\\"" word ( " " word ){2,15}'
    part = rf'{title} {question} "?\",\"first\":" span "}}"'
    numbers = range(1, sentences + 1)
    spans = [f'"{first},\\"last\\":" ( {_any(range(first, sentences + 1))} )' for first in numbers]
    bounds = f"{{{least - 1},{most - 1}}}"
    properties = {
        "title": {"type": "string", "maxLength": 80},
        "question": {"type": "string", "maxLength": 128},
        "first": {"enum": list(numbers)},
        "last": {"enum": list(numbers)},
    }
    return _constraint(
        [
            rf'root ::= "{{\"subparts\":[" part ( "," part ){bounds} "]}}"',
            f"part ::= {part}",
            f"word ::= {_WORD}",
            f"span ::= {' | '.join(spans)}",
        ],
        {"subparts": {"type": "array", "minItems": least, "maxItems": most, "items": _object(properties)}},
    )


def _in_order(items: Sequence[str], joiner: str) -> list[str]:
    """Rules n0..: any non-empty subsequence of `items`, in order, each once, with `joiner` between."""
    rules = []
    for i, item in enumerate(items):
        tail = f" ( {joiner} n{i + 1} )? | n{i + 1}" if i + 1 < len(items) else ""
        rules.append(f"n{i} ::= {item}{tail}")
    return rules


def _any(numbers: Sequence[int]) -> str:
    return " | ".join(f'"{number}"' for number in numbers)


def _inside_json(text: str) -> str:
    """A GBNF literal of `text` as it stands between the quotes of a JSON string."""
    return json.dumps(json.dumps(text, ensure_ascii=False)[1:-1], ensure_ascii=False)


def _object(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _array(items: dict[str, object]) -> dict[str, object]:
    return {"type": "array", "minItems": 1, "items": items}


def _constraint(rules: Sequence[str], properties: dict[str, object]) -> Constraint:
    schema = json.dumps(_object(properties), ensure_ascii=False)
    return Constraint(grammar="\n".join(rules), json_schema=schema)
