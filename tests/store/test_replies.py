"""Replies leave the store as JSONL and come back the same; a store that cannot be used says which."""

import subprocess
import sys
from pathlib import Path

import pytest

from tasks.errors import DataError
from tasks.records import Ask, Failed, Recorded, Reply
from tasks.store.replies import ReplyStore, export, load

REPLY = Reply(text="ok", status="ok", model="m", digest="d", tokens_in=1, tokens_reused=0, tokens_out=1, seconds=0.5)
WRITER = """
import sys
from pathlib import Path
from tasks.records import Ask, Reply
from tasks.store.replies import ReplyStore
replies = ReplyStore(Path(sys.argv[1]))
reply = Reply(text=sys.argv[2], status="ok", model="m", digest="d", tokens_in=1, tokens_reused=0, tokens_out=1, seconds=0.0)
for i in range(100):
    replies.put(f"{sys.argv[2]}{i}", "who", Ask(prompt=str(i), constraint=None, max_tokens=1), reply)
    replies.put(f"both{i}", "who", Ask(prompt=str(i), constraint=None, max_tokens=1), reply)
"""


def _entry(key: str, prompt: str) -> Recorded:
    return Recorded(key=key, identity="who", ask=Ask(prompt=prompt, constraint=None, max_tokens=5), reply=REPLY)


def test_replies_go_to_a_file_and_come_back_the_same(tmp_path: Path) -> None:
    replies = ReplyStore(tmp_path / "r.sqlite")
    entries = [_entry("a", "first"), _entry("b", "line end \u2028 and \x85 and ≥ 5\n\n")]
    for entry in entries:
        replies.put(entry.key, entry.identity, entry.ask, entry.reply)
    replies.mark_unreadable("b")
    export(tmp_path / "r.jsonl", replies.entries())
    replies.close()
    loaded = load(tmp_path / "r.jsonl")
    assert [(item.key, item.ask, item.reply) for item in loaded] == [
        (item.key, item.ask, item.reply) for item in entries
    ]
    assert [item.fate for item in loaded] == ["ok", "unreadable"]
    again = ReplyStore(tmp_path / "again.sqlite")
    assert (again.put_all(loaded), again.put_all(loaded)) == (2, 0) and again.entries() == loaded
    again.close()


def test_a_call_that_failed_is_kept_apart_and_is_no_reply(tmp_path: Path) -> None:
    replies = ReplyStore(tmp_path / "r.sqlite")
    ask = Ask(prompt="p", constraint=None, max_tokens=5)
    replies.put_failure(Failed(identity="who", ask=ask, fate="transport_failed", message="hung", seconds=3.0))
    assert replies.count() == 0 and replies.entries() == []
    (failed,) = replies.failures()
    replies.close()
    assert (failed.fate, failed.message, failed.ask) == ("transport_failed", "hung", ask) and failed.time > 0


def test_a_row_that_is_no_reply_is_named_by_its_line(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(_entry("a", "p").model_dump_json() + '\n{"key": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"r\.jsonl:2 is not a recorded reply"):
        load(file)


def test_a_missing_or_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        load(tmp_path / "r.jsonl")
    (tmp_path / "r.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match="holds no recorded reply"):
        load(tmp_path / "r.jsonl")


def test_a_file_that_is_no_reply_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.sqlite").write_text("not a database, but long enough to look at " * 40, encoding="utf-8")
    with pytest.raises(DataError, match=r"r\.sqlite.*cannot be used"):
        ReplyStore(tmp_path / "r.sqlite")


@pytest.mark.slow
def test_processes_that_create_and_fill_a_store_together_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(file), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert ReplyStore(file).count() == 400
