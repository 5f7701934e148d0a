"""APIs over loopback: what goes wrong is named, no key is told, and no more is spent than may be."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.budget import Ledger
from flows.leaving import refuse_leaving
from flows.llms import open_llm
from tasks.backends.billed import Billed
from tasks.backends.embedded import Embedded
from tasks.backends.openai import OpenAI
from tasks.backends.replicate import Replicate
from tasks.constraints import quoted
from tasks.errors import EmptyReply, ParamsError, PromptTooLong, Refused, TooExpensive, Unavailable
from tasks.params import OpenAI as Settings
from tasks.params import Params, Price
from tasks.params import Replicate as ReplicateSettings
from tasks.records import Ask
from tests.loopback import Handler, LoopbackServer, serving

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-very-secret"
ASK = Ask(prompt="Say hello to the ward.", constraint=None, max_tokens=8)
USAGE = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}}


def _chat(**changes: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}
    return {"model": "m-2026", "choices": [choice | changes], "usage": USAGE}


def _message(**message: Any) -> dict[str, Any]:
    return _chat(message={"role": "assistant", "content": "", **message})


class Server(LoopbackServer):
    """Answers with what is queued, and remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.queue: list[tuple[int, Any, dict[str, str]]] = []
        self.sent: list[tuple[str, dict[str, Any], Any]] = []

    @property
    def url(self) -> str:
        """What goes into models.<name>.url."""
        return f"{self.address}/v1"


class _Handler(Handler):
    server: Server

    def do_GET(self) -> None:
        self.do_POST()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.sent.append((self.path, json.loads(body or b"{}"), self.headers))
        code, answer, headers = self.server.queue.pop(0) if self.server.queue else (200, _chat(), {})
        if code == 0:
            self.close_connection = True
            return
        self.send(answer if isinstance(answer, bytes) else json.dumps(answer).encode(), code, headers)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("TEST_KEY", KEY)
    with serving(Server()) as made:
        yield made


def _openai(server: Server, **changes: Any) -> OpenAI:
    raw = {"backend": "openai", "model": "m", "url": server.url, "key": "TEST_KEY", "timeout": 5, **changes}
    return OpenAI("far", Settings.model_validate(raw))


def test_a_reply_comes_with_its_counts_and_what_answered(server: Server) -> None:
    reply = _openai(server).reply(ASK)
    assert (reply.text, reply.status, reply.digest) == ("Hello.", "ok", "m-2026")
    assert (reply.tokens_in, reply.tokens_reused, reply.tokens_out) == (12, 4, 3)
    path, sent, headers = server.sent[0]
    assert path == "/v1/chat/completions" and headers["Authorization"] == f"Bearer {KEY}"
    assert (sent["temperature"], sent["max_tokens"], sent["stream"]) == (0, 8, False)


def test_a_model_that_takes_no_temperature_is_sent_none_and_may_think(server: Server) -> None:
    _openai(server, model="gpt-5-mini", effort="low").reply(ASK)
    sent = server.sent[0][1]
    assert "temperature" not in sent and sent["max_completion_tokens"] == 8 + 2048 and sent["reasoning_effort"] == "low"
    with pytest.raises(ParamsError, match="takes none"):
        _openai(server, model="gpt-5-mini", temperature=0)


def test_a_constraint_is_sent_as_a_schema_and_openais_own_limit_is_refused(server: Server) -> None:
    lines = [f"{number}: give 5 mg of it" for number in range(1001)]
    ask = ASK.model_copy(update={"constraint": quoted(lines)})
    made = _openai(server)
    made.reply(ask)
    form = server.sent[0][1]["response_format"]["json_schema"]
    assert form["strict"] and len(form["schema"]["properties"]["lines"]["items"]["enum"]) == 1001
    hosted = Settings.model_validate({"backend": "openai", "model": "gpt-4.1", "url": "https://api.openai.com/v1"})
    with pytest.raises(Refused, match=r"1001 values .*context: mass"):
        OpenAI("far", hosted).reply(ask)


