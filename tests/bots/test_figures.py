"""What scripts/arena.py makes of its games; the 2,000 of each pairing are played by the script only."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripts import each other by bare name."""
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))


def test_intervals_are_wilsons() -> None:
    """Published values: 0 of 10, 5 of 10 and 81 of 263 (Newcombe 1998, table I)."""
    from arena import wilson

    for won, games, low, high in ((0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662)):
        assert wilson(won, games) == pytest.approx((low, high), abs=5e-5)


def test_a_row_says_what_was_won() -> None:
    """Both kinds, the seats, the share and its interval, in the README's words."""
    from arena import PAIRINGS, row, table

    cells = row(PAIRINGS[1], 1500, 2000)
    assert cells == ("hard", "baseline", "4", "75.0 %", "73.1 % to 76.8 %")
    assert table([cells]).splitlines()[2] == "| hard | baseline | 4 | 75.0 % | 73.1 % to 76.8 % |"


def test_games_are_the_same_in_every_run_and_both_kinds_win_some() -> None:
    """A game is its number; neither kind wins by where it sits."""
    from arena import PAIRINGS, first_wins

    for pairing in PAIRINGS:
        won = [first_wins(pairing, seed) for seed in range(12)]
        assert won == [first_wins(pairing, seed) for seed in range(12)]
        assert 0 < sum(won) < 12


def test_writing_changes_the_table_alone(tmp_path: Path) -> None:
    """Everything around the block stays as it was."""
    from arena import write

    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- table: bots -->\nold\n<!-- end -->\nb\n<!-- end -->\n", encoding="utf-8")
    write("new\n", readme)
    assert readme.read_text(encoding="utf-8") == "a\n<!-- table: bots -->\nnew\n<!-- end -->\nb\n<!-- end -->\n"
