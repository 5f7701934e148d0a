"""The worked examples, by hand: words, ROUGE-L, sets, and the share of invented words."""

import pytest

from tasks.records import Answer, Excerpt
from tasks.score.fidelity import hallucination_rate
from tasks.score.prf import PRF
from tasks.score.rouge import rouge_l
from tasks.score.sets import set_prf
from tasks.score.words import answer_length, norm, word_prf

REF = "Give calcium gluconate 10 ml of 10% IV."
ANS = "Give 10 ml calcium gluconate. Repeat the ECG."


def test_words_are_bags_with_clipped_counts() -> None:
    assert word_prf(REF, ANS) == PRF(5 / 8, 5 / 8, 5 / 8)


def test_a_word_repeated_in_the_answer_counts_once_against_a_reference_that_has_it_once() -> None:
    found = word_prf("a b", "a a a b")
    assert (found.precision, found.recall) == (1 / 2, 1)
    assert found.f1 == pytest.approx(2 / 3)


def test_rouge_l_is_that_of_rouge_score() -> None:
    assert rouge_l(REF, ANS) == PRF(3 / 8, 3 / 8, 3 / 8)


def test_word_overlap_is_blind_to_order_and_rouge_l_is_not() -> None:
    assert word_prf("a b c d", "d c b a").f1 == 1
    assert rouge_l("a b c d", "d c b a").f1 == pytest.approx(1 / 4)


def test_normalising_deletes_every_other_character() -> None:
    assert norm("K+ 6.5 mmol/L; e.g. C. difficile") == ["k", "65", "mmoll", "eg", "c", "difficile"]


@pytest.mark.parametrize(
    ("reference", "answer", "words", "rouge"),
    [("", "", 1.0, 0.0), ("!!", "?", 1.0, 0.0), ("a", "", 0.0, 0.0), ("", "a", 0.0, 0.0)],
)
def test_empty_texts(reference: str, answer: str, words: float, rouge: float) -> None:
    assert word_prf(reference, answer).f1 == words
    assert rouge_l(reference, answer).f1 == rouge


def test_the_value_for_two_empty_texts_is_a_setting() -> None:
    assert word_prf("", "", both_empty=0.0) == PRF(0.0, 0.0, 0.0)


def test_terms_are_sets() -> None:
    found = set_prf({"calcium gluconate", "ecg"}, {"calcium gluconate", "troponin", "salbutamol"})
    assert found.precision == pytest.approx(1 / 3)
    assert found.recall == pytest.approx(1 / 2)
    assert found.f1 == pytest.approx(0.4)


def test_answer_length_counts_raw_words() -> None:
    assert (answer_length("6.5 mmol/L\n of K+"), answer_length("")) == (4, 0)


def _answer(*excerpts: tuple[str, str]) -> Answer:
    made = tuple(
        Excerpt(claimed=text, text="" if verdict == "unsupported" else text, lines=(), verdict=verdict, label=None)  # type: ignore[arg-type]
        for text, verdict in excerpts
    )
    return Answer(
        experiment="e",
        strategy="copy",
        question_id="q",
        guideline="g",
        outcome="answered",
        excerpts=made,
        invalid_ids=(),
        replies=(),
    )


def test_the_hallucination_rate_is_the_share_of_claimed_words_in_unsupported_excerpts() -> None:
    assert hallucination_rate(_answer(("a b c", "verbatim"), ("d", "unsupported"))) == 1 / 4


def test_an_answer_that_claims_nothing_invents_nothing() -> None:
    assert hallucination_rate(_answer()) == 0.0


def test_unsupported_text_is_never_part_of_the_answer_shown() -> None:
    assert _answer(("a b", "unsupported"), ("c", "repaired")).text == "c"
