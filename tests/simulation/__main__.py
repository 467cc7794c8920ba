"""`python -m tests.simulation FIRST LAST`: every seed of the range; exit status 1 where something was wrong."""

import sys
import tempfile
from pathlib import Path

from core.models.embedding import sentence_encoder
from tests.simulation.simulate import Simulation


def main(first: int, last: int) -> int:
    sentence_encoder.is_installed = lambda: False
    broken = 0
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
            simulation = Simulation(seed, Path(folder) / "desk")
            simulation.folder.mkdir()
            if problems := simulation.run():
                broken += 1
                print(
                    f"seed {seed}:", *simulation.log, *(f"WRONG: {each}" for each in problems), sep="\n  ", flush=True
                )
    print(f"{last - first + 1} seeds, {broken} with something wrong", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
