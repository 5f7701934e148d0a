"""The shortlist's scores, worked out by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from tasks.params import Shortlist
from tasks.protocols import Matrix
from tasks.records import Line, Question
from tasks.retrieve import LineRanker
from tasks.retrieve.shortlist import best, bm25, fused, maxsim, smoothed


def test_maxsim_is_the_mean_over_the_question_s_tokens_of_the_best_token_of_the_line() -> None:
    question = np.array([[1, 0], [0, 1]], dtype=np.float32)
    lines = [np.array([[1, 0], [0.6, 0.8]], dtype=np.float32), np.array([[0, 1]], dtype=np.float32), question[:0]]
    # line 1: (1 + 0.8) / 2; line 2: (0 + 1) / 2; line 3 has no token
    assert maxsim(question, lines).tolist() == pytest.approx([0.9, 0.5, 0])
    assert maxsim(question[:0], lines).tolist() == [0, 0, 0]


def test_bm25_is_0_without_a_shared_word_and_more_for_a_rarer_one() -> None:
    lines = ["Give calcium gluconate.", "Give insulin.", "Give glucose.", "The car park."]
    scores, none = bm25(["How do I give calcium?", "the of"], lines)
    assert scores[0] > scores[1] > scores[3] == 0
    assert none.tolist() == [0, 0, 0, 0]
    assert bm25(["calcium"], ["", "the"])[0].tolist() == [0, 0]


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


class Letters:
    """An embedder of two numbers: how many a and how many b there are."""

    name, identity, windowed = "letters", "letters", 0

    def embed(self, texts: Sequence[str], role: str) -> Matrix:
        rows = np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def tokens(self, texts: Sequence[str]) -> list[Matrix]:
        raise AssertionError("not asked for")

    def close(self) -> None: ...


def test_the_best_lines_of_every_question_are_ranked_and_a_heading_is_never_among_them() -> None:
    texts = [("heading", "a"), ("prose", "b"), ("prose", "aab"), ("prose", "ab"), ("prose", "b")]
    lines = [
        Line(guideline="g", number=10 + i, text=text, kind=kind, parent=None, paragraph=i, places=())  # type: ignore[arg-type]
        for i, (kind, text) in enumerate(texts)
    ]
    asked = [
        Question(question_id=text, guideline="", question=text, reference="", gold_lines=()) for text in ("a", "b")
    ]
    how = Shortlist(lines=2, tokens=0, words=0, width=1e-3)  # so narrow that nothing is smoothed
    hits = LineRanker(asked, Letters(), how).best(lines)  # type: ignore[arg-type]
    # cosines with a: b 0, aab .89, ab .71, b 0; with b: 1, .45, .71, 1
    assert [(hit.question_id, hit.line, hit.rank) for hit in hits] == [
        ("a", 12, 1),
        ("a", 13, 2),
        ("b", 11, 1),
        ("b", 14, 2),
    ]
    assert {hit.guideline for hit in hits} == {"g"} and hits[0].score > hits[1].score