@pytest.mark.parametrize(
    ("code", "answer", "error", "said"),
    [
        (200, _chat(finish_reason="content_filter"), Refused, "refused to answer"),
        (200, _chat(finish_reason="tool_calls"), Unavailable, "ended with 'tool_calls'"),
        (200, _message(reasoning_content="Lines 3 and 4."), EmptyReply, "only thinking"),
        (200, _message(content="<think>Lines 3 and 4."), EmptyReply, "only thinking"),
        (200, _message(), EmptyReply, "wrote nothing"),
        (200, _chat() | {"usage": None}, Unavailable, "does not count tokens"),
        (200, _chat() | {"usage": USAGE | {"prompt_tokens": 2}}, PromptTooLong, "read only 2 tokens"),
        (200, b"<html>", Unavailable, "does not answer in JSON"),
        (400, {"error": {"code": "context_length_exceeded"}}, PromptTooLong, "context: mass"),
        (400, {"error": {"message": "unknown field"}}, Refused, "unknown field"),
        (401, {"error": {"message": f"Incorrect API key: {KEY}"}}, Refused, r"\$TEST_KEY .*\*\*\*"),
        (404, {"error": {"message": "no such model"}}, Unavailable, r"models\.far\.model"),
        (429, {"error": {"code": "insufficient_quota"}}, Refused, "insufficient_quota"),
        (500, {"error": {"message": "oops"}}, Unavailable, "answered 500"),
        (302, b"", Refused, "redirects"),
        (0, b"", Unavailable, "no answer from"),
    ],
)
def test_what_goes_wrong_is_named_and_the_key_is_not(
    server: Server, code: int, answer: Any, error: type[Exception], said: str
) -> None:
    server.queue.append((code, answer, {}))
    with pytest.raises(error, match=said) as caught:
        _openai(server).reply(ASK)
    assert KEY not in str(caught.value) and len(server.sent) == 1


def test_a_busy_server_is_asked_again_when_it_says(server: Server) -> None:
    server.queue += [(429, {}, {"Retry-After": "0"}), (503, {}, {"Retry-After": "0"})]
    assert _openai(server).reply(ASK).text == "Hello." and len(server.sent) == 3


def test_a_server_that_stays_busy_is_no_empty_answer(server: Server) -> None:
    server.queue += [(429, {}, {"Retry-After": "0"})] * 5
    with pytest.raises(Unavailable, match="still busy"):
        _openai(server).reply(ASK)


def test_a_model_that_changes_in_the_middle_is_seen(server: Server) -> None:
    server.queue += [(200, _chat(), {}), (200, _chat() | {"model": "m-2027"}, {})]
    made = _openai(server)
    made.reply(ASK)
    with pytest.raises(Unavailable, match="swapped"):
        made.reply(ASK)


def test_thinking_is_kept_apart(server: Server) -> None:
    server.queue.append((200, _message(content="<think>Line 7?</think>\n\nLine 3."), {}))
    reply = _openai(server).reply(ASK)
    assert (reply.text, reply.thinking) == ("Line 3.", "Line 7?")


def test_a_cut_reply_says_so(server: Server) -> None:
    server.queue.append((200, _chat(finish_reason="length"), {}))
    assert _openai(server).reply(ASK).status == "truncated_reply"


def test_a_key_that_is_missing_or_pasted_is_not_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_KEY")
    with pytest.raises(ParamsError, match="export it first"):
        _openai(server)
    monkeypatch.setenv("TEST_KEY", f"{KEY}\n")
    with pytest.raises(ParamsError) as caught:
        _openai(server)
    assert KEY not in str(caught.value)


def _prediction(status: str, **changes: Any) -> dict[str, Any]:
    counted = {"input_token_count": 12, "output_token_count": 3}
    return {"id": "abc1", "status": status, "version": "v1", "output": None, "metrics": counted} | changes


def _replicate(server: Server, **changes: Any) -> Replicate:
    raw = {"backend": "replicate", "model": "deepseek-ai/deepseek-v3", "url": server.url, "key": "TEST_KEY", **changes}
    return Replicate("far", ReplicateSettings.model_validate(raw))


