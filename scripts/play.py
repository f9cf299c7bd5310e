"""Play p2pdice from the source tree: installs what is needed into .venv, then runs `p2pdice ARGS`.

Without ARGS: a table with two bots, a game one can play at once. Standard library only, and this file must run under
any Python 3 up to the refusal, so that an old one gets a sentence and not a syntax error.
"""

import os
import sys

DEFAULT = ["host", "--bots", "2", "--players", "3"]


def refusal(version: "tuple[int, ...]") -> str:
    """What to tell a Python of that version (major, minor, ...); empty if it is new enough."""
    if tuple(version[:2]) >= (3, 11):
        return ""
    return (
        f"p2pdice needs Python 3.11 or newer; this is Python {version[0]}.{version[1]}.\n"
        "If a newer one is installed, name it: python3.13 scripts/play.py"
    )


def main(args: "list[str]") -> int:
    import signal
    import subprocess

    from _venv import ROOT, SetupError, ensure, say

    try:
        python = str(ensure(ROOT / ".venv", ROOT / "scripts" / "requirements.txt"))
    except SetupError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("\nInterrupted. Run the same command again to finish the set-up.")
        return 130
    # -P: a file of the folder one happens to stand in must not take a module's place.
    command = [python, "-P", "-m", "p2pdice", *(args or DEFAULT)]
    if sys.platform == "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the game itself, which says goodbye and ends
        return subprocess.call(command)
    os.execv(python, command)


if __name__ == "__main__":
    message = refusal(sys.version_info[:2])
    sys.exit(message or main(sys.argv[1:]))
