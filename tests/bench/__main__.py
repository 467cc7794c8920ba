"""`python -m tests.bench [--small] [NAME...]`: all benchmarks, or the named ones, each in a process of its own.

--small takes the long ones at sizes that show that they run through; such figures say nothing.
"""

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

NAMES = (
    "retrieval",
    "ner",
    "routing",
    "change_questions",
    "answers",
    "extraction",
    "small_documents",
    "ingest",
    "pdf_pages",
    "model_path",
    "streaming",
    "memory",
    "start",
    "page_loads",
    "many_documents",
    "walk",
    "graph",
    "browser_graph",
    "scale",
    "long_inputs",
    "worker_memory",
    "many_runs",
    "rooms",
    "read_only",
    "restart",
    "many_people",
    "hour",
    "several_apps",
    "storage_size",
)
SMALL: Mapping[str, Mapping[str, object]] = {
    "extraction": {"TIMES_OVER": 2},
    "small_documents": {"DOCUMENTS": 12},
    "ingest": {"MANY": 40, "MEASURED": 3},
    "pdf_pages": {"FILES": ("zh_tables_standard.pdf",)},
    "page_loads": {"AT_ONCE": (3, 5), "CLICKS": 100, "TOLD": 100},
    "many_documents": {"SIZES": (200, 400), "REPEATED": 2},
    "scale": {"PASSAGES": 1_500},
    "long_inputs": {"CHARACTERS": 200_000, "ENTRIES": 3_000},
    "worker_memory": {"UPLOADS": 10},
    "rooms": {"RUNS": 100, "MEMORIES": 20, "THREADS": 20},
    "many_people": {"MINUTES": 0.5},
    "hour": {"TURNS": 6, "BATCH": 5},
}
"""Constants of the modules, and what --small makes of them."""
LONGEST_SECONDS = 2 * 3600
"""Of one benchmark."""
HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data"


def main(arguments: Sequence[str]) -> int:
    names = [each for each in arguments if not each.startswith("-")] or list(NAMES)
    options = [each for each in arguments if each.startswith("-")]
    if unknown := [*{*names} - {*NAMES}, *{*options} - {"--small"}]:
        sys.stderr.write(f"There is no {', '.join(unknown)}; known: --small {' '.join(NAMES)}\n")
        return 2
    if not DATA.is_dir():
        sys.stderr.write(f"The benchmarks need evaluation sets in {DATA}; see tests/bench/README.md.\n")
        return 1
    if len(names) > 1:
        return _all(names, options)
    module = import_module(f"tests.bench.{names[0]}")
    if options:
        vars(module).update(SMALL.get(names[0], {}))
    sys.stdout.write(f"\n# {names[0]}\n")
    module.main(DATA)
    return 0


def _all(names: Sequence[str], options: Sequence[str]) -> int:
    """One that fails does not keep the others from being measured."""
    rows = [(name, *_ended(name, options)) for name in names]
    lines = [f"| {name} | {seconds:.0f} | {end} |" for name, seconds, end in rows]
    table = ("# What was measured", "", "| | s | ended |", "|---|---|---|", *lines)
    sys.stdout.write("\n" + "\n".join((*table, "", not_measured())) + "\n")
    return int(any(end != "well" for _, _, end in rows))


def _ended(name: str, options: Sequence[str]) -> tuple[float, str]:
    sys.stdout.flush()
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.bench", *options, name]
    try:
        status = subprocess.run(command, check=False, timeout=LONGEST_SECONDS).returncode
    except subprocess.TimeoutExpired:
        return time.monotonic() - began, "not within its time"
    return time.monotonic() - began, "well" if status == 0 else f"with status {status}"


def not_measured() -> str:
    """The table of the README."""
    _, _, rest = (HERE / "README.md").read_text(encoding="utf-8").partition("What is not measured:\n")
    return f"# What is not measured\n{rest.partition('## ')[0].rstrip()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
