"""What one more small document costs: in an empty base and in one of 1,000 documents; and a document by its length."""

import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.model import Document, DocumentStatus, Stage
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.stages.job import nothing_replaced
from core.documents.pipeline.summarise import summarise
from core.documents.ports.parsing import Parsed, Progress
from core.documents.ports.publishing import Publication
from core.documents.reading.assemble import assemble, title_of
from core.documents.reading.chunk import chunk_pieces
from core.documents.reading.plain_text import text_blocks
from core.graph.linking.linking import link
from core.models.meter import Cancel
from core.platform.settings.settings import load_settings
from tests.fakes.ingestion import FakeEngines

MANY = 1_000
MEASURED = 15
_PLACES = ("Marlow", "Qingyu", "Dunmore", "Halfway Rock", "Port Ellis", "Saltfleet", "Kettle Bay", "Northpier")
_THINGS = ("tide gauge", "wave buoy", "salinity probe", "current meter", "weather mast", "acoustic release")


class TextParser:
    """In this process: what a child process costs is the same whatever the base holds."""

    name = identity = "text"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        del name, media_type, cancel, progress
        return Parsed(tuple(text_blocks(path.read_text(encoding="utf-8"), markdown=True)), 0, "text")


def text_of(number: int, paragraphs: int = 4) -> str:
    """A small report; names recur among the reports as they do in real ones."""
    lines = [f"# Report {number}"]
    for part in range(paragraphs):
        place, other = _PLACES[(number + part) % 8], _PLACES[(number * 3 + part + 1) % 8]
        thing = _THINGS[(number + part) % 6]
        lines.append(
            f"The {thing} of {place} Station was checked by Dr. Ann Weaver{number} on visit {part + 1}. "
            f"Readings from {place} and {other} differ by {number % 9 + 1} cm, and the {thing} was set again."
        )
    return "\n\n".join(lines)


class Plant:
    def __init__(self, folder: Path) -> None:
        self.services = Services(load_settings(folder))
        tools = stage_deps(self.services)
        self.parser = TextParser()
        extractor, forecaster = tools.engines.extractor(), tools.engines.forecaster()
        engines = FakeEngines(lambda document: self.parser, extractor, forecasts=forecaster)
        self.tools = replace(tools, engines=engines, replacing=nothing_replaced)
        self.pipeline = Pipeline(self.tools, folder / "work")

    def note(self, base_id: str, number: int, paragraphs: int = 4) -> Document:
        stored = self.tools.files.save(text_of(number, paragraphs).encode(), f"{number}.md")
        library = self.services.library
        return library.documents.add(base_id, f"{number}.md", stored.sha256, stored.size, "text/markdown")[0]

    def add(self, base_id: str, number: int, paragraphs: int = 4) -> tuple[float, float]:
        """(processor seconds, seconds) of one document through all stages."""
        document = self.note(base_id, number, paragraphs)
        cpu, began = time.process_time(), time.perf_counter()
        for stage in Stage:
            self.pipeline.run(document.id, stage)
        taken = time.process_time() - cpu, time.perf_counter() - began
        assert self.services.library.documents.get(document.id).status is DocumentStatus.READY
        return taken

    def fill(self, base_id: str, count: int) -> None:
        """As add() leaves them, with one writing of the indexes for all."""
        publications = [self._publication(base_id, number) for number in range(count)]
        _say(f"{count:,} documents read")
        for publication in publications:
            self.services.library.publications.publish(publication)
        _say("published")
        for level in ("chunks", "summaries"):
            entries = [entry for publication in publications for entry in publication.index_entries()[level]]
            self.tools.chunk_index.upsert(base_id, level, entries)
            self.tools.lexical_index.upsert(base_id, level, entries)

    def _publication(self, base_id: str, number: int) -> Publication:
        document = self.note(base_id, number)
        blocks = tuple(text_blocks(text_of(number), markdown=True))
        pieces = tuple(assemble(blocks))
        chunks = tuple(chunk_pieces(document.id, pieces))
        found = self.services.ingestion.engines.extractor().extract([chunk.text for chunk in chunks])
        entities, mentions = link(base_id, document.id, chunks, found)
        summaries = tuple(summarise(document.id, pieces))
        title = title_of(blocks, "", document.name)
        return Publication(document.id, title, "en", "text", 0, (), blocks, chunks, summaries, entities, mentions)


def main(data: Path) -> None:
    del data
    with tempfile.TemporaryDirectory() as folder:
        plant = Plant(Path(folder))
        library = plant.services.library
        warm = library.bases.create("Warm")
        plant.add(warm.id, 90_000)
        full = library.bases.create("Full")
        began = time.perf_counter()
        plant.fill(full.id, MANY)
        _say(f"{MANY:,} documents prepared in {time.perf_counter() - began:.0f} s")
        plant.add(full.id, 80_000)
        few, many = [], []
        for turn in range(MEASURED):  # in turns, so that a busy moment of the machine counts for both
            few.append(plant.add(library.bases.create(f"Empty {turn}").id, 50_000 + turn))
            many.append(plant.add(full.id, 60_000 + turn))
        _row("one document into an empty base", few)
        _row(f"one document into a base of {MANY:,}", many)
        ratio = statistics.median(cpu for cpu, _ in many) / statistics.median(cpu for cpu, _ in few)
        _say(f"processor time, many / none: {ratio:.2f}")
        short = [plant.add(library.bases.create(f"Short {turn}").id, 70_000 + turn, 100) for turn in range(3)]
        long = [plant.add(library.bases.create(f"Long {turn}").id, 75_000 + turn, 400) for turn in range(3)]
        _row("a document of 100 paragraphs", short)
        _row("a document of 400 paragraphs", long)
        ratio = statistics.median(cpu for cpu, _ in long) / statistics.median(cpu for cpu, _ in short)
        _say(f"processor time, 4 x the length / 1 x: {ratio:.2f}")
        plant.services.close()


def _row(what: str, taken: list[tuple[float, float]]) -> None:
    cpu, seconds = (statistics.median(column) * 1000 for column in zip(*taken, strict=True))
    _say(f"{what:<40} {cpu:8.0f} ms of processor {seconds:8.0f} ms")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path())
