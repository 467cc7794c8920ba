"""`python -m benchmarks small_documents`: whole ingestion by a model of 190 small documents, and of the same as one.

The real ingestion process with the product's defaults reads files from the upload to the published document; the model
is a process of its own that knows the labelled names and answers after 200 ms. Baseline: the one long document.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.request import urlopen

from pydantic import SecretStr

from benchmarks import watched_ingestion
from benchmarks.extraction import LATENCY_SECONDS, passages
from benchmarks.model_process import answering
from benchmarks.ner import ENGLISH
from benchmarks.output import say
from benchmarks.watched_ingestion import ModelWork
from core.app import ingestion as bootstrap
from core.app.services import Services
from core.documents.model import ACTIVE, DocumentFilter, DocumentStatus
from core.models.tokens import estimate_tokens
from core.platform.settings.settings import Settings

DOCUMENTS = 190
PATIENCE_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Cost:
    calls: int
    prompt_tokens: int
    processor_seconds: float
    """Of the ingestion process and the processes that it started."""
    seconds: float
    slots: float
    """Share of the slots in use from the first call to the last."""
    slots_while_waiting: float
    """The same, of the time in which text or calls for the model wait: what is idle then is wasted."""


def main(data: Path) -> None:
    path = data / ENGLISH
    texts = [text for text, _ in passages(path)]
    texts = [f"{texts[place % len(texts)]}\nNote {place}." for place in range(DOCUMENTS)]
    words, tokens = sum(len(text.split()) for text in texts), sum(map(estimate_tokens, texts))
    say(
        f"{words:,} words\n\n| | calls / 1,000 words | prompt / source tokens | processor, ms a passage"
        " | slots, first to last call | slots while something waits | s |\n|---|---|---|---|---|---|---|\n"
    )
    for name, files in (("one document", ["\n\n".join(texts)]), (f"{DOCUMENTS} documents", texts)):
        with answering("extraction_model", str(path), str(LATENCY_SECONDS)) as address:
            start = _ingested(address, ["A note of nothing."])
            urlopen(f"{address}/slots").close()
            cost = _ingested(address, files)
        own = (cost.processor_seconds - start.processor_seconds) * 1000 / DOCUMENTS
        sent = 1000 * cost.calls / words, cost.prompt_tokens / tokens
        row = (*sent, own, cost.slots, cost.slots_while_waiting, cost.seconds)
        say(f"| {name} | {' | '.join(f'{value:.2f}' for value in row)} |\n")


def _ingested(address: str, files: Sequence[str]) -> Cost:
    with TemporaryDirectory() as folder:
        model = {"llm_base_url": address, "llm_model": "loopback-model", "llm_api_key": SecretStr("none")}
        _set({"EXTRACTION": "model", "LLM_BASE_URL": address, "LLM_MODEL": "loopback-model", "LLM_API_KEY": "none"})
        bootstrap.PROCESS = watched_ingestion.__name__
        values = {"data": Path(folder), "database_url": "", "chroma_url": "", "extraction": "model", **model}
        before, began = _children(), time.perf_counter()
        with Services(Settings().model_copy(update=values)) as services:
            base_id = services.library.bases.create("Small").id
            for number, text in enumerate(files):
                services.lifecycle.intake.add(base_id, f"{number}.txt", text.encode())
            with services.ingestion.running():
                wait_for_all(services, base_id)
                seconds = time.perf_counter() - began
            spent = [each.spent for each in services.library.documents.of_base(base_id) if each.spent]
            slots = services.settings.ingest_calls_at_once
            work = ModelWork(**json.loads((Path(folder) / watched_ingestion.FILE).read_text(encoding="utf-8")))
        calls = sum(each.model_calls for each in spent)
        prompts = sum(each.prompt_tokens for each in spent)
        waiting = work.held_meanwhile / (work.waiting * slots) if work.waiting else 0.0
        return Cost(calls, prompts, _children() - before, seconds, _slots(address, slots), waiting)


def _set(changes: dict[str, str]) -> None:
    """For the ingestion process, which reads its settings itself."""
    os.environ.update(changes)


def wait_for_all(services: Services, base_id: str) -> None:
    """Until each document of the base is ready; fails if one is not."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while services.library.documents.find(base_id, DocumentFilter(ACTIVE), limit=1):
        if time.monotonic() > deadline:
            raise RuntimeError("the documents were not ready in time")
        time.sleep(0.2)
    counts = services.library.documents.counts(base_id)
    assert set(counts) == {DocumentStatus.READY}, counts


def _children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _slots(address: str, number: int) -> float:
    with urlopen(f"{address}/slots") as response:
        said = json.load(response)
    return float(said["busy"] / (said["whole"] * number)) if said["whole"] else 0.0
