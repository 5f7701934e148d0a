"""What every stage's script shares: its command line, its Prefect flow, its progress, and its errors without traceback."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from flows.environment import prepare
from tasks.errors import SafeLLMError

T = TypeVar("T")
console = Console(stderr=True, soft_wrap=True)  # a sentence is wrapped by the terminal, and whole elsewhere


def main(stage: str, run: Callable[..., Any], names: Sequence[str]) -> None:
    """Run `run` as the Prefect flow `stage` with the cell's names from the command line, and exit 1 on our errors."""
    if len(sys.argv) != len(names) + 1:
        sys.exit(f"usage: python -m flows.{stage} {' '.join(name.upper() for name in names)}")
    prepare()
    from prefect import flow

    cell = sys.argv[1:]
    run_name = "@".join([stage, "-".join(cell)]) if cell else stage
    started = time.monotonic()
    try:
        flow(name=stage, flow_run_name=run_name, validate_parameters=False, persist_result=False)(run)(*cell)
    except SafeLLMError as error:
        console.print(f"[bold red]{stage}: {type(error).__name__}:[/] ", end="")
        console.print(str(error), markup=False, highlight=False)
        sys.exit(1)
    console.print(f"[green]done[/] {run_name} in {time.monotonic() - started:.0f} s", highlight=False)


def step(name: str, function: Callable[..., T], tags: Iterable[str] = ()) -> Callable[..., T]:
    """`function` as a Prefect task that shows as `name`; inside a flow only. DVC alone caches, so its cache is off."""
    from prefect import task
    from prefect.cache_policies import NO_CACHE

    return task(name=name, task_run_name=name, tags=tags, cache_policy=NO_CACHE, persist_result=False)(function)


def progress(items: Iterable[T], label: str, total: int) -> Iterator[T]:
    """The items, with a bar on a terminal, and with a line now and then where there is none."""
    if console.is_terminal:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            yield from bar.track(items, total=total, description=label)
        return
    last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        if done == total or time.monotonic() - last > 15:
            last = time.monotonic()
            console.print(f"{label} {done}/{total}", highlight=False)
