"""Random games, as fast as Python can drive each engine: p2pdice's, a floor, and the engines it is measured against.

`python _engines.py NAME ROUNDS SECONDS`, in an environment that has them, prints the rates of p2pdice and of that peer
as JSON. Every function plays one game and returns how many actions the players took. On each side a player's turn is:
ask for all that is legal, choose with equal chances, let the choice be judged as if it had come from somebody else, do
it. The floor alone is told nothing and judges nothing. Who won is always found out.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from itertools import product
from random import Random

from p2pdice.rules import PRESETS, Ruleset, Stage, apply, check, deal, legal, new_game, settle

Play = Callable[[Random], int]

FACES = (1, 2, 3, 4, 5, 6)
HANDS = [list(product(FACES, repeat=dice)) for dice in range(6)]
POWERS = [len(hands) for hands in HANDS]
# The plain rules have no wild ones and no exact calls: what may follow a bid is what may in OpenSpiel's.
PLAIN = PRESETS["doodoo"]
USUAL = PRESETS["perudo"]


def ours(rules: Ruleset, seats: int, rounds: int | None = None, *, hands: bool = False) -> Play:
    """p2pdice: whole games, or so many rounds of each. The rules must have no choice before the deal, and no pass.

    Dice are rolled by random.choices, as those of the floor. That takes a third of the time and is no engine's work, so
    against others, which roll or shuffle by themselves, `hands` are drawn from all that there are.
    """

    def play(random: Random) -> int:
        chance, choices = random.random, random.choices
        act, over = Stage.ACT, Stage.OVER
        game = new_game(rules, seats)
        actions = 0
        while game.stage is not over and game.round_number != last:
            deal(game)
            cups: dict[int, Sequence[int]]
            if hands:
                cups = {seat: HANDS[dice][int(chance() * POWERS[dice])] for seat, dice in enumerate(game.dice) if dice}
            else:
                cups = {seat: choices(FACES, k=dice) for seat, dice in enumerate(game.dice) if dice}
            while game.stage is act:
                seat = game.turn
                menu = legal(game, seat)
                action = menu[int(chance() * len(menu))]
                check(game, seat, action)
                apply(game, seat, action)
                actions += 1
            settle(game, cups)
        return actions

    last = None if rounds is None else rounds + 1
    return play


# In the floor a bid is six times its quantity and its face less one; the smaller numbers are no bids.
OPENING, DOUBT, EXACT, LOWEST = 0, 1, 2, 6


def floor(seats: int) -> Play:
    """The least that whole games of the usual rules take in Python: numbers in local names, and no check of anything.

    It has its menus from tables as the engine has, draws the same chances in the same order as `ours`, and so plays the
    same games.
    """
    starting_dice = USUAL.starting_dice
    normal, palifico = ([_menus(dice, alike) for dice in range(seats * starting_dice + 1)] for alike in (False, True))

    def play(random: Random) -> int:
        chance, choices = random.random, random.choices
        dice, fell = [starting_dice] * seats, [False] * seats
        total, left, opener, special, actions = sum(dice), seats, 0, False, 0
        while left > 1:
            cups = [choices(FACES, k=number) for number in dice if number]
            menus = palifico[total] if special else normal[total]
            mover = bidder = opener
            bid = OPENING
            while True:
                menu = menus[bid]
                choice = menu[int(chance() * len(menu))]
                actions += 1
                if choice < LOWEST:
                    break
                bid, bidder = choice, mover
                mover = (mover + 1) % seats
                while not dice[mover]:
                    mover = (mover + 1) % seats
            quantity, face = bid // 6, bid % 6 + 1
            count = 0
            if face != 1 and not special:
                for cup in cups:
                    count += cup.count(face) + cup.count(1)
            else:
                for cup in cups:
                    count += cup.count(face)
            special = False
            if choice == EXACT and count == quantity:
                opener = mover
                if dice[opener] < starting_dice:
                    dice[opener] += 1
                    total += 1
                continue
            opener = bidder if choice == DOUBT and count < quantity else mover
            dice[opener] -= 1
            total -= 1
            if not dice[opener]:
                left -= 1
                while not dice[opener]:
                    opener = (opener + 1) % seats
            elif dice[opener] == 1 and left > 2 and not fell[opener]:
                special = fell[opener] = True
        return actions

    return play


def _menus(dice: int, palifico: bool) -> list[list[int]]:
    """The floor's menus with so many dice in play, by the standing bid."""
    bids = range(LOWEST, LOWEST * (dice + 1))

    def follows(bid: int, standing: int) -> bool:
        (quantity, face), (least, held) = divmod(bid, 6), divmod(standing, 6)
        if palifico:
            return face == held and quantity > least
        if not held:
            return quantity > (2 * least if face else least)
        return bid > standing if face else 2 * quantity >= least

    opening = [bid for bid in bids if palifico or bid % 6]
    raises = [[*(bid for bid in bids if follows(bid, standing)), DOUBT, EXACT] for standing in bids]
    return [opening, *([] for _ in range(1, LOWEST)), *raises]


