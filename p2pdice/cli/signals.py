"""The signals that ask the program to end. Apart from all else, since it loads what `--version` need not wait for."""

import signal

# Windows knows only the first two.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
