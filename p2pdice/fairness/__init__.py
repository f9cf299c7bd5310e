"""Joint randomness that nobody can choose, learn or change: framing, keys, shares, dice, seals, the chain of states.
No sockets, no turns, no clock; random bytes come in as arguments (HPKE's own draw in `seal` is the one exception)."""
