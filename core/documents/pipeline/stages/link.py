"""Stage 5: links what was found in the chunks to entities of the knowledge base."""

from collections.abc import Sequence

from core.documents.model import Chunk, Stage
from core.documents.pipeline.artefacts import Chunked, Extracted, Linked
from core.documents.pipeline.stages.job import Job, StageDeps
from core.graph.linking.linking import stated_relations_in
from core.rulebook.extraction import statements_in


def link_entities(deps: StageDeps, job: Job) -> int:
    chunks = job.work.load(Stage.CHUNK, Chunked).chunks
    found = job.work.load(Stage.EXTRACT, Extracted)
    job.report.start("entities")
    made = job.calculate(lambda: _linked(deps, job, chunks, found), lambda: job.report.advance(0, 0))
    job.work.save(Stage.LINK, made)
    return len(made.entities)


def _linked(deps: StageDeps, job: Job, chunks: Sequence[Chunk], found: Extracted) -> Linked:
    said, names = statements_in([chunk.text for chunk in chunks], found.found)
    entities, mentions = deps.link(job.document.base_id, job.document.id, chunks, names)
    return Linked(entities, mentions, stated_relations_in(chunks, mentions, [*found.relations, *said]))
