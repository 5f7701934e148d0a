"""What all tests share: no network but loopback, the offline environment, and where the small model's weights are."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from flows.environment import prepare

prepare()
ROOT = Path(__file__).resolve().parents[1]
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_connect = socket.socket.connect


def _loopback_only(self: socket.socket, address: Any) -> None:
    if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in _LOOPBACK:
        raise AssertionError(f"a test tried to reach {address!r}: tests may only use loopback")
    _connect(self, address)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> None:
    """Every socket to anything but loopback fails the test that opens it."""
    socket.socket.connect = _loopback_only  # type: ignore[method-assign, assignment]


@pytest.fixture(scope="session")
def weights_dir() -> Path:
    """The folder of GGUF weights."""
    return Path(os.environ.get("SAFELLM_WEIGHTS_DIR", ROOT / "models" / "weights")).resolve()


@pytest.fixture(scope="session")
def smollm2(weights_dir: Path) -> Path:
    """The smallest real model; a test that needs it fails where it was not set up."""
    file = weights_dir / "smollm2-135m.gguf"
    assert file.is_file(), "the test model is missing: run `safellm setup --weights smollm2-135m`"
    return file
