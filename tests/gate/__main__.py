"""`make gate`: the figures of the gate and every question with another outcome than expected.

`make gate WRITE=1` rewrites tests/gate/expected.jsonl with what was found.
"""

import os
import sys
from pathlib import Path

from benchmarks.__main__ import DATA
from tests.gate.outcomes import differences, expected_of, figures_by_set, outcomes_of, table, write_expected
from tests.gate.questions import GateQuestion, committed_groups, public_groups


def main(arguments: list[str]) -> int:
    data = Path(os.environ.get("GRAPHTALK_SHARED_DATA", DATA))
    groups = committed_groups() | (public_groups(data) if data.is_dir() else {})
    outcomes: dict[GateQuestion, str] = {}
    for load in groups.values():
        outcomes |= outcomes_of(load)
    expected = expected_of(outcomes)
    for line in (*table(outcomes, expected), "", *differences(outcomes, expected)):
        sys.stdout.write(f"{line}\n")
    if "--write" in arguments:
        write_expected(outcomes)
        return 0
    return int(figures_by_set(outcomes) != figures_by_set(expected))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
