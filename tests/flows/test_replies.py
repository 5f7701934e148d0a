"""`safellm replies`: lists, filters, takes from one machine to another, and finds what was changed."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.cli import app
from flows.llms import open_llm
from tasks import params as settings
from tasks import paths
from tasks.backends.remembered import reply_key
from tasks.records import Ask, Failed, Recorded, Reply
from tasks.store.replies import ReplyStore, export
from tests.flows.conftest import TOY

Run = Callable[..., Result]


def _entry(prompt: str, identity: str = "who", text: str = "ok") -> Recorded:
    ask = Ask(prompt=prompt, constraint=None, max_tokens=5)
    reply = Reply(
        text=text, status="ok", model="tiny", digest="d", tokens_in=7, tokens_reused=3, tokens_out=1, seconds=0.5
    )
    return Recorded(key=reply_key(ask, identity), identity=identity, ask=ask, reply=reply, time=1.0)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A project with two replies of one model, one of another, and a call that failed."""
    (tmp_path / "params.yaml").write_text((TOY / "params.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    store = ReplyStore(paths.replies("tiny"))
    store.put_all(
        [_entry("How much adrenaline?"), _entry("How much potassium?"), _entry("How much adrenaline?", "old")]
    )
    failed = Ask(prompt="How long?", constraint=None, max_tokens=5)
    store.put_failure(
        Failed(identity="who", ask=failed, fate="transport_failed", message="the server hung up", seconds=3.0)
    )
    store.close()
    return lambda *arguments: CliRunner().invoke(app, ["replies", *arguments])


def test_calls_are_listed_with_those_that_failed_and_counted_by_status(run: Run) -> None:
    shown = run("list").output
    assert shown.count("How much") == 3 and "the server hung up" in shown
    assert "2  ok                tiny  who" in shown and "1  transport_failed  tiny  who" in shown


@pytest.mark.parametrize(
    ("options", "prompts"),
    [
        (("--status", "transport_failed"), ["How long?"]),
        (("--contains", "POTASSIUM"), ["How much potassium?"]),
        (("--identity", "old"), ["How much adrenaline?"]),
        (("--model", "tiny", "--status", "refused"), []),
    ],
)
def test_filters_choose(run: Run, options: tuple[str, ...], prompts: list[str]) -> None:
    rows = [json.loads(row) for row in run("list", "--json", *options).stdout.splitlines()]
    assert [row["ask"]["prompt"] for row in rows] == prompts


def test_what_was_exported_is_imported_elsewhere_once(run: Run, tmp_path: Path) -> None:
    assert run("export", "r.jsonl").exit_code == 0
    paths.replies("tiny").unlink()
    assert "3 replies taken over, 0 were known" in run("import", "r.jsonl").output
    assert "0 replies taken over, 3 were known" in run("import", "r.jsonl").output
    assert run("verify").exit_code == 0


def test_a_reply_that_differs_from_ours_is_said_and_ours_stays(run: Run, tmp_path: Path) -> None:
    export(tmp_path / "other.jsonl", [_entry("How much adrenaline?", text="another")])
    assert "1 of those read otherwise here, and ours stay" in run("import", "other.jsonl").output
    assert "another" not in run("list", "--json").output


def test_one_changed_reply_lets_none_of_the_file_in(run: Run, tmp_path: Path) -> None:
    changed = _entry("new").model_copy(update={"ask": Ask(prompt="other", constraint=None, max_tokens=5)})
    export(tmp_path / "r.jsonl", [_entry("good"), changed])
    done = run("import", "r.jsonl")
    assert done.exit_code == 1 and "reply 2 is not the one its key" in done.output
    assert "good" not in run("list").output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("list", "--model", "none"), "no reply of 'none' is remembered: there are those of ['tiny']"),
        (("list", "--status", "fine"), "--status 'fine' is not among ok,"),
        (("export", "params.yaml"), "is there already, and is not overwritten"),
        (("export", "x.jsonl", "--contains", "zebra"), "nothing was written"),
    ],
)
def test_what_cannot_be_done_says_why(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 1 and said in done.output


def test_a_model_that_params_does_not_know_needs_a_name(run: Run, tmp_path: Path) -> None:
    other = _entry("x")
    export(tmp_path / "r.jsonl", [other.model_copy(update={"reply": other.reply.model_copy(update={"model": "big"})})])
    done = run("import", "r.jsonl")
    assert done.exit_code == 1 and "say --model NAME" in done.output
    assert run("import", "r.jsonl", "--model", "tiny").exit_code == 0


def test_verify_finds_a_reply_that_was_changed_in_the_file(run: Run) -> None:
    assert "3 replies, each what its key says" in run("verify").output
    with closing(sqlite3.connect(paths.replies("tiny"))) as connection:
        connection.execute("update replies set ask = replace(ask, 'potassium', 'sodium')")
        connection.commit()
    done = run("verify")
    assert done.exit_code == 1 and "1 replies are not what their key says" in done.output


def test_verify_finds_a_row_that_is_no_reply_and_a_file_that_is_broken(run: Run) -> None:
    with closing(sqlite3.connect(paths.replies("tiny"))) as connection:
        connection.execute("update replies set reply = 'no' where identity = 'old'")
        connection.commit()
    done = run("verify")
    assert done.exit_code == 1 and "is not readable" in done.output
    paths.replies("tiny").write_bytes(b"no database at all " * 400)
    done = run("verify")
    assert done.exit_code == 1 and "cannot be used" in done.output


def test_replies_of_other_weights_are_not_reused_and_the_run_says_so(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export(tmp_path / "r.jsonl", [_entry("x", "who")])
    raw = Path("params.yaml").read_text(encoding="utf-8").splitlines()
    swapped = "\n".join("  tiny: {backend: replay, file: r.jsonl}" if "tiny: {" in row else row for row in raw)
    Path("params.yaml").write_text(swapped, encoding="utf-8")
    with open_llm(settings.load(), "tiny", "toy"):
        pass
    said = capsys.readouterr().err
    assert "1 remembered replies are of other weights or options" in said and "1 of old" in said