def test_a_prediction_is_waited_for_and_its_counts_tell_a_cut_reply(server: Server) -> None:
    full = _prediction("succeeded", output=["Hel", "lo."])
    cut = full | {"metrics": {"input_token_count": 12, "output_token_count": 8}}
    server.queue += [(201, _prediction("starting"), {}), (200, full, {}), (201, cut, {})]
    made = _replicate(server)
    first, second = made.reply(ASK), made.reply(ASK)
    assert (first.text, first.status, second.status, first.digest) == ("Hello.", "ok", "truncated_reply", "v1")
    assert [path for path, _, _ in server.sent][:2] == [
        "/v1/models/deepseek-ai/deepseek-v3/predictions",
        "/v1/predictions/abc1",
    ]
    assert server.sent[0][1]["input"] == {"prompt": ASK.prompt, "max_tokens": 8, "temperature": 0}


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (_prediction("failed", error=f"{KEY} crashed"), Unavailable, r"failed: '\*\*\* crashed'"),
        (_prediction("failed", error="prompt is too long"), PromptTooLong, "too long"),
        (_prediction("succeeded", output=[]), EmptyReply, "no answer"),
        (_prediction("succeeded", output="Hi.", metrics={}), Unavailable, "does not count"),
        ({"id": "../evil", "status": "starting"}, Unavailable, "not answer with a prediction"),
    ],
)
def test_a_prediction_that_goes_wrong_is_named(
    server: Server, answer: dict[str, Any], error: type[Exception], said: str
) -> None:
    server.queue.append((201, answer, {}))
    with pytest.raises(error, match=said):
        _replicate(server).reply(ASK)


def test_no_prompt_is_sent_that_could_cost_more_than_is_left(server: Server, tmp_path: Path) -> None:
    (tmp_path / "ledger").touch()
    ledger = Ledger(tmp_path / "ledger", limit=0.0005)
    price = Price(read=1.0, written=10.0)  # a reply: 12 read and 3 written tokens, 42 millionths of a dollar
    model = _openai(server)
    billed = Billed(model, model._settings, price, ledger)
    costs = []
    with pytest.raises(TooExpensive, match="higher --max-cost"):
        while True:
            costs.append(billed.reply(ASK).cost)
    assert costs and set(costs) == {0.000042} and len(server.sent) == len(costs)
    assert ledger.spent == pytest.approx(0.000042 * len(costs)) and ledger.spent <= 0.0005


def test_a_reply_that_was_refused_counts_as_the_most_it_could_cost(server: Server, tmp_path: Path) -> None:
    (tmp_path / "ledger").touch()
    ledger = Ledger(tmp_path / "ledger", limit=1.0)
    model = _openai(server)
    server.queue.append((200, _chat(finish_reason="content_filter"), {}))
    with pytest.raises(Refused):
        Billed(model, model._settings, Price(read=0.0, written=10.0), ledger).reply(ASK)
    assert ledger.spent == pytest.approx(8 * 10 / 1_000_000)


def _params(dataset_open: bool, url: str, hosts: list[str]) -> Params:
    raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    raw["datasets"]["demo"]["open"] = dataset_open
    raw["models"]["far"] = {"backend": "openai", "model": "m", "url": url}
    return Params.model_validate(raw | {"allowed_hosts": hosts})


def test_closed_text_opens_no_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import sys

    opened: list[str] = []
    watching = [True]
    sys.addaudithook(lambda event, _: opened.append(event) if watching[0] and event.startswith("socket.") else None)
    monkeypatch.chdir(tmp_path)
    with (
        pytest.raises(ParamsError, match=r"is not open.*allowed_hosts"),
        open_llm(_params(False, "https://api.example.org/v1", []), "far", "demo"),
    ):
        pass
    watching[0] = False
    assert opened == []


def _leave(params: Params) -> None:
    refuse_leaving(params, "demo", "models.far", params.models["far"])


def test_an_allowed_host_and_an_open_dataset_may_be_sent() -> None:
    _leave(_params(False, "https://api.example.org/v1", ["api.example.org"]))
    _leave(_params(True, "https://api.example.org/v1", []))
    with pytest.raises(ParamsError, match="is not open"):
        _leave(_params(False, "https://api.example.org.evil.org/v1", ["api.example.org"]))


@pytest.mark.slow
def test_a_real_llama_cpp_server_answers(model: Embedded, monkeypatch: pytest.MonkeyPatch) -> None:
    model.reply(ASK)
    monkeypatch.setenv("TEST_KEY", model._http.headers["Authorization"].removeprefix("Bearer "))
    raw = {"backend": "openai", "model": "tiny", "url": f"{model.address}/v1", "key": "TEST_KEY"}
    made = OpenAI("near", Settings.model_validate(raw))
    lines = ["1: Give oxygen.", "2: Call for help."]
    reply = made.reply(Ask(prompt="Which lines?", constraint=quoted(lines), max_tokens=60))
    copied = set(re.findall(r'"(\d: [^"]*)"', reply.text))  # so small a model repeats itself until it is cut
    assert copied and copied <= set(lines)
    long = Ask(prompt="word " * 3000, constraint=None, max_tokens=8)
    with pytest.raises(PromptTooLong):
        made.reply(long)
    made.close()
