"""What a run may cost: one ledger for all its stages, which every paid call is entered into before it is made."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.errors import TooExpensive

_LIMIT, _LEDGER = "SAFELLM_MAX_COST", "SAFELLM_LEDGER"


class Ledger:
    """A file of amounts in US dollars, one a line, and their limit; a killed stage leaves what it had taken as spent."""

    def __init__(self, file: Path, limit: float) -> None:
        self._file, self.limit = file, limit

    @property
    def spent(self) -> float:
        """The sum of the amounts."""
        return sum(float(line) for line in self._file.read_text(encoding="utf-8").split())

    def take(self, most: float) -> None:
        """Enter it. Raises TooExpensive if that would exceed the limit."""
        with self._file.open("a", encoding="utf-8") as ledger:
            fcntl.flock(ledger, fcntl.LOCK_EX)
            spent = self.spent
            if spent + most > self.limit:
                raise TooExpensive(
                    f"${spent:.4f} of the ${self.limit:.2f} that the run may cost is spent, and the next reply may cost "
                    f"${most:.4f}: run it again with a higher --max-cost; what was answered is remembered"
                )
            ledger.write(f"{most!r}\n")

    def give_back(self, unspent: float) -> None:
        """Enter it with a minus."""
        with self._file.open("a", encoding="utf-8") as ledger:
            fcntl.flock(ledger, fcntl.LOCK_EX)
            ledger.write(f"{-unspent!r}\n")


class Unlimited:
    """No limit was set."""

    def take(self, most: float) -> None:
        """Always."""

    def give_back(self, unspent: float) -> None:
        """Nothing is kept."""


def budget() -> Ledger | Unlimited:
    """The budget of the run that this process belongs to."""
    if _LEDGER not in os.environ:
        return Unlimited()
    return Ledger(Path(os.environ[_LEDGER]), float(os.environ[_LIMIT]))


@contextmanager
def at_most(limit: float | None) -> Iterator[dict[str, str]]:
    """The environment of the stages of a run that may cost this many US dollars; None: whatever it costs."""
    if limit is None:
        yield {}
        return
    with tempfile.TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger"
        ledger.touch()
        yield {_LIMIT: repr(limit), _LEDGER: str(ledger)}
