"""The stages in the order they run."""

from collections.abc import Callable

from core.domain.documents import Stage
from core.ingest.pipeline.stages.assemble import assemble_text
from core.ingest.pipeline.stages.chunk import cut_chunks
from core.ingest.pipeline.stages.extract import extract_entities
from core.ingest.pipeline.stages.index import index_and_publish
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ingest.pipeline.stages.link import link_entities
from core.ingest.pipeline.stages.parse import parse_file

STAGES: dict[Stage, Callable[[StageDeps, Job], int]] = {
    Stage.PARSE: parse_file,
    Stage.ASSEMBLE: assemble_text,
    Stage.CHUNK: cut_chunks,
    Stage.EXTRACT: extract_entities,
    Stage.LINK: link_entities,
    Stage.INDEX: index_and_publish,
}
"""Each returns the amount of work done, in its stage's unit."""
