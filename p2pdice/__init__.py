"""Liar's Dice over the local network: no server, and dice nobody has to take on trust."""

__version__ = "0.1.0"
