"""`python -m p2pdice`: the same as the installed command."""

import sys

from p2pdice.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
