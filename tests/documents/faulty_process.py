"""Stands for the ingestion process: `... --data DIR` says what the file `script` of the folder tells, and ends so.

Each start takes a line: `fault` says what is wrong, `crash` says a word to its log, `recycle` makes room, `work` is
ready and stays.
"""

import sys
from pathlib import Path

from core.documents.pipeline.supervisor import FAULTY, RECYCLED, report
from core.platform.files.disk import out_of_space


def main(data: Path) -> int:
    script = data / "script"
    line, _, rest = script.read_text().partition("\n")
    script.write_text(rest)
    if line == "fault":
        report(out_of_space(data))
        return FAULTY
    if line == "recycle":
        return RECYCLED
    if line == "crash":
        print("a traceback", file=sys.stderr)
        return 1
    print("a library talks")
    report(None)
    sys.stdin.buffer.read()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[2])))
