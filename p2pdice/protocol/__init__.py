"""The session between peers, without input or output: what arrives goes in, what is to be sent and told comes out.

A program that wants to know what a finished game's file is worth needs one call of it:

>>> from pathlib import Path
>>> from p2pdice.protocol.audit import audit
>>> report = audit(Path("game.p2pdice").read_bytes())
>>> report.verdict, report.rounds, report.winners, report.findings
('clean', 1, (1,), [])
>>> report.seated.words, [player.nick for player in report.seated.players]
('dolu-numa-ruti', ['Player 0', 'Player 1'])
"""
