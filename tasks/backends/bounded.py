"""Other people's programs over other people's files: bounded in time, memory and output, and told no secrets."""

import math
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tasks.errors import Unavailable

SECRET = "SAFELLM_PDF_PASSWORD"  # variables that begin so are not passed on to a program

_MEGABYTE = 1024 * 1024
_SAYS_MEMORY = ("out of memory", "bad_alloc", "memoryerror", "cannot allocate memory", "memory allocation")


@dataclass(frozen=True)
class Limits:
    """What one call of a program may use: `timeout` in seconds, `memory` in MB of address space."""

    timeout: float
    memory: int


@dataclass(frozen=True)
class Ended:
    """How a program ended: its output, its code, the beginning of its complaints, and the bound that it reached."""

    output: bytes
    code: int
    said: str
    bound: Literal["time", "memory", "size"] | None


def run(command: Sequence[str], install: str, limits: Limits, most: int, given: bytes = b"") -> Ended:
    """Run a program, without a shell, and give it `given`; one byte of output over `most` stops it.

    Raises Unavailable, with `install` as the remedy, where the program (or util-linux' prlimit) is missing. The
    processor time is bounded too, so that a program which outlives us ends.
    """
    tool, prlimit = shutil.which(command[0]), shutil.which("prlimit")
    if tool is None:
        raise Unavailable(f"{command[0]!r} is not on this machine: {install}")
    if prlimit is None:
        raise Unavailable("'prlimit' is not on this machine: install util-linux; no file is read without a bound")
    seconds = math.ceil(limits.timeout) + 5
    bounds = [f"--as={limits.memory * _MEGABYTE}", f"--cpu={seconds}", f"--fsize={most}", "--core=0"]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [prlimit, *bounds, tool, *command[1:]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            bufsize=0,
            env=_environment(),
        )
        output, timed_out = _read_bounded(process, limits.timeout, most, given)
        complaints.seek(0)
        said = complaints.read(4000).decode("utf-8", "replace").strip()
    return Ended(output, process.returncode, said, _bound(output, process.returncode, said, timed_out, most))


def _environment() -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(SECRET)}
    return kept | {"OMP_THREAD_LIMIT": "1"}


def _bound(output: bytes, code: int, said: str, timed_out: bool, most: int) -> Literal["time", "memory", "size"] | None:
    """The bound that a program reached; poppler goes on without what it had no memory for, and ends with 0."""
    if timed_out or code == -signal.SIGXCPU:
        return "time"
    if len(output) > most or code == -signal.SIGXFSZ:
        return "size"
    if code == -signal.SIGABRT or any(phrase in said.lower() for phrase in _SAYS_MEMORY):
        return "memory"
    return None


def _read_bounded(process: subprocess.Popen[bytes], timeout: float, most: int, given: bytes) -> tuple[bytes, bool]:
    """What the process writes, and whether it was stopped for its time."""
    timed_out = threading.Event()

    def stop() -> None:
        timed_out.set()
        process.kill()

    timer = threading.Timer(timeout, stop)
    timer.start()
    output = bytearray()
    try:
        assert process.stdin is not None and process.stdout is not None
        _give(process, given)
        with process.stdout as stream:
            while len(output) <= most and (chunk := stream.read(1 << 20)):
                output += chunk
        if len(output) > most:
            process.kill()
        process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            process.kill()
            process.wait()
    return bytes(output), timed_out.is_set()


def _give(process: subprocess.Popen[bytes], given: bytes) -> None:
    """Write what the process reads (at most a pipe's worth), and close; one that ended already needs nothing."""
    assert process.stdin is not None
    try:
        process.stdin.write(given)
        process.stdin.close()
    except BrokenPipeError:
        pass
