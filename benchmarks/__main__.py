"""`python -m benchmarks [--short | --small] [NAME...]`: all benchmarks, or the named, each in a process of its own.

All of them are measured --short: the long ones at sizes that tell about the same sooner. Named ones are measured
whole. --small shows that they run through; such figures say nothing.
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
    "answer_pairs",
    "answers",
    "extraction",
    "small_documents",
    "ingest",
    "encoder",
    "pdf_pages",
    "model_path",
    "streaming",
    "memory",
    "app_memory",
    "start",
    "page_loads",
    "many_documents",
    "walk",
    "graph",
    "graph_files",
    "graph_hands",
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
    "encoder": {"PASSAGES": 64},
    "pdf_pages": {"FILES": ("zh_tables_standard.pdf",)},
    "page_loads": {"AT_ONCE": (3, 5), "CLICKS": 100, "TOLD": 100},
    "many_documents": {"SIZES": (200, 400), "REPEATED": 2},
    "scale": {"PASSAGES": 1_500},
    "graph_files": {"SIZES": ((500, 800),)},
    "graph_hands": {"SIZES": ((500, 800),)},
    "long_inputs": {"CHARACTERS": 200_000, "ENTRIES": 3_000},
    "worker_memory": {"UPLOADS": 10},
    "rooms": {"RUNS": 100, "MEMORIES": 20, "THREADS": 20},
    "many_people": {"MINUTES": 0.5},
    "hour": {"TURNS": 6, "BATCH": 5},
}
SHORT: Mapping[str, Mapping[str, object]] = {
    "retrieval": {"ONLY": ("2wiki_dev100", "cmrc2018_zh400")},
    "answers": {"ASKED": 20, "PASSAGES": 200},
    "extraction": {"TIMES_OVER": 5},
    "ingest": {"MANY": 300, "MEASURED": 7},
    "page_loads": {"AT_ONCE": (20, 50), "CLICKS": 300, "TOLD": 100},
    "many_documents": {"SIZES": (1_000, 5_000), "REPEATED": 4},
    "scale": {"PASSAGES": 10_000},
    "long_inputs": {"CHARACTERS": 1_000_000, "ENTRIES": 15_000},
    "worker_memory": {"UPLOADS": 50},
    "many_runs": {"DOCUMENTS": 500, "THREADS": 100, "RUNS": 2_000},
    "rooms": {"RUNS": 2_000, "MEMORIES": 200, "THREADS": 100},
    "many_people": {"MINUTES": 2.0},
    "hour": {"TURNS": 12, "BATCH": 10},
    "several_apps": {"APPS": (1, 2), "DONE": 16},
}
SIZES = {"--short": SHORT, "--small": SMALL}
"""Constants of the modules, and what an option makes of them."""
LONGEST_SECONDS = 2 * 3600
"""Of one benchmark."""
HERE = Path(__file__).parent
DATA = HERE.parents[1] / "shared" / "data"


def main(arguments: Sequence[str]) -> int:
    named = [each for each in arguments if not each.startswith("-")]
    names = named or list(NAMES)
    options = [each for each in arguments if each.startswith("-")] or ([] if named else ["--short"])
    if unknown := [*{*names} - {*NAMES}, *{*options} - {*SIZES}]:
        sys.stderr.write(f"There is no {', '.join(unknown)}; known: {' '.join((*SIZES, *NAMES))}\n")
        return 2
    if not DATA.is_dir():
        sys.stderr.write(f"The benchmarks need evaluation sets in {DATA}; see benchmarks/README.md.\n")
        return 1
    if len(names) > 1:
        return _all(names, options)
    module = import_module(f"benchmarks.{names[0]}")
    sizes = _sizes(names[0], options)
    vars(module).update(sizes)
    sys.stdout.write(f"\n# {names[0]} {_told(sizes)}".rstrip() + "\n")
    module.main(DATA)
    return 0


def _all(names: Sequence[str], options: Sequence[str]) -> int:
    """One that fails does not keep the others from being measured."""
    rows = [(name, *_ended(name, options)) for name in names]
    lines = [f"| {name} | {_told(_sizes(name, options))} | {seconds:.0f} | {end} |" for name, seconds, end in rows]
    table = ("# What was measured", "", "| | not whole | s | ended |", "|---|---|---|---|", *lines)
    sys.stdout.write("\n" + "\n".join((*table, "", not_measured())) + "\n")
    return int(any(end != "well" for _, _, end in rows))


def _sizes(name: str, options: Sequence[str]) -> dict[str, object]:
    return {key: value for option in options for key, value in SIZES[option].get(name, {}).items()}


def _told(sizes: Mapping[str, object]) -> str:
    return ", ".join(f"{name.lower()} {value}" for name, value in sizes.items())


def _ended(name: str, options: Sequence[str]) -> tuple[float, str]:
    sys.stdout.flush()
    began = time.monotonic()
    command = [sys.executable, "-m", "benchmarks", *options, name]
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
