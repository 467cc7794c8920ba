"""`python -m core`: the command line."""

import sys

from core.interfaces.cli.main import process

if __name__ == "__main__":
    sys.exit(process())
