"""Players that are programs: from what one seat may know to what it does, without any network."""

from .base import Bot, RandomSource, sensible
from .players import LEVELS

__all__ = ["LEVELS", "Bot", "RandomSource", "sensible"]
