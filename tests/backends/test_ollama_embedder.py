"""An embedder of Ollama against a loopback server that speaks its wire format over a real model, and misbehaves."""

import numpy as np
import pytest

from tasks.backends.ollama_embedder import OllamaVectors
from tasks.backends.prefixed import Prefixed, prefixes_of
from tasks.errors import ModelError, ParamsError, TextTooLong, Unavailable
from tasks.params import OllamaEmbedder
from tests.backends.conftest import OllamaServer

pytestmark = pytest.mark.slow
TEXTS = ["Give calcium gluconate at once.", "The car park is shut."]
LONG = " ".join(["calcium"] * 64 + ["potassium"] * 64)


def _vectors(server: OllamaServer, context: int | None = None) -> OllamaVectors:
    settings = OllamaEmbedder(backend="ollama", model="smollm2:135m", host=server.address, context=context)
    return OllamaVectors("far", settings)


def _embedder(server: OllamaServer, long: str = "window", context: int | None = None) -> Prefixed:
    settings = OllamaEmbedder(backend="ollama", model="nomic-embed-text", prefixes="model")
    return Prefixed(_vectors(server, context), prefixes_of("far", settings, settings.model, None), long)


def test_the_vectors_are_the_model_s_with_the_prefix_of_each_role(ollama_server: OllamaServer) -> None:
    embedder = _embedder(ollama_server)
    found = embedder.embed(TEXTS, "document")
    rows = ollama_server.embedder.vectors([f"search_document: {text}" for text in TEXTS])
    assert np.allclose(found, np.stack([row for row in rows if row is not None]), atol=1e-5)
    embedder.embed(TEXTS[:1], "query")
    assert [item["input"].split(":")[0] for item in ollama_server.embedded] == ["search_document"] * 2 + [
        "search_query"
    ]


def test_the_server_is_told_never_to_truncate_and_the_context_is_the_model_s_own(ollama_server: OllamaServer) -> None:
    _embedder(ollama_server).embed(TEXTS, "document")
    (request, _) = ollama_server.embedded
    assert (request["truncate"], request["options"]) == (False, {"num_ctx": 8192})


def test_the_identity_names_the_digest_the_context_and_the_prefixes(ollama_server: OllamaServer) -> None:
    identity = _embedder(ollama_server).identity
    assert identity == (
        "ollama/0.99.0 smollm2:135m digest:abc123 context=8192 query='search_query: ' document='search_document: ' "
        "long=window"
    )


@pytest.mark.parametrize("mood", ["", "truncates"])
def test_a_text_that_does_not_fit_is_embedded_in_parts_also_when_the_server_cuts_it(
    ollama_server: OllamaServer, mood: str
) -> None:
    ollama_server.mood = mood
    embedder = _embedder(ollama_server, context=100)
    (whole,) = embedder.embed([LONG], "document")
    assert embedder.windowed == 1
    parts = [item["input"].removeprefix("search_document: ").split() for item in ollama_server.embedded][
        -(4 if mood else 2) :
    ]
    assert [word for part in parts for word in part] == LONG.split()
    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-5)


def test_a_text_that_does_not_fit_is_refused_when_told_to(ollama_server: OllamaServer) -> None:
    with pytest.raises(TextTooLong, match=r"'far' cannot read a text of 128 words whole"):
        _embedder(ollama_server, "refuse", 100).embed([LONG], "document")


def test_a_busy_server_is_asked_again(ollama_server: OllamaServer) -> None:
    ollama_server.mood = "is busy"
    assert _embedder(ollama_server).embed(TEXTS[:1], "query").shape == (1, 384)


@pytest.mark.parametrize(
    ("mood", "message"),
    [
        ("crashes", "llama runner process has terminated"),
        ("swaps the model", "swapped while it answered: its tag named abc123, and now names def456"),
        ("gives nothing", "gave no vector for 'search_document: Give calcium"),
        ("gives zeros", "gave no vector for 'search_document: Give calcium"),
        ("changes width", "gave vectors of 6 and of 8 numbers"),
        ("does not count", "does not count the tokens that it embeds: update Ollama"),
    ],
)
def test_what_goes_wrong_is_named_and_gives_no_vector(ollama_server: OllamaServer, mood: str, message: str) -> None:
    ollama_server.mood = mood
    embedder = _embedder(ollama_server)
    with pytest.raises(ModelError, match=message) as caught:
        embedder.embed(
            TEXTS if mood != "changes width" else [*TEXTS, "Give calcium gluconate at once, then wait."], "document"
        )
    assert caught.type is Unavailable


def test_a_model_that_is_not_there_is_named(ollama_server: OllamaServer) -> None:
    ollama_server.tag = "other:latest"
    with pytest.raises(Unavailable, match="ollama pull smollm2:135m"):
        _vectors(ollama_server)


def test_a_cloud_model_is_refused(ollama_server: OllamaServer) -> None:
    ollama_server.cloud = {"remote_host": "https://ollama.com:443"}
    with pytest.raises(ParamsError, match=r"embedders\.far\.model is 'smollm2:135m', which Ollama sends on"):
        _vectors(ollama_server)


def test_more_context_than_the_model_has_is_refused(ollama_server: OllamaServer) -> None:
    with pytest.raises(ParamsError, match=r"embedders\.far\.context is 9000, and 'smollm2:135m' reads at most 8192"):
        _vectors(ollama_server, 9000)
