"""Why something was refused, and what would do instead: a sentence for every reason word of the layers below.

The reasons and their fields come from rules/ and the session; nothing is decided here. A reason without a sentence is
a gap that a test finds, not a crash: it is then named as it is.
"""

import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from p2pdice.cli import ruletext
from p2pdice.cli.clean import CHAT_CELLS, clean, clean_name
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.words import dice_count, dice_of, face_name, listed

Fields = Mapping[str, Any]
_PLATFORM: str = sys.platform  # as a variable, so that type checkers look at every platform's branch


def refusal(reason: str, fields: Fields, names: Sequence[str] = ()) -> str:
    """The sentence for a refused move, command or setting; `names` by seat, for fields that hold a seat."""
    for sentences in (_bids, _calls, _times, _settings, _lobby):
        if text := sentences(reason, fields, names):
            return text
    return _("That cannot be done now ({reason}).").format(reason=reason)


def _bids(reason: str, fields: Fields, _names: Sequence[str]) -> str | None:
    match reason:
        case "no-such-face":
            text = _("There is no face {face}: a face is 1 to 6, and the quantity comes first.")
        case "no-dice-bid":
            text = _("A bid is for at least one die; {dice} are in play.")
        case "more-than-in-play":
            text = ngettext(
                "Only {dice} die is in play: {quantity} cannot be true.",
                "Only {dice} dice are in play: {quantity} cannot be true.",
                fields["dice"],
            )
        case "opens-on-ones":
            text = _("A round may not be opened on aces here: bid any other face.")
        case "face-fixed":
            text = _("The face stays in this round: at least {least_same}.")
        case "too-few-to-change-face":
            text = _("Changing the face takes more dice in this round: at least {least_this}.")
        case "too-few-after-aces":
            text = _("From {standing}, twice as many and one more: at least {least_this}.")
        case "too-few-aces-after-pass":
            text = _("After a pass there is no halving: at least {least_this}.")
        case "too-few-aces":
            text = _entry(fields)
        case "not-higher":
            text = _("{standing} stands: for {faces}, at least {least_this}.")
        case "no-such-direction":
            text = _("A direction is left or right.")
        case "direction-fixed":
            text = _("The direction of play is fixed here: bid without one.")
        case "direction-on-raise":
            text = _("Only the opening bid may set a direction: bid without one.")
        case _:
            return None
    told = _bid_fields(fields)
    sentences = [text.format(**told)]
    if fields.get("least", 0) > fields.get("dice", 0):
        sentences.append(_("With {dice} dice in play that is out of reach.").format(**told))
    return " ".join(sentences)


def _bid_fields(fields: Fields) -> dict[str, object]:
    told = dict(fields)
    if "bid_quantity" in fields:
        told["standing"] = dice_of(fields["bid_quantity"], fields["bid_face"])
    if "least" in fields and "face" in fields:
        told["least_this"] = dice_of(fields["least"], fields["face"])
        told["least_same"] = dice_of(fields["least"], fields.get("bid_face", fields["face"]))
        told["faces"] = face_name(fields["face"])
    return told


def _entry(fields: Fields) -> str:
    standing, least = fields["bid_quantity"], fields["least"]
    if standing % 2:
        return _("Half of {bid_quantity}, rounded up: at least {least_this}.")
    if least > standing // 2:
        return _("{bid_quantity} is even, so half and one more: at least {least_this}.")
    return _("Half of {bid_quantity}: at least {least_this}.")


def _calls(reason: str, fields: Fields, _names: Sequence[str]) -> str | None:
    match reason:
        case "direction-on-call" | "direction-on-question":
            text = _("Only a bid takes a direction.")
        case "doubt-without-bid":
            text = _("There is no bid to doubt yet: make one, such as 2x3.")
        case "exact-off":
            text = _("There is no exact call in these rules: bid, or doubt a standing bid.")
        case "exact-in-special":
            text = _("There is no exact call in a special round: bid, or doubt a standing bid.")
        case "exact-with-two":
            text = _("There is no exact call once two players are left: bid, or doubt a standing bid.")
        case "exact-needs-half-dice":
            return ngettext(
                "An exact call needs {least} of the dice in play, or a caller with one die: {dice} is left.",
                "An exact call needs {least} of the dice in play, or a caller with one die: {dice} are left.",
                fields["dice"],
            ).format(**fields)
        case "exact-without-bid":
            text = _("There is no bid to call exact yet: the opener makes the first.")
        case "exact-after-pass":
            text = _("Straight after a pass there is no exact call: doubt the pass, or raise the bid.")
        case "exact-own-bid":
            text = _("Nobody calls their own bid exact: the others answer it.")
        case "passing-off":
            text = _("There is no passing in these rules: bid, or doubt a standing bid.")
        case "pass-in-special":
            text = _("There is no passing in a special round: bid, or doubt a standing bid.")
        case "pass-without-bid":
            text = _("Passing needs a standing bid: make one, such as 2x3.")
        case "pass-after-pass":
            text = _("Straight after a pass nobody passes: doubt the pass, or raise the bid.")
        case "pass-needs-five-dice":
            text = _("Passing takes exactly five dice, not {dice}: raise the bid, or doubt it.")
            return text.format(dice=dice_count(fields["dice"]))
        case "pass-used":
            text = _("Everyone passes once a round at most: raise the bid, or doubt it.")
        case "already-obliged":
            text = _("The kind of this round is chosen already, and stays: go on with the round.")
        case "no-right-to-oblige":
            text = _("Nobody may oblige now: it takes a first fall to one die, and comes before the dice are rolled.")
        case "no-such-choice":
            text = _("That choice does not exist: oblige open, oblige closed or no.")
        case "oblige-first":
            text = _("First choose the kind of the round: oblige open, oblige closed or no.")
        case _:
            return None
    return text


