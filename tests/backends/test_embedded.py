"""The real embedded model, the smallest one: constraints hold, prompts are reused, and nothing fails in silence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.backends.embedded import Embedded
from tasks.backends.remembered import Remembered
from tasks.backends.replay import Replay
from tasks.backends.weights import token_bytes
from tasks.constraints import copied, labelled, line_numbers, one_guideline, quoted, subparts, subset
from tasks.errors import DataError, PromptTooLong, Unavailable, UnrecordedPrompt
from tasks.records import Ask, Constraint
from tasks.store.replies import ReplyStore

pytestmark = pytest.mark.slow
ELSEWHERE = """
import json, sys
from pathlib import Path
from tasks.backends.embedded import Embedded
from tasks.records import Ask
ask = Ask(prompt="Say something about potassium.", constraint=None, max_tokens=12)
print(json.dumps(Embedded("tiny", Path(sys.argv[1]), 1024, 2).reply(ask).text))
"""
TEXTS = ['Do not give "calcium" \\ by mouth.', "Give ≥ 5 mg.", "Monitor the ECG."]


def _ask(prompt: str, constraint: Constraint | None = None, most: int = 200) -> Ask:
    return Ask(prompt=prompt, constraint=constraint, max_tokens=most)


def test_a_guideline_that_does_not_exist_cannot_be_chosen(model: Embedded) -> None:
    reply = model.reply(_ask("Choose sepsis.", one_guideline(["anaphylaxis", "high-potassium"])))
    assert json.loads(reply.text)["guideline_id"] in ("anaphylaxis", "high-potassium")


def test_line_numbers_that_do_not_exist_cannot_be_named(model: Embedded) -> None:
    from tasks.answer.numbers import parse_line_numbers

    reply = model.reply(_ask("Name the lines 7, 8, 9 and 99.", line_numbers([1, 2, 5, 6])))
    assert parse_line_numbers(reply.text, [1, 2, 5, 6]).invalid == ()


def test_only_sentences_of_the_guideline_can_be_copied_in_order_and_once(model: Embedded) -> None:
    found = json.loads(model.reply(_ask("Copy something else.", copied(TEXTS))).text)["copied"].split("\n")
    assert found == [text for text in TEXTS if text in found]
    found = json.loads(model.reply(_ask("Copy something else.", subset(TEXTS))).text)["subset"]
    assert found == [text for text in TEXTS if text in found]
    found = json.loads(model.reply(_ask("Copy something else.", labelled(TEXTS))).text)["sentences"]
    assert {item["text"] for item in found} <= set(TEXTS)


def test_subparts_name_sentences_that_exist(model: Embedded) -> None:
    parts = json.loads(model.reply(_ask("Split it.", subparts(3, 1, 2), 400)).text)["subparts"]
    assert 1 <= len(parts) <= 2 and all(1 <= part["first"] <= part["last"] <= 3 for part in parts)


def test_the_beginning_that_two_prompts_share_is_evaluated_once(model: Embedded) -> None:
    shared = "The guideline says: " + "give 5 mg and wait. " * 60
    first = model.reply(_ask(shared + "What?", most=4))
    second = model.reply(_ask(shared + "When?", most=4))
    assert second.tokens_reused % 64 == 0 and second.tokens_reused > first.tokens_in - 2 * 64


def test_the_same_prompt_gives_the_same_reply_whatever_was_asked_before(model: Embedded) -> None:
    shared = "The guideline says: " + "give 5 mg and wait. " * 40
    ask = _ask(shared + "What?", most=24)
    model.reply(_ask("Something else entirely.", most=4))
    cold = model.reply(ask)
    before = [ask.prompt, shared[:300], shared + "When do I give it, and to whom?", shared + "What? Why?"]
    replies = []
    for prompt in before:
        model.reply(_ask(prompt, most=4))
        replies.append(model.reply(ask))
    assert cold.tokens_reused == 0 and all(reply.tokens_reused > 0 for reply in replies)
    assert {reply.text for reply in replies} == {cold.text}


def test_a_model_that_was_closed_loads_again_and_gives_the_same_reply(model: Embedded) -> None:
    ask = _ask("Say something about potassium.", most=12)
    first = model.reply(ask).text
    model.close()
    assert model.reply(ask).text == first


def test_another_process_gives_the_same_reply_and_prints_nothing_else(model: Embedded, smollm2: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(smollm2)], capture_output=True, text=True, check=True, timeout=300
    )
    assert json.loads(done.stdout) == model.reply(_ask("Say something about potassium.", most=12)).text
    assert done.stderr == ""


def test_a_prompt_that_does_not_fit_with_its_reply_is_refused_with_the_counts(model: Embedded) -> None:
    with pytest.raises(PromptTooLong, match=r"\(\d{4} tokens\).*'tiny' \(1024 tokens\).*models\.tiny\.context"):
        model.reply(_ask("word " * 3000))
    with pytest.raises(PromptTooLong, match=r"up to 1000"):
        model.reply(_ask("Tell me a story.", most=1000))


def test_a_grammar_that_cannot_be_read_is_named_and_not_ignored(model: Embedded) -> None:
    with pytest.raises(Unavailable, match="grammar"):
        model.reply(_ask("Hello.", Constraint(grammar="root ::= nothing", json_schema=None)))


def test_a_reply_that_reaches_its_bound_says_so(model: Embedded) -> None:
    assert model.reply(_ask("Tell me a long story.", most=5)).status == "truncated_reply"


ASK_THE_PORT = """
import sys, urllib.error, urllib.request
address, route, headers = sys.argv[1], sys.argv[2], dict(item.split("=", 1) for item in sys.argv[3:])
body = None if route in ("/slots", "/props") else b'{"prompt": "hi", "content": "hi", "messages": [], "n_predict": 1}'
request = urllib.request.Request(address + route, body, {"Content-Type": "application/json"} | headers)
try:
    print(urllib.request.urlopen(request, timeout=20).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


@pytest.mark.parametrize(
    "headers",
    [[], ["Origin=http://evil.example"], ["Authorization=Bearer guess"], ["Origin=http://127.0.0.1"]],
    ids=["another process", "a page elsewhere", "a guessed key", "a page of this machine"],
)
@pytest.mark.parametrize(
    "route", ["/v1/chat/completions", "/completion", "/tokenize", "/apply-template", "/slots", "/props"]
)
def test_another_process_and_a_foreign_origin_are_refused(model: Embedded, route: str, headers: list[str]) -> None:
    command = [sys.executable, "-c", ASK_THE_PORT, model.address, route, *headers]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "401\n"


def test_missing_weights_say_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="make setup"):
        Embedded("tiny", tmp_path / "none.gguf", 1024, 2)


