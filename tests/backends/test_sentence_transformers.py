"""The real embedding model that is installed with SafeLLM: vectors of length 1, the same every time, in silence."""

from pathlib import Path

import numpy as np
import pytest

from tasks.backends.sentence_transformers import SentenceTransformers
from tasks.errors import Unavailable

pytestmark = pytest.mark.slow
TEXTS = ["Give calcium gluconate at once.", "How is high potassium treated?", "The car park is shut."]


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformers:
    return SentenceTransformers("minilm", "all-MiniLM-L6-v2")


def test_loading_and_embedding_print_nothing(embedder: SentenceTransformers, capfd: pytest.CaptureFixture[str]) -> None:
    embedder.embed(TEXTS)
    assert capfd.readouterr() == ("", "")


def test_every_vector_is_of_length_1(embedder: SentenceTransformers) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_same_texts_have_the_same_vectors(embedder: SentenceTransformers) -> None:
    assert np.array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))


def test_what_is_about_the_same_is_nearer(embedder: SentenceTransformers) -> None:
    calcium, potassium, car = embedder.embed(TEXTS)
    assert calcium @ potassium > calcium @ car


def test_no_text_is_no_row_of_the_right_width(embedder: SentenceTransformers) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_the_identity_names_the_weights(embedder: SentenceTransformers) -> None:
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in embedder.identity


def test_a_folder_without_a_model_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="all-MiniLM-L6-v2"):
        SentenceTransformers("mine", str(tmp_path))


def test_a_text_longer_than_the_model_reads_is_warned_of(embedder: SentenceTransformers) -> None:
    with pytest.warns(UserWarning, match="1 of 2 texts are longer than the 256 tokens"):
        embedder.embed(["potassium " * 300, "Give calcium."])
