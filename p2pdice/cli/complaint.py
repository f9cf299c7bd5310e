"""Exit statuses, and the one exception that becomes a line for the user instead of a traceback."""

OK, FAILED, USAGE, NO_TABLE, INTERRUPTED = 0, 1, 2, 3, 130


class Complaint(Exception):
    """What the user reads: a line, a hint under it, and the exit status."""

    def __init__(self, line: str, hint: str, status: int = USAGE) -> None:
        super().__init__(line)
        self.line, self.hint, self.status = line, hint, status
