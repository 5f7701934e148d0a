"""The paired bootstrap against closed forms, and Holm's adjustment by hand."""

import numpy as np
import pytest

from tasks.errors import DataError
from tasks.records import Score
from tasks.score.bootstrap import compare, holm, p_value, resampled_means


def _means(*differences: float) -> np.ndarray:
    return resampled_means(np.array(differences, dtype=float)[:, None], 10_000, 7)[:, 0]


def test_one_question_of_four_that_differs_gives_the_closed_form() -> None:
    # no draw of the first question: .75**4 = .3164, twice that is .633
    assert p_value(_means(1, 0, 0, 0)) == pytest.approx(0.633, abs=0.02)


def test_the_smallest_p_is_two_over_draws_and_one() -> None:
    means = _means(1, 1, 1, 1)
    assert p_value(means) == 2 / 10_001
    assert np.percentile(means, [2.5, 97.5]).tolist() == [1, 1]


def test_no_difference_has_p_one() -> None:
    assert p_value(_means(0, 0, 0)) == 1


def test_opposite_differences_have_p_one_and_the_widest_interval() -> None:
    means = _means(1, -1)
    assert p_value(means) == 1
    assert np.percentile(means, [2.5, 97.5]).tolist() == [-1, 1]


def test_the_same_seed_gives_the_same_draws() -> None:
    assert (_means(1, 0, 2) == _means(1, 0, 2)).all()


def test_holm_by_hand() -> None:
    # sorted .01 .02 .04: 3*.01 = .03, 2*.02 = .04, 1*.04 = .04
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])


def _scores(strategy: str, values: dict[str, float]) -> list[Score]:
    return [
        Score(experiment="e", strategy=strategy, question_id=key, metric="word_f1", value=value)
        for key, value in values.items()
    ]


def test_strategies_are_paired_by_question() -> None:
    scores = _scores("copy", {"a": 0.0, "b": 1.0}) + _scores("lines", {"b": 1.0, "a": 0.5})
    (found,) = compare(scores, "copy", ["word_f1"], 1000, 1)
    assert (found.strategy, found.difference) == ("lines", 0.25)
    assert found.low == 0 and found.high == 0.5


def test_unequal_questions_are_refused() -> None:
    with pytest.raises(DataError, match="'c'"):
        compare(_scores("copy", {"a": 0.0}) + _scores("lines", {"a": 0.0, "c": 1.0}), "copy", ["word_f1"], 100, 1)


def test_without_the_baseline_there_is_no_comparison() -> None:
    assert compare(_scores("lines", {"a": 1.0}), "copy", ["word_f1"], 100, 1) == []
