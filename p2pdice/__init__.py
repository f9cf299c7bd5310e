"""Liar's Dice over the local network: no server, and dice nobody has to take on trust.

For programs: `p2pdice.rules` is the game itself, `p2pdice.protocol.audit` judges the file of a finished one, and
`p2pdice.bots` plays. Each of these packages begins with an example. Over the network a program plays by
`p2pdice join --json`; see README.md.
"""

__version__ = "0.1.0"
