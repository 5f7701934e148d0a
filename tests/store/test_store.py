"""Records come back from the disk as they went, whole or not at all; replies survive a kill."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tasks import store
from tasks.errors import DataError
from tasks.records import Answer, Ask, Excerpt, Line, Reply
from tasks.store.replies import ReplyStore

REPLY = Reply(text="ok", status="ok", model="m", digest="d", tokens_in=1, tokens_reused=0, tokens_out=1, seconds=0.5)


def test_records_with_nested_and_missing_values_come_back_the_same(tmp_path: Path) -> None:
    excerpt = Excerpt(claimed="a", text="a", lines=(1, 2), verdict="verbatim", label=None)
    answers = [
        Answer(
            experiment="e",
            strategy="copy",
            question_id="q",
            guideline=None,
            outcome="no_topic",
            excerpts=(),
            invalid_ids=(),
            replies=(),
        ),
        Answer(
            experiment="e",
            strategy="copy",
            question_id="r",
            guideline="g",
            outcome="answered",
            excerpts=(excerpt,),
            invalid_ids=(9,),
            replies=("≥",),
        ),
    ]
    store.write(tmp_path / "a" / "answers.parquet", answers, Answer)
    assert store.read(tmp_path / "a" / "answers.parquet", Answer) == answers


def test_records_are_read_in_order_where_all_named_fields_agree(tmp_path: Path) -> None:
    asks = [Ask(prompt=prompt, constraint=None, max_tokens=n) for n in (1, 2) for prompt in ("c", "a", "b")]
    store.write(tmp_path / "a.parquet", asks, Ask)
    wanted = [{"prompt": "c", "max_tokens": 2}, {"prompt": "b", "max_tokens": 1}, {"prompt": "z", "max_tokens": 1}]
    found = store.read(tmp_path / "a.parquet", Ask, wanted)
    assert [(ask.prompt, ask.max_tokens) for ask in found] == [("b", 1), ("c", 2)]
    assert store.read(tmp_path / "a.parquet", Ask, []) == []


def test_no_record_is_a_file_with_columns(tmp_path: Path) -> None:
    store.write(tmp_path / "lines.parquet", [], Line)
    assert store.read(tmp_path / "lines.parquet", Line) == []


def test_a_missing_file_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="safellm run"):
        store.read(tmp_path / "lines.parquet", Line)


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    store.write(tmp_path / "x.parquet", [], Answer)
    with pytest.raises(DataError, match="another version"):
        store.read(tmp_path / "x.parquet", Line)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    store.write_text(target, "old")
    with pytest.raises(RuntimeError), store.replacing(target) as temporary:
        temporary.write_text("half", encoding="utf-8")
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"] and target.read_text(encoding="utf-8") == "old"


def test_a_key_is_never_written_again(tmp_path: Path) -> None:
    replies = ReplyStore(tmp_path / "r.sqlite")
    ask = Ask(prompt="p", constraint=None, max_tokens=5)
    replies.put("k", "who", ask, REPLY)
    replies.put("k", "who", ask, REPLY.model_copy(update={"text": "other"}))
    assert replies.get("k") == REPLY and replies.get("x") is None and replies.count() == 1


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    together = Barrier(8)

    def opened(number: int) -> int:
        together.wait()
        replies = ReplyStore(tmp_path / f"{number // 8}.sqlite")
        replies.close()
        return number

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(opened, range(320))) == list(range(320))


WRITER = """
import sys
from pathlib import Path
from tasks.records import Ask, Reply
from tasks.store.replies import ReplyStore
replies = ReplyStore(Path(sys.argv[1]))
for i in range(100000):
    ask = Ask(prompt=str(i), constraint=None, max_tokens=1)
    reply = Reply(
        text=str(i), status="ok", model="m", digest="d", tokens_in=1, tokens_reused=0, tokens_out=1, seconds=0.0
    )
    replies.put(f"{sys.argv[2]}{i}", "who", ask, reply)
    print(f"{sys.argv[2]}{i}", flush=True)
"""


def _next_line(writer: "subprocess.Popen[str]") -> str:
    assert writer.stdout is not None
    return writer.stdout.readline().strip()


def test_every_reply_that_was_acknowledged_survives_kill_9_of_two_writers(tmp_path: Path) -> None:
    file = tmp_path / "r.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), name], stdout=subprocess.PIPE, text=True)
        for name in ("a", "b")
    ]
    told = [_next_line(writer) for _ in range(15) for writer in writers]
    for writer in writers:
        os.kill(writer.pid, signal.SIGKILL)
    told += [key for writer in writers for key in writer.communicate()[0].split("\n")[:-1]]
    replies = ReplyStore(file)
    assert len(set(told)) >= 30 and [key for key in told if replies.get(key) is None] == []
