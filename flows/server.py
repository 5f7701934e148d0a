"""One local Prefect server for a run: the one that is running, or one that is started and stopped again."""

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.environment import prepare
from tasks.errors import Unavailable

_PORT = 4200
_START_WITHIN = 180


@contextmanager
def prefect_server() -> Iterator[str]:
    """The API address of a healthy server. PREFECT_API_URL names one that is used as it is."""
    prepare()
    named = os.environ.get("PREFECT_API_URL")
    if named:
        if not _healthy(named):
            raise Unavailable(
                f"PREFECT_API_URL is {named!r}, and no healthy server answers there: start it, or unset it"
            )
        yield named
        return
    local = f"http://127.0.0.1:{_PORT}/api"
    if _healthy(local):
        yield local
        return
    port = _free_port()
    address = f"http://127.0.0.1:{port}/api"
    log = Path(os.environ["PREFECT_HOME"]) / "server.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
        environment = os.environ | {"PREFECT_API_URL": address, "PREFECT_UI_API_URL": address}
        server = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env=environment)
    try:
        _wait(server, address, log)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()


def _wait(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    until = time.monotonic() + _START_WITHIN
    while not _healthy(address):
        if server.poll() is not None or time.monotonic() > until:
            raise Unavailable(f"the Prefect server at {address!r} did not start: see {str(log)!r}")
        time.sleep(0.5)


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, TimeoutError, ValueError):
        return False


def _free_port() -> int:
    for port in (_PORT, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise Unavailable("no port is free on 127.0.0.1")
