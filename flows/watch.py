"""What a run shows while a model is asked: one live line on a terminal, plain lines elsewhere, an artifact in Prefect."""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from flows.stage import console

if TYPE_CHECKING:
    from tasks.backends.remembered import Tally

T = TypeVar("T")
R = TypeVar("R")
_EVERY = 15.0  # seconds between plain lines
_ARTIFACT_EVERY = 2.0


class Watch:
    """Counts what is done of `total` and says so with what the calls cost; call it once for each question done.

    The time left is that of the questions for which the model was asked, for remembered replies take none.
    """

    def __init__(self, label: str, total: int, tally: "Tally", show: Callable[["Watch"], None]) -> None:
        self.label, self.total, self.done = label, total, 0
        self._tally, self._show = tally, show
        self._asked, self._asking = 0, 0
        self._started = time.monotonic()
        self._one_at_a_time = threading.Lock()

    def __call__(self) -> None:
        """One more is done."""
        with self._one_at_a_time:
            self.done += 1
            if self._tally.asked != self._asked:
                self._asked = self._tally.asked
                self._asking += 1
            self._show(self)

    @property
    def left(self) -> float | None:
        """Seconds that the rest takes, if it goes on like this; None as long as the model was not asked."""
        if not self._asking:
            return None
        return (self.total - self.done) * (time.monotonic() - self._started) / self._asking

    @property
    def said(self) -> str:
        """Tokens a second, the share of prompt tokens reused, unreadable replies, failures and the time left."""
        tally = self._tally
        parts = []
        if tally.seconds:
            parts.append(f"{(tally.tokens_in - tally.tokens_reused + tally.tokens_out) / tally.seconds:.0f} tokens/s")
        if tally.tokens_in:
            parts.append(f"{tally.tokens_reused / tally.tokens_in:.0%} reused")
        parts.append(f"{tally.remembered} remembered")
        if tally.cost:
            parts.append(f"${tally.cost:.2f}")
        parts.append(f"{tally.unreadable} unreadable")
        parts.append(f"{tally.failed} failed")
        if self.left is not None and self.done < self.total:
            parts.append(f"{_minutes(self.left)} left")
        return ", ".join(parts)


@contextmanager
def watching(label: str, total: int, tally: "Tally") -> Iterator[Watch]:
    """A watch over `total` questions, shown as `label`; inside a flow with a progress artifact of that name."""
    artifact = _artifact(label)
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, TextColumn("{task.fields[said]}"), console=console, transient=True) as bar:
            row = bar.add_task(label, total=total, said="")

            def show(watch: Watch) -> None:
                bar.update(row, completed=watch.done, said=watch.said)
                artifact(watch)

            yield Watch(label, total, tally, show)
        return
    last = [time.monotonic()]

    def say(watch: Watch) -> None:
        artifact(watch)
        if watch.done == watch.total or time.monotonic() - last[0] > _EVERY:
            last[0] = time.monotonic()
            console.print(f"{label} {watch.done}/{watch.total}: {watch.said}", highlight=False)

    yield Watch(label, total, tally, say)


def at_once(function: Callable[[T], R], items: Sequence[T], workers: int) -> Iterator[R]:
    """`function` of every item, in their order, by up to `workers` threads that belong to the same flow run.

    The first error ends it: what runs is waited for, what does not yet run is not begun.
    """
    if workers == 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        for future in [pool.submit(copy_context().run, function, item) for item in items]:
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _artifact(label: str) -> Callable[[Watch], None]:
    """What keeps a progress artifact of Prefect up to date; nothing outside of a flow run."""
    from prefect.context import FlowRunContext

    if FlowRunContext.get() is None:
        return lambda watch: None
    from prefect.artifacts import create_progress_artifact, update_progress_artifact

    made: Any = create_progress_artifact(0.0, key=re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-"))
    last = [0.0]

    def update(watch: Watch) -> None:
        if watch.done < watch.total and time.monotonic() - last[0] < _ARTIFACT_EVERY:
            return
        last[0] = time.monotonic()
        update_progress_artifact(made, progress=100 * watch.done / watch.total, description=f"{label}: {watch.said}")

    return update


def _minutes(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
