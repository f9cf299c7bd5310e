"""Lines for people on a stream. At a terminal they break between words, which the terminal itself would not do; into a
pipe or a file every line goes as it is."""

import os
from collections.abc import Iterable
from typing import IO


def say(lines: Iterable[str], stream: IO[str] | None) -> None:
    """Print lines; nothing where there is no stream."""
    if stream is None:
        return
    columns = _columns(stream)
    for line in lines:
        print(line if not columns else "\n".join(_broken(line, columns)), file=stream)
    stream.flush()


def _broken(line: str, columns: int) -> list[str]:
    from p2pdice.cli.clean import rows  # what measures letters takes longer to load than most commands to run

    return rows(line, columns)


def _columns(stream: IO[str]) -> int:
    """How wide the terminal is; 0 where there is none, or it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # a pipe, a file, nothing of the operating system's, or closed
        return 0
