"""The reply store: SQLite in WAL mode, durable before `put` returns, shared by threads and processes."""

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tasks.errors import DataError
from tasks.records import Ask, Recorded, Reply
from tasks.store import replacing

_TABLE = """create table if not exists replies (
    key text primary key, identity text not null, ask text not null, reply text not null, time real not null)"""


class ReplyStore:
    """Replies by key. A key that is there is never written again."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._run("pragma journal_mode=wal")
        self._run("pragma synchronous=full")
        self._run(_TABLE)

    def get(self, key: str) -> Reply | None:
        """The reply, or None."""
        rows = self._run("select reply from replies where key = ?", key)
        return Reply.model_validate_json(rows[0][0]) if rows else None

    def put(self, key: str, identity: str, ask: Ask, reply: Reply) -> None:
        """Remember a reply; it is on the disk when this returns."""
        row = (key, identity, ask.model_dump_json(), reply.model_dump_json(), time.time())
        self._run("insert or ignore into replies values (?, ?, ?, ?, ?)", *row)

    def entries(self) -> list[Recorded]:
        """Everything remembered, oldest first."""
        rows = self._run("select key, identity, ask, reply from replies order by time, key")
        return [
            Recorded(key=key, identity=who, ask=Ask.model_validate_json(ask), reply=Reply.model_validate_json(reply))
            for key, who, ask, reply in rows
        ]

    def count(self) -> int:
        """How many are remembered."""
        return int(self._run("select count(*) from replies")[0][0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _run(self, statement: str, *values: str | float) -> list[Any]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise DataError(
                f"the reply store {str(self._path)!r} cannot be used ({error}): is the disk full, or the file another "
                "program's? If it is broken, move it away: its replies are asked again"
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
