"""Counting: what fits, how long to wait for what does not, and that nothing is remembered of strangers without end."""

from p2pdice.net.limits import Bucket, Budget, Gate, Turnstile


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    """Nothing is refused: whoever takes too much waits until the rate has caught up, and never saves up more."""
    bucket = Bucket(10, 20, 0.0)
    assert [bucket.take(10, 0.0) for _ in range(3)] == [0, 0, 1]
    assert bucket.take(0, 1.0) == 0
    assert bucket.take(25, 100.0) == 0.5
    bucket.rate = 5
    assert bucket.take(0, 100.5) == 0.5


def test_a_bucket_that_may_refuse() -> None:
    """One at a time, as long as there is a whole one."""
    bucket = Bucket(1, 2, 0.0)
    assert [bucket.try_take(0.0) for _ in range(3)] == [True, True, False]
    assert not bucket.try_take(0.9)
    assert bucket.try_take(1.1)


def test_a_budget_waits_for_whatever_is_scarcest() -> None:
    """Few dear frames and many cheap ones cost the same in the end."""
    def budget() -> Budget:
        return Budget(Bucket(10, 10, 0.0), Bucket(1000, 1000, 0.0), Bucket(0.5, 1.0, 0.0))

    assert budget().take(100, 0.1, 0.0) == 0
    assert budget().take(3000, 0.1, 0.0) == 2
    assert budget().take(100, 3.0, 0.0) == 4
    many = budget()
    assert [many.take(0, 0.0, 0.0) for _ in range(12)][-2:] == [0.1, 0.2]


def test_a_turnstile_knows_each_address_and_all_of_them() -> None:
    """Somebody who comes too often is sent away; the others are not, as long as there is room for all."""
    turnstile = Turnstile(1, 3, 100, 8, 10, 0.0)
    assert [turnstile.enter("a", 0.0) for _ in range(5)] == [True, True, True, False, False]
    assert [turnstile.enter(who, 0.0) for who in "bbbcccdd"] == [True] * 5 + [False] * 3
    assert turnstile.enter("a", 2.0)


def test_a_turnstile_forgets() -> None:
    """Addresses are the strangers' to choose: those that came longest ago go first."""
    turnstile = Turnstile(1, 1, 1000, 1000, 4, 0.0)
    for number in range(100):
        assert turnstile.enter(str(number), 0.0)
    assert len(turnstile._by_address) == 4
    assert not turnstile.enter("99", 0.0)


def test_a_gate_counts_by_address_and_keeps_none() -> None:
    """In all, for each address, and apart for this computer itself."""
    gate = Gate(3, 2, 1)
    assert [gate.enter(who, local=False) for who in ("a", "a", "a", "b", "c")] == [True, True, False, True, False]
    assert [gate.enter("a", local=True) for _ in range(2)] == [True, False]
    for who in ("a", "a", "b"):
        gate.leave(who, local=False)
    gate.leave("a", local=True)
    assert not gate._by_address
    assert gate.enter("c", local=False)
    assert gate.enter("c", local=True)
