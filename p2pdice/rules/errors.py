"""What can be wrong with rules, words and moves, as a stable reason and fields.

No sentence for people lives here: the screen turns a reason and its fields into words of its language.
"""

Field = int | str | tuple[int, ...] | tuple[str, ...]


class RulesError(Exception):
    """`reason` is a hyphenated word that never changes its meaning; `fields` hold what a sentence about it needs."""

    def __init__(self, reason: str, **fields: Field) -> None:
        super().__init__(reason, fields)
        self.reason = reason
        self.fields = fields

    def __str__(self) -> str:
        return " ".join([self.reason, *(f"{name}={value!r}" for name, value in self.fields.items())])


class RulesetError(RulesError):
    """A rule system, option, value or number of players that is not offered."""


class ParseError(RulesError):
    """A text that is no action; field `text` is the input."""


class IllegalAction(RulesError):
    """An action the rules do not allow here; the game stands as it was."""


class NotationError(RulesError):
    """A line of a written game that cannot be read or judged; `line` counts from 1."""

    def __init__(self, line: int, reason: str, **fields: Field) -> None:
        super().__init__(reason, **fields)
        self.line = line

    def __str__(self) -> str:
        return f"line {self.line}: {super().__str__()}"
