"""What a run says while it asks, and several requests at once in their order."""

import threading
import time

import pytest

from flows.watch import at_once, watching
from tasks.backends.remembered import Tally
from tasks.records import Reply


def _reply(**counts: float) -> Reply:
    known = {"tokens_in": 100, "tokens_reused": 60, "tokens_out": 10, "seconds": 2.0} | counts
    return Reply.model_validate({"text": "x", "status": "ok", "model": "m", "digest": "d"} | known)


def test_every_fact_of_the_calls_is_said_in_a_plain_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    tally = Tally()
    with watching("answer demo", 3, tally) as watch:
        tally.remembered += 1
        watch()
        assert watch.left is None
        tally.add(_reply(cost=0.5))
        tally.unreadable += 1
        watch()
        # one question was asked, and one is left: as long as has passed since the start
        assert watch.left is not None and watch.left < 5
        assert watch.said.endswith("1 unreadable, 0 failed, 0 s left")
        watch()
    said = capsys.readouterr().err
    # (100 - 60 + 10) tokens in 2 s
    assert "answer demo 3/3: 25 tokens/s, 60% reused, 1 remembered, $0.50, 1 unreadable, 0 failed\n" in said


def test_several_at_once_come_back_in_their_order() -> None:
    barrier = threading.Barrier(3, timeout=5)

    def ask(number: int) -> int:
        barrier.wait()  # three run at the same time, or this breaks
        time.sleep((3 - number) / 50)
        return number

    assert list(at_once(ask, [0, 1, 2], 3)) == [0, 1, 2]


def test_the_first_error_ends_it_and_what_does_not_run_is_not_begun() -> None:
    begun: list[int] = []

    def ask(number: int) -> int:
        begun.append(number)
        if number == 1:
            raise ValueError("no")
        time.sleep(0.1)
        return number

    with pytest.raises(ValueError, match="no"):
        list(at_once(ask, list(range(50)), 2))
    assert len(begun) < 10


def test_one_at_a_time_stays_in_the_same_thread() -> None:
    assert set(at_once(lambda _: threading.get_ident(), [1, 2], 1)) == {threading.get_ident()}
