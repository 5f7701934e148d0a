"""The shortlist's scores, worked out by hand."""

import numpy as np
import pytest

from tasks.retrieve.shortlist import best, bm25, fused, maxsim, smoothed


def test_maxsim_is_the_mean_over_the_question_s_tokens_of_the_best_token_of_the_line() -> None:
    question = np.array([[1, 0], [0, 1]], dtype=np.float32)
    lines = [np.array([[1, 0], [0.6, 0.8]], dtype=np.float32), np.array([[0, 1]], dtype=np.float32), question[:0]]
    # line 1: (1 + 0.8) / 2; line 2: (0 + 1) / 2; line 3 has no token
    assert maxsim(question, lines).tolist() == pytest.approx([0.9, 0.5, 0])
    assert maxsim(question[:0], lines).tolist() == [0, 0, 0]


def test_bm25_is_0_without_a_shared_word_and_more_for_a_rarer_one() -> None:
    lines = ["Give calcium gluconate.", "Give insulin.", "Give glucose.", "The car park."]
    scores = bm25("How do I give calcium?", lines)
    assert scores[0] > scores[1] > scores[3] == 0
    assert bm25("the of", lines).tolist() == [0, 0, 0, 0]
    assert bm25("calcium", ["", "the"]).tolist() == [0, 0]


def test_rankings_are_fused_by_deviations_from_their_mean() -> None:
    one, two, flat = np.array([1.0, 3.0]), np.array([40.0, 20.0]), np.array([5.0, 5.0])
    # standardised: [-1, 1], [1, -1], [0, 0]
    assert fused([(one, 1), (two, 0.25), (flat, 9)]).tolist() == pytest.approx([-0.75, 0.75])


def test_a_neighbour_raises_a_line_by_a_gaussian_of_the_distance() -> None:
    near, far = np.exp(-1 / 2), np.exp(-4 / 2)
    found = smoothed(np.array([1.0, 0, 0]), 1, 0.5)
    assert found.tolist() == pytest.approx([1 / (1 + near + far) + 0.5, near / (1 + 2 * near), far / (1 + near + far)])


def test_the_best_are_first_and_ties_in_document_order() -> None:
    assert best(np.array([0.1, 0.5, 0.5, 0.2]), 3) == [1, 2, 3]
