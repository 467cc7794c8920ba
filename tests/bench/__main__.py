"""`python -m tests.bench [NAME...]`: run all benchmarks, or the named ones."""

import sys
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
    "model_path",
    "streaming",
    "memory",
    "page_loads",
    "many_documents",
    "walk",
    "graph",
    "browser_graph",
    "scale",
    "long_inputs",
    "worker_memory",
    "many_runs",
    "read_only",
    "restart",
    "many_people",
    "several_apps",
    "storage_size",
)
DATA = Path(__file__).parents[3] / "shared" / "data"


def main(names: list[str]) -> int:
    if not DATA.is_dir():
        sys.stderr.write(f"The benchmarks need evaluation sets in {DATA}; see tests/bench/README.md.\n")
        return 1
    for name in names or NAMES:
        sys.stdout.write(f"\n# {name}\n")
        import_module(f"tests.bench.{name}").main(DATA)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
