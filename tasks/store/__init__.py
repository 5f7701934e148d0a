"""The only opener of data/ and models/: Parquet of records, whose columns are derived from the record."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import polars as pl

from tasks.errors import DataError
from tasks.records import Record

R = TypeVar("R", bound=Record)

_SCALARS: dict[object, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64, bool: pl.Boolean}


def schema(record: type[Record]) -> dict[str, Any]:
    """The polars schema of a record type: the one place where the two could drift, so it is computed."""
    return {name: _dtype(field.annotation) for name, field in record.model_fields.items()}


def frame(records: Sequence[Record], record: type[Record]) -> pl.DataFrame:
    """The records as a frame with the columns of their type, also when there are none."""
    return pl.DataFrame([item.model_dump() for item in records], schema=schema(record))


def write(path: Path, records: Sequence[Record], record: type[Record]) -> None:
    """Write records as Parquet, whole or not at all."""
    with replacing(path) as temporary:
        frame(records, record).write_parquet(temporary)


def read(path: Path, record: type[R], where: Sequence[Mapping[str, Any]] | None = None) -> list[R]:
    """Read the records of a Parquet file. Raises DataError if it is missing or of another shape.

    `where` keeps the records that agree with one of these mappings in all its fields (the same ones in each).
    """
    table = pl.read_parquet(_existing(path))
    if table.columns != list(record.model_fields):
        raise DataError(
            f"{str(path)!r} holds {table.columns}, not {list(record.model_fields)}: it is of another version; "
            "run `dvc repro --force` for its stage"
        )
    if where is not None:
        fields = {name: schema(record)[name] for name in where[0]} if where else {}
        wanted = pl.DataFrame(where, schema=fields)
        table = table.join(wanted, on=list(fields), how="semi", maintain_order="left") if fields else table.clear()
    return [record.model_validate(row) for row in table.iter_rows(named=True)]


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file as it is, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def write_new_text(path: Path, text: str) -> bool:
    """Write UTF-8 text, whole or not at all, where there is no such file; whether there was none."""
    with _beside(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
        temporary.chmod(0o644)
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            return False
    return True


def read_text(path: Path) -> str:
    """Read UTF-8 text. Raises DataError if it is missing, or is not UTF-8."""
    return _decoded(_existing(path))


def read_bytes(path: Path) -> bytes:
    """Read a file as it is. Raises DataError if it is missing."""
    return _existing(path).read_bytes()


def text_if_there(path: Path) -> str | None:
    """Read UTF-8 text, or None if there is no such file. Raises DataError if it is not UTF-8."""
    return _decoded(path) if path.is_file() else None


def write_index(path: Path, index: Any) -> None:
    """Write a FAISS index, whole or not at all."""
    import faiss

    with replacing(path) as temporary:
        faiss.write_index(index, str(temporary))


def read_index(path: Path) -> Any:
    """Read a FAISS index. Raises DataError if it is missing."""
    import faiss

    return faiss.read_index(str(_existing(path)))


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place if the block ends well, and is deleted if it does not."""
    with _beside(path) as temporary:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A temporary path beside `path`, which is deleted in the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _decoded(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{str(path)!r} is not UTF-8 (its byte {error.start} is not): save it as UTF-8") from error


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise DataError(f"{str(path)!r} does not exist: run `safellm run` (or `dvc repro`) first")
    return path


def _dtype(annotation: Any) -> Any:
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _dtype(type(arguments[0]))
    if origin in (Union, UnionType):
        return _dtype(next(argument for argument in arguments if argument is not type(None)))
    if origin is tuple:
        return pl.List(_dtype(arguments[0]))
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return pl.Struct(schema(annotation))
    raise TypeError(f"no polars type for {annotation!r}")