def _times(reason: str, fields: Fields, names: Sequence[str]) -> str | None:
    match reason:
        case "not-your-turn":
            turn = fields.get("turn")
            if not isinstance(turn, int) or not 0 <= turn < len(names):
                return _("It is not your turn: wait for it.")
            return _("It is the turn of {name}.").format(name=names[turn])
        case "no-round-open":
            return _("No round is open: wait for the dice.")
        case "game-over":
            return _("The game is over.")
        case "game-halted":
            return _("The game stands still until it is agreed who is still in: wait until it goes on.")
        case "out":
            return _("Whoever has no dice is out of the game and can only look on.")
        case _:
            return None


def _settings(reason: str, fields: Fields, _names: Sequence[str]) -> str | None:
    told = dict(fields, allowed=listed(map(str, fields.get("allowed", ()))))
    match reason:
        case "unknown-system":
            text = _("{system}: no such rule system; there are {allowed}")
        case "unknown-key":
            text = _("{key}: no such option; there are {allowed}")
        case "bad-value":
            text = _("{key}={value}: not a value of {key}; allowed: {allowed}")
        case "too-few-players" | "too-many-players":
            text = _("these rules take {low} to {high} players, not {players}")
        case _:
            return None
    return text.format(**told)


def _lobby(reason: str, fields: Fields, _names: Sequence[str]) -> str | None:
    match reason:
        case "watching":
            return _("You are watching: only those who have a seat do that. /help lists what you can do.")
        case "only-the-host":
            return _("Only the host can do that.")
        case "too-late":
            return _("That is only possible before the game.")
        case "no-game-yet":
            return _("That is only possible once the game has begun.")
        case "not-all-ready":
            return _("It begins as soon as these have accepted the rules: {names}.").format(
                names=_cleaned(fields["names"])
            )
        case "no-such-player":
            return _("Nobody here has that name; /who lists everyone.")
        case "table-full":
            return _("All seats are taken.")
        case "not-now" | "already-answered":
            return _("It is too late for that: the others have moved on.")
        case _:
            return None


def _cleaned(names: Sequence[str]) -> str:
    return listed(map(clean_name, names))


def closing(reason: str, fields: Fields, transcript: str | None) -> list[str]:
    """The last lines of a game or lobby."""
    lines = [] if reason == "won" else [_closing(reason, fields)]
    if "again" in fields:
        lines.append(_("To look for them once more: p2pdice join --resume"))
    if reason == "other-rules":
        lines += [*ruletext.headline(fields["rules"]), _("Without --rules and --set you can read and accept them.")]
    if transcript is not None:
        file = _quoted(clean(transcript, CHAT_CELLS))
        lines += [_("The game is kept; check it with:"), _("p2pdice verify {file}").format(file=file)]
    return lines


def _quoted(path: str) -> str:
    """A path as one word of a command line."""
    if _PLATFORM == "win32":
        return f'"{path}"' if " " in path else path
    return shlex.quote(path)


def _closing(reason: str, fields: Fields) -> str:
    match reason:
        case "abandoned" if "again" in fields:
            return _("Too few of your table answer. Nothing of the game is lost.")
        case "abandoned":
            return _("The game is abandoned: someone who is needed is gone.")
        case "forked":
            return _("The game is broken off: the players' records of it differ.")
        case "convicted":
            return _("The game is over for this seat: there is proof against it.")
        case "dropped":
            return _("The others have dropped this seat.")
        case "left":
            return _("You have left the table.")
        case "host-left":
            return _("The host has closed the table.")
        case "host-lost":
            return _("The connection to the host was lost before the game began. Join again.")
        case "table-full" | "refused-full":
            return _("All seats at that table are taken. p2pdice find lists others.")
        case "table-playing":
            return _("The game at that table has begun already. --watch looks on; p2pdice find lists others.")
        case "code-needed":
            return _("That table asks for a room code. Add it: --code WORDS")
        case "no-code":
            return _("That table asks for no room code: is it the one you mean? Without --code you can join it.")
        case "refused-watchers":
            return _("As many as can are watching through that player. Try the address of another one.")
        case "refused-not-as-it-must-be":
            return _("What that player's program shows of the game does not hold.")
        case "watch-lost":
            return _("None of the players can be reached any more.")
        case "refused-code":
            return _("That is not the room code. Ask the host what it is now.")
        case "refused-kicked":
            return _("The host has sent this seat away.")
        case "refused-silent":
            return _("This seat was left out: it did not answer while seats were drawn. Join again.")
        case "toss-failed":
            return _("Seats could not be drawn, for these did not answer: {names}.").format(
                names=_cleaned(fields["names"])
            )
        case "refused-toss-failed":
            return _("Seats could not be drawn: the table is closed.")
        case "other-rules":
            return _("That table plays other rules than you asked for:")
        case _:
            return _("The table is closed ({reason}).").format(reason=reason)


def offence(kind: str) -> str:
    """What a kind of evidence proves, in words."""
    return {
        "EQUIV": _("told others different things at the same moment"),
        "BAD_OPEN": _("opened other dice shares than promised"),
        "BAD_REVEAL": _("revealed other dice shares than promised"),
        "BAD_BOX": _("sent a locked share that does not hold what was promised"),
        "FALSE_COMPLAINT": _("complained about a share that was good"),
        "ILLEGAL": _("made a move that the rules do not allow"),
        "BAD_SEAL": _("showed another move than was sealed"),
        "BAD_HALT": _("voted against an own vote, or after leaving"),
    }.get(kind, kind)
