"""Every rule that a listing of the paper states is in the prompt, in our words."""

import pytest

from tasks.prompts import render

RULES = {
    "index_copy": [
        "2 to 6",
        "question of its own",
        "may overlap",
        "short title",
        "exactly ONE short question",
        "at most 16 words",
        "copied EXACTLY",
        "Change no wording",
        "Add nothing",
        "JSON only",
        "no Markdown",
        "section_id",
    ],
    "index_ids": [
        "2 to 6",
        "question of its own",
        "may overlap",
        "short title",
        "exactly ONE short question",
        "at most 16 words",
        "EXACTLY as it stands",
        "Add nothing",
        "JSON only",
        "no Markdown",
    ],
    "topic": [
        "exactly ONE guideline_id",
        "most directly",
        "closest one that is relevant",
        "Do NOT make up an id",
        "nothing outside the JSON",
        "rationale",
        "one short sentence at most",
    ],
    "lines": [
        "LARGEST number of lines",
        "INCLUDE it rather than leave it out",
        "VERY END",
        "ONLY line numbers",
        "commas",
        "ranges",
        "no other text after",
    ],
    "copy": [
        "most relevant",
        "Copy ONLY from the text",
        "word for word",
        "SMALLEST set of lines that answers the question fully",
        "JSON only",
        '{"copied":',
    ],
    "junior_draft": [
        "Agent 1, a junior doctor",
        "from memory",
        "WITHOUT reading any document",
        "concise",
        "for the clinic",
        "thresholds, doses, durations, monitoring steps",
    ],
    "junior": [
        "Agent 2",
        "comparison only",
        "LARGEST subset of FULL SENTENCES",
        "WORD FOR WORD",
        "SUPPORT",
        "ADD detail",
        "CORRECT",
        "Copy only sentences of the guideline",
        "Keep their order",
        "JSON only",
        '{"subset":',
    ],
    "safety": [
        "SMALLEST subset, in order, of FULL sentences",
        "one label",
        "answers_question",
        "adds_required_detail",
        "safety_critical",
        "Copy only sentences of the guideline",
        "Keep their order",
        "Do not rephrase",
        "JSON",
    ],
    "quote": [
        "WHOLE lines of the guideline, and nothing else",
        "needed to answer fully and safely",
        "must not be done",
        "word for word, from its beginning to its end",
        "without its number",
        "Keep the order",
        "JSON only",
        '{"lines":',
    ],
}
VALUES = {
    "index_copy": {"paragraph": "P", "parts": "2 to 6 parts"},
    "index_ids": {"paragraph": "P", "parts": "2 to 6 parts", "title": "T", "heading": "H"},
    "topic": {"question": "Q", "guidelines": "G"},
    "junior_draft": {"question": "Q"},
    "junior": {"title": "T", "guideline": "G", "question": "Q", "draft": "D"},
}
READING = {"title": "T", "guideline": "G", "question": "Q"}


@pytest.mark.parametrize("name", RULES)
def test_a_prompt_keeps_every_rule_of_its_listing(name: str) -> None:
    text = " ".join(render(name, **VALUES.get(name, READING)).split())  # type: ignore[arg-type]
    assert [rule for rule in RULES[name] if rule not in text] == []


def test_the_prompts_that_read_a_guideline_begin_alike_so_that_it_is_evaluated_once() -> None:
    heads = {
        render(name, **VALUES.get(name, READING)).split("END OF THE GUIDELINE")[0]  # type: ignore[arg-type]
        for name in ("lines", "copy", "junior", "safety", "quote")
    }
    assert len(heads) == 1


def test_no_prompt_shows_line_numbers_that_a_model_could_repeat() -> None:
    rest = render("lines", **READING).split("END OF THE GUIDELINE")[1]  # type: ignore[arg-type]
    assert not any(character.isdigit() for character in rest)


def test_a_placeholder_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(KeyError):
        render("topic", question="Q", guidelines="G", guideline="G")


def test_dollar_signs_in_a_document_stay_as_they_are() -> None:
    assert "$question costs $5" in render("copy", title="T", guideline="$question costs $5", question="Q")
