"""The overlap of spans by hand, and against the committed results of an outside benchmark."""

import pytest

from benchmarks.acl_verbatim import folder, replayed
from tasks.score.overlap import Overlap, overlap

TEXT = "Give 10 mL of calcium. Repeat the ECG."  # words: 0-4 5-7 8-10 11-13 14-22 23-29 30-33 34-38


def test_words_that_a_span_touches_count_and_spans_match_one_to_one() -> None:
    found = overlap(TEXT, [(0, 22), (23, 38)], [(5, 15), (24, 38), (25, 30)])
    # predicted: 10 mL of calcium | Repeat the ECG. | Repeat the; gold: all eight
    assert (found.words_both, found.words_predicted, found.words_gold) == (7, 7, 8)
    # IoU: 10/22 < .5; 14/15; 5/15
    assert (found.predicted, found.gold, found.matched) == (3, 2, 1)
    # every predicted span lies in a gold one, both gold ones hold one; only the second is covered to .8
    assert (found.inside, found.held, found.covered, found.touched) == (3, 2, 1, 2)
    assert found.scores()["word_f1"] == pytest.approx(2 * 1 * 0.875 / 1.875)


def test_counts_of_texts_add_up_and_nothing_is_0() -> None:
    one = overlap(TEXT, [(0, 4)], [])
    two = overlap(TEXT, [], [(0, 4)])
    assert (one + two).scores()["overpred"] == 1
    assert set(Overlap().scores().values()) == {0.0}


def test_the_results_of_ten_systems_come_out_as_they_were_published() -> None:
    data = folder()
    if data is None:
        pytest.skip("acl-verbatim is not on this machine (SAFELLM_ACL_VERBATIM)")
    rows = replayed(data)
    assert len(rows) == 10
    assert max(abs(value) for row in rows for name, value in row.items() if name.startswith("diff ")) < 1e-9
