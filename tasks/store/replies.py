"""The reply store: SQLite in WAL mode, durable before `put` returns, shared by threads and processes."""

import sqlite3
import time
from pathlib import Path

from tasks.errors import DataError
from tasks.records import Ask, Recorded, Reply

_TABLE = """create table if not exists replies (
    key text primary key, identity text not null, ask text not null, reply text not null, time real not null)"""


class ReplyStore:
    """Replies by key. A key that is there is never written again."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._connection.execute("pragma journal_mode=wal")
        self._connection.execute("pragma synchronous=full")
        self._connection.execute(_TABLE)

    def get(self, key: str) -> Reply | None:
        """The reply, or None."""
        row = self._connection.execute("select reply from replies where key = ?", (key,)).fetchone()
        return Reply.model_validate_json(row[0]) if row else None

    def put(self, key: str, identity: str, ask: Ask, reply: Reply) -> None:
        """Remember a reply; it is on the disk when this returns."""
        row = (key, identity, ask.model_dump_json(), reply.model_dump_json(), time.time())
        self._connection.execute("insert or ignore into replies values (?, ?, ?, ?, ?)", row)

    def entries(self) -> list[Recorded]:
        """Everything remembered, oldest first."""
        rows = self._connection.execute("select key, identity, ask, reply from replies order by time, key").fetchall()
        return [
            Recorded(key=key, identity=who, ask=Ask.model_validate_json(ask), reply=Reply.model_validate_json(reply))
            for key, who, ask, reply in rows
        ]

    def count(self) -> int:
        """How many are remembered."""
        return int(self._connection.execute("select count(*) from replies").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def load(path: Path) -> list[Recorded]:
    """The replies of a JSONL file, one `Recorded` a line. Raises DataError if it is missing or empty."""
    if not path.is_file():
        raise DataError(f"{str(path)!r} does not exist: it should hold recorded replies, one JSON object a line")
    entries = [
        Recorded.model_validate_json(row) for row in path.read_text(encoding="utf-8").splitlines() if row.strip()
    ]
    if not entries:
        raise DataError(f"{str(path)!r} holds no recorded reply")
    return entries
