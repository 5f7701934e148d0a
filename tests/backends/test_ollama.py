"""Ollama over loopback, answered by the real embedded model: whatever goes wrong is named, with what to run."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tasks.backends.ollama import Ollama
from tasks.constraints import line_numbers, one_guideline
from tasks.errors import ParamsError, PromptTooLong, Unavailable
from tasks.params import Ollama as Settings
from tasks.records import Ask

pytestmark = pytest.mark.slow
ASK = Ask(prompt="Say hello.", constraint=None, max_tokens=8)


def _settings(host: str, **changes: Any) -> Settings:
    return Settings.model_validate(
        {"backend": "ollama", "model": "smollm2:135m", "host": host, "context": 1024, "timeout": 20, **changes}
    )


@pytest.fixture
def ollama(ollama_server: Any) -> Iterator[Ollama]:
    made = Ollama("local", _settings(ollama_server.address))
    yield made
    made.close()


def test_a_reply_comes_with_its_counts_and_the_digest(ollama: Ollama, model: Any) -> None:
    reply, direct = ollama.reply(ASK), model.reply(ASK)
    assert (reply.text, reply.status, reply.tokens_in, reply.tokens_out) == (
        direct.text,
        direct.status,
        direct.tokens_in,
        direct.tokens_out,
    )
    assert reply.digest == "abc123" and "digest:abc123" in ollama.identity and "context=1024" in ollama.identity


def test_what_is_sent_sets_the_context_the_bound_and_the_seed_and_forbids_truncation(
    ollama: Ollama, ollama_server: Any
) -> None:
    ollama.reply(ASK)
    sent = ollama_server.chats[0]
    assert sent["options"] == {"num_ctx": 1024, "temperature": 0, "seed": 1, "num_predict": 8}
    assert (sent["truncate"], sent["shift"], sent["stream"]) == (False, False, False)
    assert "think" not in sent and "format" not in sent


def test_thinking_is_asked_for_as_the_params_say(ollama_server: Any) -> None:
    for think in (False, "low"):
        made = Ollama("local", _settings(ollama_server.address, think=think))
        made.reply(ASK)
        made.close()
        assert ollama_server.chats[-1]["think"] == think


def test_a_constraint_with_a_schema_is_sent_and_one_without_is_not(ollama: Ollama, ollama_server: Any) -> None:
    constraint = one_guideline(["anaphylaxis"])
    ollama.reply(ASK.model_copy(update={"constraint": constraint}))
    ollama.reply(ASK.model_copy(update={"constraint": line_numbers([1, 2])}))
    assert ollama_server.chats[0]["format"] == json.loads(constraint.json_schema or "")
    assert "format" not in ollama_server.chats[1]


def test_a_reply_that_reaches_its_bound_says_so(ollama: Ollama) -> None:
    long = Ask(prompt="Tell me a long story.", constraint=None, max_tokens=4)
    assert ollama.reply(long).status == "truncated_reply"


@pytest.mark.parametrize(
    ("mood", "error", "said"),
    [
        ("removed", Unavailable, "ollama pull smollm2:135m"),
        ("refuses truncation", PromptTooLong, r"models\.local\.context"),
        ("crashes over truncation", PromptTooLong, r"models\.local\.context"),
        ("crashes", Unavailable, "answered 500: 'llama runner"),
        ("hangs up", Unavailable, "ollama serve"),
        ("is not Ollama", Unavailable, "does not speak"),
        ("only thinks", Unavailable, r"models\.local\.think"),
        ("only loads", Unavailable, "ended with 'load'"),
    ],
)
def test_what_goes_wrong_is_named_with_what_to_do(
    ollama: Ollama, ollama_server: Any, mood: str, error: type[Exception], said: str
) -> None:
    ollama_server.mood = mood
    with pytest.raises(error, match=said):
        ollama.reply(ASK)


def test_a_connection_that_breaks_twice_is_tried_a_third_time(ollama: Ollama, ollama_server: Any) -> None:
    ollama_server.mood = "hangs up twice"
    assert ollama.reply(ASK).text and len(ollama_server.chats) == 3


def test_a_time_out_is_not_tried_again(ollama_server: Any) -> None:
    made = Ollama("local", _settings(ollama_server.address, timeout=0.3))
    ollama_server.mood = "slow"
    with pytest.raises(Unavailable, match=r"within 0\.3 s .*ReadTimeout.*models\.local\.timeout"):
        made.reply(ASK)
    made.close()
    assert len(ollama_server.chats) == 1


def test_a_prompt_that_an_old_server_cut_in_silence_is_found_out_by_its_count(
    ollama: Ollama, ollama_server: Any
) -> None:
    ollama_server.mood = "truncates"
    with pytest.raises(PromptTooLong, match="read only"):
        ollama.reply(Ask(prompt="Give the patient 5 mg now. " * 120, constraint=None, max_tokens=8))


def test_a_model_that_is_not_there_says_what_to_pull(ollama_server: Any) -> None:
    with pytest.raises(Unavailable, match="ollama pull other"):
        Ollama("local", _settings(ollama_server.address, model="other"))


def test_a_model_that_ollama_sends_on_to_a_cloud_is_refused(ollama_server: Any) -> None:
    ollama_server.cloud = {"remote_host": "https://cloud.example", "remote_model": "big"}
    with pytest.raises(ParamsError, match=r"sends on to 'https://cloud\.example'"):
        Ollama("local", _settings(ollama_server.address))
    assert ollama_server.chats == []


def test_no_server_says_what_to_start() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unavailable, match="ollama serve"):
        Ollama("local", _settings(f"http://127.0.0.1:{port}"))
