"""`python -m core`: the command line."""

import sys

from core.cli.main import process

if __name__ == "__main__":
    sys.exit(process())