def open_spiel() -> Play:
    """OpenSpiel's liars_dice: one round of two players with five dice each, dice and moves chosen through its states.

    It is asked at each node whether that is one of chance, as its documentation has it, and which outcomes there are.
    """
    import pyspiel

    dice = PLAIN.starting_dice
    game = pyspiel.load_game(f"liars_dice(players=2,numdice={dice})")

    def play(random: Random) -> int:
        chance = random.random
        state = game.new_initial_state()
        actions = 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()  # all of them as likely as one another
                state.apply_action(outcomes[int(chance() * len(outcomes))][0])
            else:
                menu = state.legal_actions()
                state.apply_action_with_legality_check(menu[int(chance() * len(menu))])
                actions += 1
        state.returns()
        return actions

    return play


def python_chess() -> Play:
    """python-chess: whole games."""
    import chess

    def play(random: Random) -> int:
        board = chess.Board()
        while not board.is_game_over():
            menu = list(board.legal_moves)
            move = menu[int(random.random() * len(menu))]
            if not board.is_legal(move):
                raise ValueError(move)
            board.push(move)
        return len(board.move_stack)

    return play


def pokerkit() -> Play:
    """PokerKit: a hand of no-limit Texas hold'em for six; it deals, judges whatever is done, and settles by itself."""
    from pokerkit import Automation, NoLimitTexasHoldem

    everything = tuple(Automation)

    def play(random: Random) -> int:
        chance = random.random
        state = NoLimitTexasHoldem.create_state(everything, True, 0, (1, 2), 2, 200, 6)
        actions = 0
        while state.status:
            menu = [state.check_or_call]  # which one who is asked always may
            if state.can_fold():
                menu.append(state.fold)
            if state.can_complete_bet_or_raise_to():
                menu.append(state.complete_bet_or_raise_to)
            menu[int(chance() * len(menu))]()
            actions += 1
        return actions

    return play


PEERS: dict[str, tuple[Play, Callable[[], Play]]] = {
    "open_spiel": (ours(PLAIN, 2, 1, hands=True), open_spiel),
    "pokerkit": (ours(USUAL, 6, hands=True), pokerkit),
    "python_chess": (ours(USUAL, 6, hands=True), python_chess),
}


def rates(mine: Play, other: Play, rounds: int, seconds: float) -> tuple[list[float], list[float]]:
    """Actions per second of both, in turn, each for so many seconds a round; whoever goes first changes.

    Seconds of this process's own processor time, which other programs on the computer disturb less.
    """
    both: tuple[list[float], list[float]] = [], []
    for number in range(rounds):
        pairs = [(mine, both[0]), (other, both[1])]
        for play, rate in pairs if number % 2 else reversed(pairs):
            random = Random(number)
            actions, begun = 0, time.process_time()
            while (spent := time.process_time() - begun) < seconds:
                actions += play(random)
            rate.append(actions / spent)
    return both


def main(name: str, rounds: int, seconds: float) -> None:
    """Print the rates of p2pdice and a peer. Raises ValueError where both should play the same games and do not."""
    mine, make = PEERS[name]
    other = make()
    same = ours(PLAIN, 2, 1)
    if name == "open_spiel" and any(same(Random(seed)) != other(Random(seed)) for seed in range(1000)):
        raise ValueError("not the same games")
    print(json.dumps(rates(mine, other, rounds, seconds)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
