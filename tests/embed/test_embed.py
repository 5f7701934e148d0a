"""The two views of a section, and an index whose inner product is the cosine, with the real embedding model."""

import numpy as np
import pytest

from tasks.embed import VIEWS, build, representation
from tasks.params import Prefixes
from tasks.records import Section


def _section(number: int, text: str, question: str) -> Section:
    return Section(
        guideline="potassium", section_id=f"P{number}-S1", title="Treatment ", question=question, text=text, lines=(1,)
    )


CALCIUM = _section(1, "Give calcium gluconate 10% 30 mL.", "What protects the heart in hyperkalaemia?")
PARKING = _section(2, "The car park shuts at 20:00.", "When does the car park shut?")


def test_the_text_view_is_topic_title_and_text() -> None:
    assert representation(CALCIUM, "High potassium", "text") == (
        "High potassium. Treatment. Give calcium gluconate 10% 30 mL."
    )


def test_the_other_view_ends_with_the_representative_question() -> None:
    assert representation(CALCIUM, "High potassium", "text+question") == (
        "High potassium. Treatment. Give calcium gluconate 10% 30 mL.. What protects the heart in hyperkalaemia?"
    )


@pytest.mark.slow
def test_row_i_is_section_i_and_the_score_is_the_cosine() -> None:
    from tasks.backends.prefixed import Prefixed
    from tasks.backends.sentence_transformers import SentenceTransformersVectors

    embedder = Prefixed(SentenceTransformersVectors("minilm", "all-MiniLM-L6-v2"), Prefixes(), "refuse")
    query = embedder.embed(["Which drug protects the heart when potassium is high?"], "query")
    for view in VIEWS:
        index = build([CALCIUM, PARKING], {"potassium": "High potassium"}, view, embedder)
        texts = [representation(section, "High potassium", view) for section in (CALCIUM, PARKING)]
        rows = embedder.embed(texts, "document").astype(np.float64)
        cosines = rows @ query[0] / (np.linalg.norm(rows, axis=1) * np.linalg.norm(query[0].astype(np.float64)))
        scores, order = index.search(query, 2)
        assert order[0].tolist() == [0, 1]
        assert scores[0] == pytest.approx(cosines, abs=1e-5)
