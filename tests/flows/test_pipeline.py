"""The whole pipeline through the real flows: DVC, a Prefect server, the embedded model, MedCAT and the report."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tasks import store
from tasks.records import Answer, Call, Hit, Line, LineHit, Question, Section, Topic
from tests.flows.conftest import ROOT, TOY, build_toy
from tests.loopback import Handler, LoopbackServer, serving

pytestmark = pytest.mark.slow
Safellm = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, safellm: Safellm) -> Path:
    """The toy project after one live run with the smallest real model."""
    folder = build_toy(tmp_path_factory.mktemp("live"), (TOY / "params.yaml").read_text(encoding="utf-8"))
    done = safellm(folder, "run")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return folder


def test_a_live_run_ends_with_the_report(live: Path) -> None:
    page = (live / "reports/index.html").read_text(encoding="utf-8")
    assert "500 micrograms" in page and not re.search(r"(?:src|href)=[\"']https?://", page)
    measured = json.loads((live / "reports/metrics.json").read_text(encoding="utf-8"))
    assert set(measured["toy-full"]) == {"base", "copy", "lines", "junior", "safety"}


def test_prefect_shows_the_tasks_by_name_with_the_models_tag_and_how_far_the_run_is(live: Path) -> None:
    with closing(sqlite3.connect(live / ".prefect/prefect.db")) as connection:
        done = dict(connection.execute("select key, data from artifact where type = 'progress'").fetchall())
        tasks = dict(connection.execute("select name, tags from task_run").fetchall())
    assert {key: float(value) for key, value in done.items()} == dict.fromkeys(
        ("index-toy", "topic-toy-full", "answer-toy-full", "topic-toy-short", "answer-toy-short"), 100.0
    )
    assert json.loads(tasks["lines adrenaline"]) == ["tiny"]


def test_what_the_smallest_model_answers_is_source_text_to_the_letter(live: Path) -> None:
    answers = store.read(live / "data/processed/answer/toy-full/answers.parquet", Answer)
    lines = store.read(live / "data/interim/validate/toy/lines.parquet", Line)
    assert len(answers) == 10
    for answer in answers:
        texts = [line.text for line in lines if line.guideline == answer.guideline]
        for excerpt in answer.excerpts:
            assert excerpt.verdict == "verbatim"
            assert all(any(row in text for text in texts) for row in excerpt.text.splitlines())


def test_a_shortlist_is_read_instead_of_the_guideline_and_its_best_line_is_shown_anyway(live: Path) -> None:
    answers = store.read(live / "data/processed/answer/toy-short/answers.parquet", Answer)
    hits = store.read(live / "data/processed/retrieve/minilm/toy/lines.parquet", LineHit)
    best = {(hit.question_id, hit.guideline, hit.rank): hit.line for hit in hits}
    assert {hit.rank for hit in hits} == {1, 2, 3} and len(answers) == 4
    for answer in answers:
        assert len(answer.replies) == {"copy": 1, "quote": 3}[answer.strategy]  # QUOTE is put to a vote
        shown = {number for excerpt in answer.excerpts for number in excerpt.lines}
        if shown:
            assert answer.guideline is not None and best[answer.question_id, answer.guideline, 1] in shown
    assert sum(bool(answer.excerpts) for answer in answers) >= 3
    calls = [
        store.read(live / f"data/processed/answer/{name}/calls.parquet", Call) for name in ("toy-full", "toy-short")
    ]
    full, short = (sum(call.tokens_in for call in own if call.strategy == "copy") for own in calls)
    assert short < full


def test_every_section_of_the_index_is_verbatim(live: Path) -> None:
    sections = store.read(live / "data/interim/index/toy/sections.parquet", Section)
    lines = store.read(live / "data/interim/validate/toy/lines.parquet", Line)
    whole = "\n".join(line.text for line in lines)
    assert sections and all(section.text in whole for section in sections)


def test_a_second_run_does_nothing(live: Path, safellm: Safellm) -> None:
    done = safellm(live, "run")
    assert done.returncode == 0 and "Data and pipelines are up to date." in done.stdout
    assert "Running stage" not in done.stdout


def test_ask_answers_as_data_with_number_text_page_and_path(live: Path, safellm: Safellm) -> None:
    done = safellm(live, "ask", "How much adrenaline do I give for anaphylaxis?", "--dataset", "toy", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    lines = store.read(live / "data/interim/validate/toy/lines.parquet", Line)
    texts = {(line.guideline, line.number): line.text for line in lines}
    assert data["guideline"] in ("adrenaline", "potassium") and data["lines"]
    for line in data["lines"]:
        assert texts[data["guideline"], line["number"]] == line["text"] and line["page"] == 1


def test_a_run_killed_in_the_middle_goes_on_asks_nothing_twice_and_ends_the_same(
    live: Path, tmp_path: Path, weights_dir: Path
) -> None:
    folder = tmp_path / "killed"
    shutil.copytree(live, folder)
    whole = store.read(live / "data/processed/answer/toy-full/answers.parquet", Answer)
    shutil.rmtree(folder / "data/processed/answer")
    shutil.rmtree(folder / "data/replies")
    replies = folder / "data/replies/tiny.sqlite"
    command = [sys.executable, "-m", "flows.answer", "toy-full"]
    environment = os.environ | {"PYTHONPATH": str(folder), "SAFELLM_WEIGHTS_DIR": str(weights_dir)}
    first = subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL, start_new_session=True)
    while _count(replies) < 4:
        assert first.poll() is None
        time.sleep(0.05)
    os.killpg(first.pid, signal.SIGKILL)  # with the Prefect server of its own that a flow started by itself brings
    first.wait()
    before = _count(replies)
    assert 4 <= before < 10 and not (folder / "data/processed/answer").exists()
    subprocess.run(command, cwd=folder, env=environment, check=True)
    assert _count(replies) == 10
    assert store.read(folder / "data/processed/answer/toy-full/answers.parquet", Answer) == whole


class Counting(LoopbackServer):
    """A server of chat completions that chooses by the prompt's hash among what it may reply, and notes every prompt."""

    def __init__(self) -> None:
        super().__init__(_Completions)
        self.asked: list[str] = []

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed takes no answer."""


class _Completions(Handler):
    server: Counting

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt, form = request["messages"][0]["content"], request.get("response_format")
        self.server.asked.append(prompt)
        time.sleep(0.15)
        chance = Random(prompt)
        text = json.dumps(_filled(form["json_schema"]["schema"], chance)) if form else str(chance.randint(1, 6))
        choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": len(prompt) // 3, "completion_tokens": 5}
        self.send(json.dumps({"model": "tiny", "choices": [choice], "usage": usage}).encode(), 200)


def _filled(schema: dict[str, Any], chance: Random) -> Any:
    """Something that a schema admits."""
    if "enum" in schema:
        return chance.choice(schema["enum"])
    if schema["type"] == "array":
        return [_filled(schema["items"], chance)]
    return {name: _filled(inner, chance) for name, inner in schema["properties"].items()}


def test_killed_at_20_random_moments_a_run_asks_again_only_what_was_on_its_way_and_ends_the_same(
    live: Path, tmp_path: Path
) -> None:
    from flows.server import prefect_server

    random = Random(20)
    kills: list[int] = []
    with serving(Counting()) as server, prefect_server() as address:
        folder, whole = (_with_cases(live, tmp_path / name, server.address, 16) for name in ("killed", "whole"))
        environment = os.environ | {"PREFECT_API_URL": address, "TINY_KEY": "none"}
        for _ in range(20):
            run = _answering(folder, environment)
            wanted = len(server.asked) + random.randint(1, 2)
            while len(server.asked) < wanted:
                assert run.poll() is None
                time.sleep(0.01)
            time.sleep(random.uniform(0, 0.3))
            assert run.poll() is None
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            kills.append(_when_still(server.asked))
            assert not (folder / "data/processed/answer/toy-full").exists()
        assert _answering(folder, environment).wait() == 0
        asked, server.asked = server.asked, []
        assert _answering(whole, environment).wait() == 0
    assert sorted(set(asked)) == sorted(server.asked) and len(server.asked) == 16 * 5
    again = [at for at, prompt in enumerate(asked) if prompt in asked[at + 1 :]]
    assert set(again) <= {kill - 1 for kill in kills}  # only what was being answered when the process died
    for name in ("answers", "base"):
        file = f"data/processed/answer/toy-full/{name}.parquet"
        assert store.read(folder / file, Answer) == store.read(whole / file, Answer)
    answers = store.read(whole / "data/processed/answer/toy-full/answers.parquet", Answer)
    assert sum(bool(answer.excerpts) for answer in answers) > len(answers) / 2


def _with_cases(live: Path, folder: Path, address: str, count: int) -> Path:
    """A copy of the live project with `count` questions, for a model at `address`, as it is before the answers."""
    shutil.copytree(live, folder)
    shutil.rmtree(folder / "data/processed/answer")
    shutil.rmtree(folder / "data/replies")
    model = f"tiny: {{backend: openai, model: tiny, url: '{address}/v1', key: TINY_KEY}}"
    raw = re.sub(r"tiny: \{.*\}", model, (TOY / "params.yaml").read_text(encoding="utf-8"))
    (folder / "params.yaml").write_text(raw, encoding="utf-8")
    data = folder / "data"
    files = {
        data / "interim/validate/toy/questions.parquet": Question,
        data / "processed/topic/toy-full/topics.parquet": Topic,
        data / "processed/retrieve/minilm/toy/hits.parquet": Hit,
    }
    for file, record in files.items():
        rows = store.read(file, record)
        first = list(dict.fromkeys(row.question_id for row in rows))
        made = [
            row.model_copy(
                update={"question_id": f"{row.question_id}-{case}"}
                | ({"question": f"Case {case}: {row.question}"} if isinstance(row, Question) else {})
            )
            for case in range(count // len(first))
            for row in rows
        ]
        store.write(file, made, record)
    return folder


def _answering(folder: Path, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "flows.answer", "toy-full"]
    own = environment | {"PYTHONPATH": str(folder)}
    return subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.DEVNULL, start_new_session=True)


def _when_still(asked: list[str]) -> int:
    """How many prompts there are when no more come in."""
    while True:
        before = len(asked)
        time.sleep(0.2)
        if len(asked) == before:
            return before


def _count(replies: Path) -> int:
    if not replies.is_file():
        return 0
    with closing(sqlite3.connect(replies, timeout=30)) as connection:
        try:
            return int(connection.execute("select count(*) from replies").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def test_an_unknown_key_stops_before_anything_runs(live: Path, safellm: Safellm, tmp_path: Path) -> None:
    raw = (TOY / "params.yaml").read_text(encoding="utf-8").replace("top_k", "topk")
    (tmp_path / "params.yaml").write_text(raw, encoding="utf-8")
    done = safellm(tmp_path, "status")
    assert done.returncode == 1 and "Did you mean 'top_k'?" in done.stderr and "Traceback" not in done.stderr


TRANSCRIPT = ROOT / "tests/transcripts/toy.jsonl"
GOLDEN = ROOT / "tests/golden/toy"


def test_recorded_replies_give_the_golden_tables(tmp_path: Path, safellm: Safellm) -> None:
    raw = (TOY / "params.yaml").read_text(encoding="utf-8")
    replay = "tiny: {backend: replay, file: toy.jsonl}"
    params = re.sub(r"tiny: \{.*\}", replay, raw)
    assert replay in params
    folder = build_toy(tmp_path / "replayed", params)
    shutil.copy(TRANSCRIPT, folder / "toy.jsonl")
    done = safellm(folder, "run")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    made = {file.name: file.read_text(encoding="utf-8") for file in (folder / "reports/tables").glob("*.md")}
    golden = {file.name: file.read_text(encoding="utf-8") for file in GOLDEN.glob("*.md")}
    assert {name: made.get(name) for name in golden} == golden and len(golden) >= 5


def test_the_server_that_a_run_starts_is_stopped_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.server import prefect_server

    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / ".prefect"))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with prefect_server() as address:
        port = address.split(":")[-1].removesuffix("/api")
        assert _serving(port)
    assert not _serving(port)


def _serving(port: str) -> list[str]:
    """The processes of this machine that were started to serve on a port."""
    rows = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended meanwhile
            rows.append(file.read_text(encoding="utf-8", errors="replace").replace("\0", " "))
    return [row for row in rows if "prefect server start" in row and f"--port {port}" in row]
