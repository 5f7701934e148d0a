"""A loopback server that speaks Ollama's routes over the real embedded model, and misbehaves when told to."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.backends.embedded import Embedded
from tasks.backends.sentence_transformers import SentenceTransformersVectors
from tasks.records import Ask
from tests.loopback import Handler, LoopbackServer, serving

CONTEXT_ERROR = {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 1024}}


class OllamaServer(LoopbackServer):
    """`mood` is how it misbehaves; `chats` are the requests it was sent, but for those that load the model."""

    def __init__(self, model: Embedded) -> None:
        super().__init__(_Handler)
        self.model = model
        self.tag = "smollm2:135m"
        self.mood = ""
        self.chats: list[dict[str, Any]] = []
        self.loads: list[int] = []
        self.digest = "abc123"
        self.version = "0.99.0"
        self.shown: dict[str, Any] = {}
        self.cloud: dict[str, str] = {}
        self.embedder = SentenceTransformersVectors("minilm", "all-MiniLM-L6-v2")
        self.embedded: list[dict[str, Any]] = []


class _Handler(Handler):
    server: OllamaServer

    def do_GET(self) -> None:
        tag = {"name": self.server.tag, "model": self.server.tag, "digest": self.server.digest}
        loaded = self.server.loads[-1] if self.server.loads else 0
        if self.server.mood == "ignores the context":
            loaded //= 2
        answers = {
            "/api/version": {"version": self.server.version},
            "/api/tags": {"models": [tag]},
            "/api/ps": {"models": [tag | {"context_length": loaded}]},
        }
        self._answer(answers[self.path])

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/api/show":
            self._answer({"model_info": {"llama.context_length": 8192}} | self.server.shown | self.server.cloud)
            return
        if self.path == "/api/embed":
            self.server.embedded.append(request)
            self._embed(request, self.server.mood)
            return
        if request["options"]["num_predict"] == 1:
            self.server.loads.append(request["options"]["num_ctx"])
            again = self.server.loads[-2:-1] == self.server.loads[-1:]
            counted = 1 if again and self.server.mood.startswith("counts") else 12
            message = {"role": "assistant", "content": "OK"}
            self._answer({"message": message, "done_reason": "length", "prompt_eval_count": counted, "eval_count": 1})
            return
        self.server.chats.append(request)
        mood = self.server.mood
        if mood == "slow":
            time.sleep(2)
        if mood == "hangs up" or (mood == "hangs up twice" and len(self.server.chats) < 3):
            self.close_connection = True
        elif mood == "removed":
            self._answer({"error": f"model '{self.server.tag}' not found"}, 404)
        elif mood == "refuses truncation":
            self._answer(CONTEXT_ERROR, 400)
        elif mood == "crashes over truncation":
            self._answer({"error": "the input exceeds the context length"}, 500)
        elif mood == "is busy" and len(self.server.chats) < 3:
            self._answer({"error": "server busy, please try again"}, 503)
        elif mood == "does not know a field":
            self._answer({"error": "invalid option"}, 400)
        elif mood == "crashes":
            self._answer({"error": "llama runner process has terminated"}, 500)
        elif mood == "is not Ollama":
            self.send(b"<html>hello</html>", 200)
        else:
            self._answer(self._chat(request, mood))

    def _chat(self, request: dict[str, Any], mood: str) -> dict[str, Any]:
        prompt, most = request["messages"][0]["content"], request["options"]["num_predict"]
        if mood.endswith("truncates"):
            prompt = prompt[: len(prompt) // 4]
        if mood == "swaps the model":
            self.server.digest = "def456"
        reply = self.server.model.reply(Ask(prompt=prompt, constraint=None, max_tokens=min(most, 64)))
        message = {"role": "assistant", "content": reply.text}
        if mood == "only thinks":
            message = {"role": "assistant", "content": "", "thinking": "Lines 3 and 4 may be it."}
        if mood == "thinks first":
            message["thinking"] = "Lines 3 and 4 may be it."
        if mood == "says nothing":
            message["content"] = " \n"
        evaluated = reply.tokens_in - (reply.tokens_reused if mood.startswith("counts") else 0)
        return {
            "model": self.server.tag,
            "message": message,
            "done": True,
            "done_reason": "load" if mood == "only loads" else "stop" if reply.status == "ok" else "length",
            "prompt_eval_count": evaluated,
            "eval_count": reply.tokens_out,
        }

    def _embed(self, request: dict[str, Any], mood: str) -> None:
        """As Ollama embeds: a text that does not fit is an error if `truncate` is false, and cut by an old server."""
        words, (vector,) = request["input"].split(), self.server.embedder.vectors([request["input"][:900]])
        if mood == "is busy" and len(self.server.embedded) < 3:
            self._answer({"error": "server busy, please try again"}, 503)
        elif mood == "crashes":
            self._answer({"error": "llama runner process has terminated"}, 500)
        elif len(words) + 2 > request["options"]["num_ctx"] and mood != "truncates":
            assert request["truncate"] is False
            self._answer({"error": "the input length exceeds the context length"}, 400)
        else:
            if mood == "swaps the model":
                self.server.digest = "def456"
            rows = {"gives nothing": [], "gives zeros": [[0.0] * 384], "changes width": [[1.0] * len(words)]}
            assert vector is not None
            cut = request["options"]["num_ctx"] // 2 if mood == "truncates" else None
            count = {"prompt_eval_count": len(words[:cut]) + 2}
            self._answer(
                {"model": self.server.tag, "embeddings": rows.get(mood, [vector.tolist()])}
                | ({} if mood == "does not count" else count)
            )

    def _answer(self, answer: dict[str, Any], code: int = 200) -> None:
        self.send(json.dumps(answer).encode(), code)


@pytest.fixture(scope="module")
def model(smollm2: Path) -> Iterator[Embedded]:
    """The smallest real model."""
    made = Embedded("tiny", smollm2, 1024, 2)
    yield made
    made.close()


@pytest.fixture
def ollama_server(model: Embedded) -> Iterator[OllamaServer]:
    """A well-behaved server, until a test sets its mood."""
    with serving(OllamaServer(model)) as server:
        yield server
