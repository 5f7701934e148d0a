"""The paired bootstrap against closed forms, and Holm's adjustment by hand."""

import numpy as np
import pytest

from tasks.errors import DataError
from tasks.records import Score
from tasks.score.bootstrap import against, compare, effect_size, every_pair, holm, p_value, resampled_means


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
    (found,) = compare(scores, against(["copy", "lines"], "copy"), ["word_f1"], 1000, 1)
    assert (found.strategy, found.difference) == ("lines", 0.25)
    assert found.low == 0 and found.high == 0.5
    assert found.effect == pytest.approx(0.25 / (0.125**0.5))  # differences .5 and 0: deviation .3536


def test_unequal_questions_are_refused() -> None:
    scores = _scores("copy", {"a": 0.0}) + _scores("lines", {"a": 0.0, "c": 1.0})
    with pytest.raises(DataError, match="'c'"):
        compare(scores, [("lines", "copy")], ["word_f1"], 100, 1)


def test_pairs_are_those_with_the_baseline_or_all() -> None:
    assert against(["base", "copy", "lines"], "copy") == [("base", "copy"), ("lines", "copy")]
    assert against(["base", "lines"], "copy") == []
    assert every_pair(["base", "copy", "lines"]) == [("copy", "base"), ("lines", "base"), ("lines", "copy")]
    assert compare(_scores("lines", {"a": 1.0}), [], ["word_f1"], 100, 1) == []


def test_metrics_of_the_same_questions_see_the_same_resamples_and_others_are_kept_apart() -> None:
    scores = _scores("copy", {"a": 0.0, "b": 0.0, "c": 0.0}) + _scores("lines", {"a": 1.0, "b": 0.0, "c": 0.0})
    some = [item.model_copy(update={"metric": "critical_omission"}) for item in scores if item.question_id != "c"]
    again = [item.model_copy(update={"metric": "word_r"}) for item in scores]
    one, two, three = compare(
        scores + again + some, [("lines", "copy")], ["word_f1", "word_r", "critical_omission"], 1000, 1
    )
    assert (one.low, one.high, one.p) == (two.low, two.high, two.p)
    assert three.difference == 0.5


def test_the_effect_has_no_size_where_all_differ_by_the_same() -> None:
    assert effect_size(np.array([0.2, 0.2])) is None
    assert effect_size(np.array([0.2])) is None
    assert effect_size(np.array([0.0, 0.0])) == 0
    assert effect_size(np.array([1.0, 3.0])) == pytest.approx(2 / 2**0.5)


def test_the_interval_is_that_of_scipy() -> None:
    from scipy.stats import bootstrap

    differences = np.random.default_rng(3).normal(0.1, 0.4, 96)
    theirs = bootstrap(
        (differences,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    means = resampled_means(differences[:, None], 20_000, 5)[:, 0]
    assert np.percentile(means, [2.5, 97.5]) == pytest.approx([theirs.low, theirs.high], abs=0.004)
