"""Stage 5: what was found in the chunks becomes entities of the knowledge base."""

from core.domain.documents import Stage
from core.ingest.pipeline.artefacts import Chunked, Extracted, Linked
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.kg.stated_relations import stated_relations_in


def link_entities(deps: StageDeps, job: Job) -> int:
    chunks = job.work.load(Stage.CHUNK, Chunked).chunks
    found = job.work.load(Stage.EXTRACT, Extracted)
    job.report.start("entities")
    entities, mentions = deps.link(job.document.base_id, job.document.id, chunks, found.found)
    job.work.save(Stage.LINK, Linked(entities, mentions, stated_relations_in(chunks, mentions, found.relations)))
    return len(entities)
