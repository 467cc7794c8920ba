"""A graph whose every name tries to run something or to fetch something, written straight into an app's database."""

import json
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from core.documents.store.library import sql_library
from core.graph.store.graph import SqlGraph
from core.platform.settings.settings import SQL_FILE
from core.platform.sql.engine import open_engine
from core.runs.events import GraphTouched, NodeFinished, NodeStarted, RunFinished
from core.runs.model import RunRequest, Usage
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from tests.store.samples import publication

TARGET = "127.0.0.1:9"
"""Where the names would fetch from; nothing listens there."""
NAMES = (
    f"Evil0 <img data-evil src=http://{TARGET}/i onerror=alert(1)>",
    "Evil1 <script>alert(1)</script><b data-evil onclick=alert(1)>x</b>",
    f"Evil2 ![x](http://{TARGET}/p) [y](javascript:alert(1)) http://{TARGET}/auto",
    f'Evil3" href="http://{TARGET}/h" onclick="alert(1)',
    f"Evil4 </svg></div><iframe data-evil src=http://{TARGET}/f></iframe>",
    f"Evil5 $\\href{{javascript:alert(1)}}{{x}}$ :red[x] `</code><b data-evil>`<style>@import 'http://{TARGET}/s'</style>",
)
KIND = f"<img data-evil src=http://{TARGET}/k onerror=alert(1)>"
ALIVE = f"[data-evil], [src*='{TARGET}'], [href*='{TARGET}'], [href^='javascript:'], [onerror], [onclick]"
"""What would be there if a name were taken for markup."""


@dataclass(frozen=True)
class Written:
    ids: list[str]
    """Most mentioned first."""
    run_id: str


def written(data: Path) -> Written:
    """One base with two documents, so that there are duplicates, and a run whose steps touched the entities."""
    engine = open_engine(f"sqlite:///{data / SQL_FILE}")
    library = sql_library(engine)
    base = library.bases.create(KIND[:40])
    together = " and ".join(NAMES)
    for name, kind in ((KIND, KIND), ("second.md", "PERSON")):
        stated = [(NAMES[0], NAMES[1], KIND)]
        texts = [f"{together}.", *(f"{one} knows {other}." for one, other in pairwise(NAMES))]
        document, _ = library.documents.add(base.id, name, sha256(name.encode()).hexdigest(), 1, "text/markdown")
        library.publications.publish(publication(document, base, texts, dict.fromkeys(NAMES, kind), stated))
    ids = [entity.id for entity in SqlGraph(engine).every(base.id)]
    log, threads = SqlRunLog(engine), SqlThreads(engine)
    run = log.start(RunRequest(NAMES[0], base.id), threads.create(NAMES[1], base.id, "adaptive").id, "built-in")
    for node, touched in (("retrieve", ids[:3]), ("generate", ids[2:6])):
        finished = NodeFinished(node, 1, 0.1, "", NAMES[2])
        log.append(run.id, [NodeStarted(node, 1), GraphTouched(node, tuple(touched)), finished])
    log.append(run.id, [RunFinished("answered", 0.3, Usage())])
    log.finish(log.get(run.id))
    engine.dispose()
    return Written(ids, run.id)


def files(folder: Path) -> list[Path]:
    """The two files of a graph, with the same names under other types."""
    row = {"type": "LOCATION", "source_doc": KIND, "page": 1, "confidence": 1}
    rows = [
        {"id": f"n{place}", "name": name, "char_start": 0, "char_end": 1, **row} for place, name in enumerate(NAMES)
    ]
    edge = {"source": "n0", "target": "n1", "relation": KIND, "doc_id": KIND, "page": 1}
    for name, content in (("kg_nodes.json", rows), ("kg_edges.json", [edge])):
        (folder / name).write_text(json.dumps(content), "utf-8")
    return [folder / "kg_nodes.json", folder / "kg_edges.json"]
