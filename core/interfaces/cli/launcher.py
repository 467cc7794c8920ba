"""The command `graphtalk` of an installation; the wheel holds this file as `graphtalk/__init__.py`.

The wheel keeps the repository's top level below one package, so that installing it adds no package called `core` or
`pages`. Inside the process they have the names they have in the repository: this package's folder comes first on the
import path. In an editable installation they come from the repository.
"""

import sys
from pathlib import Path


def main() -> int:
    folder = Path(__file__).parent
    if (folder / "core").is_dir():
        sys.path.insert(0, str(folder))
    from core.interfaces.cli.main import process

    return process()
