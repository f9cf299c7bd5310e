"""The summary of a game, against counts made by hand."""

import pytest

from p2pdice.cli.tally import Tally, summary
from p2pdice.rules import make_ruleset
from tests.cli.stories import NAMES, Story, formed


def _tally(story: Story) -> Tally:
    tally = Tally()
    for event in story.events:
        tally.follow(event)
    return tally


def test_bluffs_that_were_raised_over_have_held() -> None:
    """Ana's 4x6 and Beto's 5x6 are false; only the bid that was doubted is paid for."""
    story = Story().round({0: (1, 3, 3, 5, 5), 1: (2, 2, 4, 4, 6), 2: (3, 3, 4, 5, 5)}, "4x6", "5x6", "dudo")
    tally = _tally(story)
    assert (tally.rounds, tally.bluffs, tally.held) == (1, {0: 1, 1: 1}, {0: 1, 1: 0})


def test_a_true_bid_is_no_bluff() -> None:
    """What the dice bear out is none, whoever doubts it."""
    tally = _tally(Story().round({0: (1, 3, 3, 5, 5), 1: (2, 2, 4, 4, 6), 2: (3, 3, 4, 5, 5)}, "5x3", "dudo"))
    assert tally.bluffs == {}


def test_luck_counts_dice_of_the_called_face_and_ones() -> None:
    """Three of five at a chance of a third each: 1.7 were to be expected; where ones are not wild, a sixth."""
    cups = {0: (1, 3, 3, 5, 5), 1: (2, 2, 4, 4, 6), 2: (3, 3, 4, 5, 5)}
    tally = _tally(Story().round(cups, "5x3", "dudo"))
    assert tally.counted == {0: 3, 1: 0, 2: 2}
    assert tally.expected[0] == pytest.approx(5 / 3)
    plain = _tally(Story("doodoo").round(cups, "5x3", "dudo"))
    assert plain.counted == {0: 2, 1: 0, 2: 2}
    assert plain.expected[0] == pytest.approx(5 / 6)


def test_a_doubted_pass_opens_too_little_to_count() -> None:
    """Only the passer's cup was seen: the round counts, nothing else."""
    cups = {0: (1, 3, 3, 5, 6), 1: (2, 2, 4, 6, 6), 2: (1, 1, 3, 4, 5)}
    tally = _tally(Story("dudo").round(cups, "2x4", "paso", "dudo"))
    assert (tally.rounds, tally.counted, tally.bluffs) == (1, {}, {})


def test_a_round_that_is_void_counts_nothing() -> None:
    """Bids of a round that nobody called are forgotten with it."""
    tally = _tally(Story())
    tally.follow(formed(make_ruleset("perudo", {})))
    assert summary(tally, NAMES) == []


def test_the_summary_is_in_everyones_language(spoken: str) -> None:
    """A line for the rounds and one for each player."""
    story = Story().round({0: (1, 3, 3, 5, 5), 1: (2, 2, 4, 4, 6), 2: (3, 3, 4, 5, 5)}, "4x6", "5x6", "dudo")
    lines = summary(_tally(story), NAMES)
    assert len(lines) == 4
    assert [line.split(":")[0].strip() for line in lines[1:]] == list(NAMES)
    first = {"en": "1 round was played.", "es": "Se jugó 1 ronda.", "pt": "Foi jogada 1 rodada."}
    assert lines[0] == first[spoken]
