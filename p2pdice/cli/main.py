"""The command's front door: which language, which subcommand, which exit status.

Nothing heavy is imported before it is needed: `--version` and `--help` answer at once. No traceback reaches anyone for
bad input; what goes wrong is one line on standard error with a hint under it.
"""

import os
import sys

from p2pdice import __version__
from p2pdice.cli.complaint import INTERRUPTED, OK, Complaint


def main(argv: list[str] | tuple[str, ...] | None = None) -> int:
    """Run one command; returns the exit status (0 done, 1 not as it must be, 2 usage, 3 no table, 130 interrupted)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        print(f"p2pdice {__version__}")
        return OK
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except Complaint as complaint:
        from p2pdice.cli.printing import say

        say([f"p2pdice: {complaint.line}", *complaint.hint.splitlines()], sys.stderr)
        return complaint.status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain once more while closing it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def _run(arguments: list[str]) -> int:
    from p2pdice.cli import language, memory, options

    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a name's letters shows "?" for them; that is no reason to stop.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Help and complaints need the language too, so it is looked for before the arguments are judged.
    asked = options.asked(arguments, "--lang")
    if asked or os.environ.get("P2PDICE_LANG"):
        remembered = None
    else:
        remembered = memory.load(memory.folder(options.asked(arguments, "--state"), os.environ)).language
    language.use(language.choose(asked, os.environ, remembered))
    chosen = options.parse(arguments)
    match chosen.command:
        case "host" | "join":
            from p2pdice.cli import start

            return start.run(chosen)
        case "find":
            from p2pdice.cli import find

            return find.run(chosen)
        case "doctor":
            from p2pdice.cli import doctor

            return doctor.run(chosen)
        case _:
            from p2pdice.cli import report

            return report.run(chosen)
