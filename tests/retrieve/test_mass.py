"""The cumulative similarity mass, worked out by hand."""

import numpy as np
import pytest

from tasks.errors import DataError
from tasks.params import Retrieve
from tasks.records import Question, Section
from tasks.retrieve import cumulative_mass, kept_by_mass, rank


def _how(**values: object) -> Retrieve:
    return Retrieve(**{"threshold": 0.9, "scope": 4, "min_sections": 1, **values})  # type: ignore[arg-type]


RANKED = [0.4, 0.3, 0.2, 0.1, 0.1]


def test_the_mass_is_counted_inside_the_scope() -> None:
    assert cumulative_mass(RANKED, _how()).tolist() == pytest.approx([0.4, 0.7, 0.9, 1.0])


def test_the_shortest_prefix_that_reaches_the_threshold_is_kept() -> None:
    assert kept_by_mass(RANKED, _how()) == 3


def test_threshold_one_keeps_the_whole_scope() -> None:
    assert kept_by_mass(RANKED, _how(threshold=1.0)) == 4


def test_at_least_the_minimum_is_kept_and_never_more_than_there_is() -> None:
    assert kept_by_mass(RANKED, _how(min_sections=5)) == 5
    assert kept_by_mass(RANKED[:2], _how(min_sections=5)) == 2


def test_without_any_similarity_the_minimum_is_kept() -> None:
    assert kept_by_mass([-0.1, -0.2, -0.3], _how(min_sections=2)) == 2


def test_negative_similarities_weigh_nothing() -> None:
    assert kept_by_mass([0.5, -0.5], _how()) == 1


def test_nan_is_refused() -> None:
    with pytest.raises(DataError, match="NaN"):
        kept_by_mass([float("nan"), 0.1], _how())


def test_softmax_does_not_depend_on_the_scale_of_the_similarities() -> None:
    how = _how(weight="softmax", scope=5)
    assert cumulative_mass(RANKED, how).tolist() == pytest.approx(cumulative_mass(np.array(RANKED) / 10, how).tolist())


def test_ranking_stays_inside_each_guideline_and_breaks_ties_by_position() -> None:
    import faiss

    vectors = np.array([[1, 0], [0, 1], [1, 0], [0.6, 0.8]], dtype=np.float32)
    sections = [
        Section(guideline=name, section_id=f"P1-S{i}", title="t", question="q", text="x", lines=(1,))
        for i, name in enumerate(["a", "a", "a", "b"])
    ]
    index = faiss.IndexFlatIP(2)
    index.add(vectors)
    question = Question(question_id="q", guideline="a", question="?", reference="r", gold_lines=())
    hits = rank([question], vectors[:1], sections, index, "text", Retrieve())
    assert [(hit.guideline, hit.section_id, hit.rank) for hit in hits] == [
        ("a", "P1-S0", 1),
        ("a", "P1-S2", 2),
        ("a", "P1-S1", 3),
        ("b", "P1-S3", 1),
    ]
    assert hits[-1].similarity == pytest.approx(0.6)
