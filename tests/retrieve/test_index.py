"""An index is searched only by the embedder that made it, with the prefixes and the weights that it had then."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from flows.retrieve import ranked
from tasks import store
from tasks.backends.prefixed import Prefixed, Vector
from tasks.embed import VIEWS, build
from tasks.errors import DataError
from tasks.params import Prefixes, Retrieve
from tasks.records import Question, Section, ViewIndex

SECTIONS = [
    Section(guideline="g", section_id=f"P{n}-S1", title="T", question=f"q{n}?", text=f"text {n}", lines=(n,))
    for n in (1, 2)
]
QUESTION = Question(question_id="q", guideline="g", question="q1?", reference="", gold_lines=())


class Letters:
    """Vectors that count letters: enough to be normalised and searched."""

    name = "letters"

    def __init__(self, width: int = 4, digest: str = "a") -> None:
        self.identity = f"letters digest:{digest}"
        self._width = width

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        return [np.array([1 + text.count(c) for c in "qt12tx"[: self._width]], dtype=np.float32) for text in texts]

    def close(self) -> None:
        pass


def _embedder(prefixes: Prefixes | None = None, width: int = 4, digest: str = "a") -> Prefixed:
    return Prefixed(Letters(width, digest), prefixes or Prefixes(), "window")


def _write(folder: Path, embedder: Prefixed) -> None:
    views = []
    for view in VIEWS:
        index = build(SECTIONS, {"g": "Guideline"}, view, embedder)
        store.write_index(folder / f"{view}.faiss", index)
        views.append(ViewIndex(view=view, embedder=embedder.identity, rows=index.ntotal, dimension=index.d, windowed=0))
    store.write(folder / "sections.parquet", SECTIONS, Section)
    store.write(folder / "views.parquet", views, ViewIndex)


def test_the_embedder_that_made_an_index_searches_it(tmp_path: Path) -> None:
    _write(tmp_path, _embedder())
    hits = ranked([QUESTION], _embedder(), tmp_path, Retrieve())
    assert len(hits) == len(VIEWS) * len(SECTIONS)


@pytest.mark.parametrize(
    "other",
    [lambda: _embedder(Prefixes(query="search_query: ")), lambda: _embedder(digest="b")],
    ids=["prefix", "weights"],
)
def test_another_prefix_or_other_weights_are_refused(tmp_path: Path, other: Callable[[], Prefixed]) -> None:
    _write(tmp_path, _embedder())
    with pytest.raises(DataError, match=r"was made by letters digest:a query='' .*run the stage embed again"):
        ranked([QUESTION], other(), tmp_path, Retrieve())


def test_vectors_of_another_width_are_refused(tmp_path: Path) -> None:
    _write(tmp_path, _embedder())
    with pytest.raises(DataError, match="has vectors of 4 numbers, and the questions' have 5"):
        ranked([QUESTION], _embedder(width=5), tmp_path, Retrieve())


def test_an_index_of_other_sections_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, _embedder())
    store.write(tmp_path / "sections.parquet", SECTIONS[:1], Section)
    with pytest.raises(DataError, match=r"has 2 rows of 4 numbers, not 1 of 4"):
        ranked([QUESTION], _embedder(), tmp_path, Retrieve())
