"""Players that are programs: from what one seat may know to what it does, without any network.

>>> from random import Random
>>> from p2pdice.bots import LEVELS
>>> from p2pdice.rules import PRESETS, deal, new_game, view
>>> game = new_game(PRESETS["perudo"], seats=2)
>>> deal(game)
>>> str(LEVELS["normal"].choose(view(game, seat=0, cups={0: (2, 2, 5, 5, 5)}), Random(1)))
'5x5'

A `Bot` of one's own has the two methods of that class; `sensible` leaves out what a view shows to be hopeless.
"""

from .base import Bot, RandomSource, sensible
from .players import LEVELS

__all__ = ["LEVELS", "Bot", "RandomSource", "sensible"]