def test_a_file_that_is_no_model_says_so(tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(b"GGUF but no more")
    with pytest.raises(Unavailable, match=r"broken\.gguf.*could not be loaded"):
        Embedded("tiny", file, 1024, 2).reply(_ask("Hello."))


def test_samples_of_a_model_with_a_temperature_differ_and_each_is_the_same_again(smollm2: Path) -> None:
    made = Embedded("tiny", smollm2, 1024, 2, temperature=1.0)
    asks = [_ask("Say something about potassium.").model_copy(update={"sample": number}) for number in (0, 1, 2, 0)]
    texts = [made.reply(ask.model_copy(update={"max_tokens": 12})).text for ask in asks]
    made.close()
    assert len(set(texts)) > 1 and texts[0] == texts[3] and "temperature=1 seed=1" in made.identity


def test_the_memory_is_said_before_the_model_is_loaded_and_refused_if_it_is_not_there(smollm2: Path) -> None:
    said: list[str] = []
    made = Embedded("tiny", smollm2, 2048, 2, say=said.append)
    made.reply(_ask("Hello."))
    made.close()
    # 30 layers x 2 x 3 heads x 64 numbers x 2 bytes x 2,048 tokens = 47 MB; the file has 98 MB
    assert len(said) == 1 and said[0].startswith(
        "models.tiny takes at least 146 MB of memory (98 MB of weights, 47 MB for a context of 2,048 tokens), and "
    )
    assert token_bytes(smollm2) == 30 * 2 * 3 * 64 * 2
    with pytest.raises(Unavailable, match=r"at least 23,040\.1 GB .* are free: .*lower models\.tiny\.context"):
        Embedded("tiny", smollm2, 10**9, 2, say=said.append).reply(_ask("Hello."))
    assert len(said) == 1


def test_a_remembered_reply_needs_no_model_in_memory(smollm2: Path, tmp_path: Path) -> None:
    replies = ReplyStore(tmp_path / "r.sqlite")
    ask = _ask("Say something.", most=4)
    loaded, idle = Embedded("tiny", smollm2, 1024, 2), Embedded("tiny", smollm2, 1024, 2)
    first = Remembered(loaded, replies, True).reply(ask)
    loaded.close()
    assert Remembered(idle, replies, True).reply(ask) == first and idle._server is None


def test_a_prompt_is_asked_once_and_its_constraint_is_part_of_what_is_remembered(
    model: Embedded, tmp_path: Path
) -> None:
    replies = ReplyStore(tmp_path / "r.sqlite")
    ask = _ask("Choose.", one_guideline(["a", "b"]), 60)
    constrained, free = Remembered(model, replies, True), Remembered(model, replies, False)
    first = constrained.reply(ask)
    assert constrained.reply(ask) == first and (constrained.tally.asked, constrained.tally.remembered) == (1, 1)
    free.reply(ask)
    assert free.tally.asked == 1 and replies.count() == 2


def test_recorded_replies_are_replayed_and_nothing_else(model: Embedded, tmp_path: Path) -> None:
    replies = ReplyStore(tmp_path / "r.sqlite")
    ask = _ask("Say something.", most=4)
    reply = Remembered(model, replies, True).reply(ask)
    replay = Replay("tiny", replies.entries())
    assert replay.reply(ask) == reply
    with pytest.raises(UnrecordedPrompt, match="Say nothing"):
        replay.reply(_ask("Say nothing.", most=4))
    with pytest.raises(DataError):
        Replay("tiny", [])


def test_under_quotes_constraint_the_smallest_model_writes_whole_lines_in_order_and_nothing_else(
    model: Embedded,
) -> None:
    lines = ['Give "adrenaline" 5 mg.', "Do not give:", "a 2nd dose \\ bolus", "Monitor the ECG for ≥ 6 h."]
    for topic in ("adrenaline", "what not to give", "how long to watch"):
        reply = model.reply(_ask(f"Quote the lines on {topic}.", quoted(lines), 200))
        found = json.loads(reply.text)["lines"]
        assert found and found == [line for line in lines if line in found]
