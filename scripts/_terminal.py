"""A process at a pseudo-terminal of 80 columns and 24 lines, for the benchmarks. Not on Windows."""

import contextlib
import os
import select
import signal

LIMIT_S = 60.0  # only ends what would hang
DRAWN = b"\x1b[0m>"  # how prompt_toolkit draws a prompt "> "
_WHERE, _HERE = b"\x1b[6n", b"\x1b[1;1R"  # a terminal is asked for the cursor's place, and answers


class Terminal:
    """Use it as a context: the process ends with it."""

    def __init__(self, command: list[str], folder: str) -> None:
        """`folder` is the state folder, and where the process runs."""
        import pty

        variables = {**os.environ, "TERM": "xterm-256color", "P2PDICE_STATE": folder, "P2PDICE_LANG": "en",
                     "COLUMNS": "80", "LINES": "24"}
        self.process, self._terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, variables)
        self._shown = b""

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self._terminal)

    def until(self, text: bytes) -> None:
        """Read until it writes that, which is then taken as read. Raises RuntimeError if it does not."""
        while text not in self._shown:
            if not select.select([self._terminal], [], [], LIMIT_S)[0]:
                raise RuntimeError(f"no {text!r} in {self._shown!r}")
            new = os.read(self._terminal, 65536)
            self._shown += new
            if _WHERE in new:
                self.type(_HERE)
        self._shown = self._shown.partition(text)[2]

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._terminal, keys)
