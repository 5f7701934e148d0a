"""The real embedding model that is installed with SafeLLM: vectors of length 1, the same every time, in silence."""

import json
from pathlib import Path

import numpy as np
import pytest

from tasks.backends.prefixed import Prefixed, prefixes_of
from tasks.backends.sentence_transformers import SentenceTransformersVectors
from tasks.errors import ParamsError, TextTooLong, Unavailable
from tasks.params import Embeds, Prefixes

NONE = Prefixes()
pytestmark = pytest.mark.slow
TEXTS = ["Give calcium gluconate at once.", "How is high potassium treated?", "The car park is shut."]


def _embedder(long: str, prefixes: Prefixes = NONE) -> Prefixed:
    return Prefixed(SentenceTransformersVectors("minilm", "all-MiniLM-L6-v2"), prefixes, long)


@pytest.fixture(scope="module")
def embedder() -> Prefixed:
    return _embedder("window")


def test_loading_and_embedding_print_nothing(embedder: Prefixed, capfd: pytest.CaptureFixture[str]) -> None:
    embedder.embed(TEXTS, "document")
    assert capfd.readouterr() == ("", "")


def test_every_vector_is_of_length_1(embedder: Prefixed) -> None:
    vectors = embedder.embed(TEXTS, "document")
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_same_texts_have_the_same_vectors(embedder: Prefixed) -> None:
    assert np.array_equal(embedder.embed(TEXTS, "document"), embedder.embed(TEXTS, "document"))


def test_what_is_about_the_same_is_nearer(embedder: Prefixed) -> None:
    calcium, potassium, car = embedder.embed(TEXTS, "document")
    assert calcium @ potassium > calcium @ car


def test_no_text_is_no_row(embedder: Prefixed) -> None:
    assert embedder.embed([], "document").shape == (0, 0)


def test_the_identity_names_the_weights(embedder: Prefixed) -> None:
    assert "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db" in embedder.identity


def test_a_folder_without_a_model_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="all-MiniLM-L6-v2"):
        SentenceTransformersVectors("mine", str(tmp_path))


LONG = "Give calcium gluconate at once. " * 50 + "The car park is shut. " * 50


def test_a_text_longer_than_the_model_reads_is_refused_when_told_to() -> None:
    with pytest.raises(TextTooLong, match=r"'minilm' cannot read a text of 500 words whole.*long to window"):
        _embedder("refuse").embed(["Give calcium.", LONG], "document")


def test_a_text_longer_than_the_model_reads_is_the_mean_of_its_parts_and_counted() -> None:
    embedder = _embedder("window")
    _, whole = embedder.embed(["Give calcium.", LONG], "document")
    words = LONG.split()
    quarters = embedder.embed([" ".join(words[i : i + 125]) for i in range(0, 500, 125)], "document")
    mean = quarters.mean(axis=0)
    assert np.allclose(whole, mean / np.linalg.norm(mean), atol=1e-5)
    assert embedder.windowed == 1


def test_each_role_has_its_prefix_and_both_are_in_the_identity(embedder: Prefixed) -> None:
    prefixed = _embedder("window", Prefixes(query="search_query: ", document="search_document: "))
    as_query, as_document = (prefixed.embed(TEXTS[:1], role) for role in ("query", "document"))
    assert np.array_equal(as_query, embedder.embed([f"search_query: {TEXTS[0]}"], "query"))
    assert np.array_equal(as_document, embedder.embed([f"search_document: {TEXTS[0]}"], "query"))
    assert "query='search_query: ' document='search_document: '" in prefixed.identity


@pytest.mark.parametrize(
    "model", ["nomic-embed-text", "nomic-embed-text:v1.5", "me/embeddinggemma:300m", "qwen3-embedding"]
)
def test_the_prefixes_of_well_known_models_are_known(model: str) -> None:
    found = prefixes_of("e", Embeds(prefixes="model"), model, None)
    assert found.query.strip()
    assert prefixes_of("e", Embeds(), model, None) == NONE


def test_prefixes_that_are_not_known_are_asked_for() -> None:
    with pytest.raises(ParamsError, match=r"embedders\.e\.prefixes is 'model'.*'all-MiniLM-L6-v2' are not known"):
        prefixes_of("e", Embeds(prefixes="model"), "all-MiniLM-L6-v2", None)


def test_a_folder_that_names_its_prompts_gives_the_prefixes(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}}
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    vectors = SentenceTransformersVectors("mine", str(tmp_path))
    assert prefixes_of("mine", Embeds(prefixes="model"), str(tmp_path), vectors.prefixes) == Prefixes(
        query="query: ", document="passage: "
    )


def test_the_tokens_of_a_long_text_are_those_of_its_halves(embedder: Prefixed) -> None:
    vectors = SentenceTransformersVectors("minilm", "all-MiniLM-L6-v2")
    words = LONG.split()
    halves = vectors.tokens([" ".join(words[:125]), " ".join(words[125:250])])
    (whole, short) = vectors.tokens([" ".join(words[:250]), "calcium"])
    assert np.allclose(whole, np.concatenate(halves), atol=1e-5)
    assert np.allclose(np.linalg.norm(whole, axis=1), 1, atol=1e-5)
    assert short.shape == (1, 384)
