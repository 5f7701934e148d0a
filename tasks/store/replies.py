"""The reply store: SQLite in WAL mode, durable before `put` returns, shared by threads and processes."""

import sqlite3
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from tasks.errors import DataError
from tasks.records import Ask, Failed, Recorded, Reply
from tasks.store import replacing

T = TypeVar("T", Ask, Reply, Failed)
_PATIENCE = 60.0  # seconds that a process waits for another
_TABLES = (
    """create table if not exists replies (
    key text primary key, identity text not null, ask text not null, reply text not null, time real not null)""",
    "create table if not exists unreadable (key text primary key)",
    "create table if not exists failures (failed text not null, time real not null)",
)


class ReplyStore:
    """Replies by key. A key that is there is never written again; what failed stands apart and is no reply."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._one_at_a_time = threading.Lock()
        self._connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        self._write_ahead()
        self._run("pragma synchronous=full")
        for table in _TABLES:
            self._run(table)

    def get(self, key: str) -> Reply | None:
        """The reply, or None."""
        rows = self._run("select reply from replies where key = ?", key)
        return Reply.model_validate_json(rows[0][0]) if rows else None

    def put(self, key: str, identity: str, ask: Ask, reply: Reply) -> None:
        """Remember a reply; it is on the disk when this returns."""
        self.put_all([Recorded(key=key, identity=identity, ask=ask, reply=reply, time=time.time())])

    def put_all(self, entries: Sequence[Recorded]) -> int:
        """Take entries over as they are, all or none; how many were not there before."""
        rows = [
            (item.key, item.identity, item.ask.model_dump_json(), item.reply.model_dump_json(), item.time)
            for item in entries
        ]
        unreadable = [(item.key,) for item in entries if item.unreadable]
        before = self.count()
        with self._one_at_a_time:
            try:
                self._connection.execute("begin immediate")
                self._connection.executemany("insert or ignore into replies values (?, ?, ?, ?, ?)", rows)
                self._connection.executemany("insert or ignore into unreadable values (?)", unreadable)
                self._connection.execute("commit")
            except sqlite3.Error as error:
                raise self._unusable(error) from error
        return self.count() - before

    def mark_unreadable(self, key: str) -> None:
        """Remember that no answer could be read from the reply of this key."""
        self._run("insert or ignore into unreadable values (?)", key)

    def put_failure(self, failed: Failed) -> None:
        """Remember that a call failed."""
        now = time.time()
        self._run("insert into failures values (?, ?)", failed.model_copy(update={"time": now}).model_dump_json(), now)

    def entries(self) -> list[Recorded]:
        """Everything remembered, oldest first. Raises DataError if a row is no reply."""
        rows = self._run(
            "select key, identity, ask, reply, time, key in (select key from unreadable) from replies order by time, key"
        )
        return [
            Recorded(
                key=key,
                identity=who,
                ask=self._read(key, Ask, ask),
                reply=self._read(key, Reply, reply),
                time=when,
                unreadable=bool(unreadable),
            )
            for key, who, ask, reply, when, unreadable in rows
        ]

    def failures(self) -> list[Failed]:
        """Every call that failed, oldest first."""
        return [self._read("failure", Failed, row) for (row,) in self._run("select failed from failures order by time")]

    def identities(self) -> dict[str, int]:
        """How many replies are remembered of each model that answered under this name."""
        return dict(self._run("select identity, count(*) from replies group by identity"))

    def check(self) -> str:
        """SQLite's own word on the file: "ok", or what is broken."""
        return str(self._run("pragma integrity_check")[0][0])

    def count(self) -> int:
        """How many are remembered."""
        return int(self._run("select count(*) from replies")[0][0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _write_ahead(self) -> None:
        """Switch to WAL mode; of several that open a new file at once, SQLite lets only the first, and none wait."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("pragma journal_mode=wal")
                return
            except sqlite3.Error as error:
                busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
                if not busy or time.monotonic() > until:
                    raise self._unusable(error) from error
            time.sleep(0.01)

    def _run(self, statement: str, *values: str | float) -> list[Any]:
        with self._one_at_a_time:
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._unusable(error) from error

    def _unusable(self, error: sqlite3.Error) -> DataError:
        return DataError(
            f"the reply store {str(self._path)!r} cannot be used ({error}): is the disk full, or the file another "
            "program's? If it is broken, move it away: its replies are asked again"
        )

    def _read(self, key: str, form: type[T], text: str) -> T:
        try:
            return form.model_validate_json(text)
        except ValidationError as error:
            raise DataError(
                f"{self._path}: {key!r} is not readable ({text[:60]!r}): see `safellm replies verify`"
            ) from error


def export(path: Path, entries: Sequence[Recorded]) -> None:
    """Write replies as JSONL, one `Recorded` a line, for `load`; whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(
            "".join(f"{entry.model_dump_json()}\n" for entry in entries), encoding="utf-8", newline="\n"
        )


def load(path: Path) -> list[Recorded]:
    """The replies of a JSONL file, one `Recorded` a line. Raises DataError if it is missing, empty or of another shape."""
    if not path.is_file():
        raise DataError(f"{str(path)!r} does not exist: it should hold recorded replies, one JSON object a line")
    # not splitlines(), which also ends a line at characters that JSON leaves as they are
    rows = path.read_text(encoding="utf-8").split("\n")
    entries = [_entry(path, number, row) for number, row in enumerate(rows, 1) if row.strip()]
    if not entries:
        raise DataError(f"{str(path)!r} holds no recorded reply")
    return entries


def _entry(path: Path, number: int, row: str) -> Recorded:
    try:
        return Recorded.model_validate_json(row)
    except ValidationError as error:
        raise DataError(f"{path}:{number} is not a recorded reply ({row[:60]!r}): record the file again") from error
