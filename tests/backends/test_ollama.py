"""Ollama over loopback, answered by the real embedded model: whatever goes wrong is named, with what to run."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tasks.backends.ollama import Ollama
from tasks.constraints import line_numbers, one_guideline, quoted
from tasks.errors import EmptyReply, ParamsError, PromptTooLong, Refused, Unavailable
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
    assert (sent["truncate"], sent["shift"], sent["stream"], sent["keep_alive"]) == (False, False, False, "30m")
    assert ollama_server.loads == [1024, 1024]
    assert "think" not in sent and "format" not in sent


def test_thinking_is_asked_for_as_the_params_say(ollama_server: Any) -> None:
    for think in (False, "low"):
        made = Ollama("local", _settings(ollama_server.address, think=think, think_tokens=20))
        made.reply(ASK)
        made.close()
        assert ollama_server.chats[-1]["think"] == think


def test_a_constraint_with_a_schema_is_sent_and_one_without_is_not(ollama: Ollama, ollama_server: Any) -> None:
    constraint = one_guideline(["anaphylaxis"])
    ollama.reply(ASK.model_copy(update={"constraint": constraint}))
    ollama.reply(ASK.model_copy(update={"constraint": line_numbers([1, 2])}))
    assert ollama_server.chats[0]["format"] == json.loads(constraint.json_schema or "")
    assert "format" not in ollama_server.chats[1]


def test_a_schema_that_this_version_would_cut_is_refused_before_it_is_sent(ollama_server: Any) -> None:
    lines = [f"{number}: " + "give 5 mg " * 20 for number in range(150)]
    ask = ASK.model_copy(update={"constraint": quoted(lines)})
    for version, refused in (("0.6.8", True), ("0.11.4", False)):
        ollama_server.version = version
        made = Ollama("local", _settings(ollama_server.address))
        if refused:
            with pytest.raises(Refused, match=r"3\d{4} bytes .* at most 30000.*context: mass"):
                made.reply(ask)
            assert ollama_server.chats == []
        else:
            assert made.reply(ask).text and len(ollama_server.chats) == 1
        made.close()


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
        ("does not know a field", Refused, "refused the request .400.: 'invalid option'"),
        ("swaps the model", Unavailable, "swapped while it answered: its tag named abc123, and now names def456"),
        ("says nothing", EmptyReply, "wrote nothing"),
        ("ignores the context", PromptTooLong, "1024 tokens were asked for, and the server loaded it with 512"),
        ("hangs up", Unavailable, "ollama serve"),
        ("is not Ollama", Unavailable, "does not speak"),
        ("only thinks", EmptyReply, r"only thinking .*models\.local\.think"),
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


def test_a_busy_server_is_asked_again(ollama: Ollama, ollama_server: Any) -> None:
    ollama_server.mood = "is busy"
    assert ollama.reply(ASK).text and len(ollama_server.chats) == 3


def test_the_context_grows_with_the_prompt_up_to_the_models_own_limit(ollama_server: Any) -> None:
    made = Ollama("local", _settings(ollama_server.address, context=None))
    sent = []
    for max_tokens in (8, 8, 6000, 8):
        made.reply(Ask(prompt="Say hello.", constraint=None, max_tokens=max_tokens))
        sent.append(ollama_server.chats[-1]["options"]["num_ctx"])
    made.close()
    assert sent == [4096, 4096, 8192, 8192] and ollama_server.loads == [4096, 4096, 8192, 8192]
    assert made._fitting(20_000) == 8192


def test_a_context_beyond_the_models_limit_is_refused(ollama_server: Any) -> None:
    with pytest.raises(ParamsError, match=r"models\.local\.context is 16384.* at most 8192"):
        Ollama("local", _settings(ollama_server.address, context=16384))


def test_thinking_is_kept_apart_and_has_room_of_its_own(ollama_server: Any) -> None:
    ollama_server.mood = "thinks first"
    made = Ollama("local", _settings(ollama_server.address, think="low", think_tokens=20))
    reply = made.reply(ASK)
    made.close()
    assert reply.thinking == "Lines 3 and 4 may be it." and reply.thinking not in reply.text
    assert ollama_server.chats[0]["options"]["num_predict"] == 28


@pytest.mark.parametrize(
    ("model", "shown", "think", "sent"),
    [
        ("gpt-oss:120b", {}, None, "low"),
        ("gpt-oss:120b", {}, "high", "high"),
        ("qwen3:8b", {"capabilities": ["completion", "thinking"]}, None, False),
        ("qwen3:8b", {"capabilities": ["completion", "thinking"]}, True, True),
        ("llama3:8b", {"capabilities": ["completion"]}, None, None),
    ],
)
def test_each_family_has_its_policy_of_thinking(
    ollama_server: Any, model: str, shown: dict[str, Any], think: Any, sent: Any
) -> None:
    ollama_server.tag, ollama_server.shown = model, shown
    made = Ollama("local", _settings(ollama_server.address, model=model, think=think))
    made.close()
    assert made._think == sent and made._request("p", 1, 1024).get("think") == sent


def test_gpt_oss_cannot_be_without_thinking(ollama_server: Any) -> None:
    ollama_server.tag = "gpt-oss:20b"
    with pytest.raises(ParamsError, match=r"models\.local\.think is False"):
        Ollama("local", _settings(ollama_server.address, model="gpt-oss:20b", think=False))


def test_a_server_that_counts_only_new_tokens_is_told_from_one_that_truncates(
    ollama_server: Any,
) -> None:
    ollama_server.mood = "counts new tokens only"
    made = Ollama("local", _settings(ollama_server.address))
    guideline = "Give the patient 5 mg now. " * 40
    made.reply(Ask(prompt=guideline + "How much?", constraint=None, max_tokens=8))
    second = made.reply(Ask(prompt=guideline + "And how often, for how long?", constraint=None, max_tokens=8))
    assert second.tokens_in < 100
    ollama_server.mood = "counts new tokens only, and truncates"
    with pytest.raises(PromptTooLong, match="read only"):
        made.reply(Ask(prompt="Another guideline: take 3 tablets. " * 40, constraint=None, max_tokens=8))
    made.close()


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
