"""The strategies as dialogues: what they ask, and that whatever comes back, only source text can be shown."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tasks.answer import STRATEGIES, Context, Selection, added_lines, converse, mass_context, shortlist_context, united
from tasks.params import Answer as Bounds
from tasks.records import Ask, Reply

HOSTILE = st.one_of(
    st.text(),
    st.from_regex(r"[0-9 ,;\-–\n]{0,40}"),
    st.text().map(lambda text: json.dumps({"copied": text})),
    st.lists(st.text()).map(lambda texts: json.dumps({"subset": texts})),
    st.lists(st.text()).map(lambda texts: json.dumps({"lines": texts})),
    st.lists(st.text()).map(
        lambda texts: json.dumps({"sentences": [{"text": text, "reason": "safety_critical"} for text in texts]})
    ),
)


def _reply(text: str, status: str = "ok") -> Reply:
    return Reply(
        text=text, status=status, model="m", digest="d", tokens_in=1, tokens_reused=0, tokens_out=1, seconds=0.0
    )  # type: ignore[arg-type]


def _run(strategy: str, context: Context, *texts: str):  # type: ignore[no-untyped-def]
    replies = iter(texts)
    (talk,) = converse([STRATEGIES[strategy]("How much?", context, Bounds())], lambda ask: _reply(next(replies)))
    return talk


@pytest.mark.parametrize("strategy", STRATEGIES)
@hypothesis_settings(max_examples=150, deadline=None, suppress_health_check=list(__import__("hypothesis").HealthCheck))
@given(first=HOSTILE, second=HOSTILE)
def test_whatever_is_replied_only_source_text_is_shown(
    strategy: str, context: Context, first: str, second: str
) -> None:
    talk = _run(strategy, context, first, second)
    whole = "\n".join(line.text for line in context.lines)
    for excerpt in talk.selection.excerpts:
        for row in excerpt.text.splitlines():
            assert row in whole
        assert (excerpt.verdict == "unsupported") == (excerpt.text == "")
    if strategy in ("lines", "base"):
        assert all(excerpt.verdict == "verbatim" for excerpt in talk.selection.excerpts)


def test_lines_are_shown_in_document_order_word_for_word(context: Context) -> None:
    talk = _run("lines", context, "8, 3-4, 77")
    assert [item.text for item in talk.selection.excerpts] == [context.lines[i].text for i in (2, 3, 7)]
    assert talk.selection.invalid_ids == (77,)


def test_base_shows_the_sections_in_full_and_asks_no_model(context: Context) -> None:
    talk = _run("base", context)
    assert [item.text for item in talk.selection.excerpts] == [section.text for section in context.sections]
    assert talk.replies == []


def test_copy_reads_the_string_of_the_listing_and_the_list_of_a_schema(context: Context) -> None:
    one = _run("copy", context, '{"copied":"Monitor the ECG.\\nDo not give:"}')
    two = _run("copy", context, '{"copied":["Monitor the ECG.","Do not give:"]}')
    assert one.selection == two.selection
    assert [item.lines for item in one.selection.excerpts] == [(8,), (3,)]


def test_junior_asks_twice_and_shows_nothing_of_the_draft(context: Context) -> None:
    dialogue = STRATEGIES["junior"]("How much?", context, Bounds())
    draft = next(dialogue)
    assert "Anaphylaxis" not in draft.prompt and draft.cut_ok
    second = dialogue.send("Give 7 mg at once.")
    assert "Give 7 mg at once." in second.prompt
    with pytest.raises(StopIteration) as end:
        dialogue.send('{"subset":["Monitor the ECG."]}')
    assert [item.text for item in end.value.value.excerpts] == ["Monitor the ECG."]


def test_quote_shows_whole_lines_in_document_order_each_once(context: Context) -> None:
    reply = json.dumps({"lines": ["Monitor the ECG.", context.lines[1].text, "Monitor the ECG."]})
    shown = _run("quote", context, reply).selection.excerpts
    assert [(item.text, item.lines, item.verdict) for item in shown] == [
        (context.lines[1].text, (2,), "verbatim"),
        ("Monitor the ECG.", (8,), "verbatim"),
    ]


def test_quote_completes_part_of_a_line_and_never_shows_what_is_not_there(context: Context) -> None:
    reply = json.dumps({"lines": ["2: give adrenaline 500 micrograms IM.", "Give adrenaline 50 micrograms IM."]})
    shown = _run("quote", context, reply).selection.excerpts
    assert [(item.text, item.lines, item.verdict) for item in shown] == [
        (context.lines[1].text, (2,), "repaired"),
        ("", (), "unsupported"),
    ]


def test_a_line_that_stands_in_two_places_is_quoted_with_the_numbers_of_both(context: Context) -> None:
    twice = context.lines[4].model_copy(update={"number": 11, "parent": 7})
    both = Context(context.title, (*context.lines, twice), context.sentences, ())
    (shown,) = _run("quote", both, json.dumps({"lines": [twice.text]})).selection.excerpts
    assert shown.lines == (5, 11)


def test_safety_keeps_the_label_of_each_sentence(context: Context) -> None:
    talk = _run("safety", context, '{"sentences":[{"text":"Do not give:","reason":"safety_critical"}]}')
    assert [(item.label, item.lines) for item in talk.selection.excerpts] == [("safety_critical", (3,))]


@pytest.mark.parametrize(
    "reply",
    ["", "{}", "no", '{"copied": 5}', '{"copied":"a"}{"copied":"b"}', '{"copied":"Monitor'],
)
def test_a_reply_that_cannot_be_read_is_an_empty_answer_that_says_so(context: Context, reply: str) -> None:
    talk = _run("copy", context, reply)
    assert (talk.outcome, talk.selection.excerpts) == ("unreadable", ())


def test_a_reply_that_was_cut_is_not_read(context: Context) -> None:
    (talk,) = converse([STRATEGIES["lines"]("Q", context, Bounds())], lambda ask: _reply("3, 4", "truncated_reply"))
    assert (talk.outcome, talk.selection.excerpts) == ("truncated", ())


def test_a_draft_that_was_cut_is_still_a_draft(context: Context) -> None:
    statuses = iter([_reply("Give", "truncated_reply"), _reply('{"subset":["Monitor the ECG."]}')])
    (talk,) = converse([STRATEGIES["junior"]("Q", context, Bounds())], lambda ask: next(statuses))
    assert talk.outcome == "answered"


def test_dialogues_are_driven_in_step_so_that_prompts_that_begin_alike_follow_each_other(context: Context) -> None:
    asked: list[Ask] = []

    def reply(ask: Ask) -> Reply:
        asked.append(ask)
        return _reply('{"subset":["Monitor the ECG."]}')

    converse([STRATEGIES["junior"](question, context, Bounds()) for question in ("A?", "B?")], reply)
    assert [ask.cut_ok for ask in asked] == [True, True, False, False]


def test_the_mass_context_brings_the_lead_in_along(context: Context) -> None:
    reduced = mass_context("T", context.lines, context.sentences, [], [context.sections[1]])
    assert [line.number for line in reduced.lines] == [1, 3, 5]
    assert reduced.numbered.splitlines()[1] == "3: Do not give:"


def test_a_shortlisted_lead_in_brings_its_bullets_and_a_bullet_its_lead_in_and_heading(context: Context) -> None:
    def numbers(*best: int) -> list[int]:
        return [line.number for line in shortlist_context("T", context.lines, context.sentences, [], best).lines]

    assert numbers(3) == [1, 3, 4, 5]
    assert numbers(5) == [1, 3, 5]
    assert numbers(9, 2) == [1, 2, 7, 9]
    assert {
        sentence.line for sentence in shortlist_context("T", context.lines, context.sentences, [], [2]).sentences
    } == {
        1,
        2,
    }


def test_the_union_adds_the_best_lines_with_their_lead_in_after_the_choice_and_once(context: Context) -> None:
    added = replace(context, added=added_lines(context.lines, [5, 8]))
    chosen = _run("lines", context, "8, 9").selection
    shown = united(chosen, added)
    assert [item.lines for item in shown.excerpts] == [(8,), (9,), (3,), (5,)]
    assert [item.label for item in shown.excerpts] == [None, None, "added by the shortlist", "added by the shortlist"]
    assert shown.excerpts[3].text == context.lines[4].text


def test_the_union_adds_nothing_to_an_empty_choice(context: Context) -> None:
    added = replace(context, added=added_lines(context.lines, [8]))
    assert united(Selection((), (77,)), added) == Selection((), (77,))
    unsupported = _run("copy", context, '{"copied": "Give milk."}').selection
    assert unsupported.excerpts and united(unsupported, added) == unsupported
