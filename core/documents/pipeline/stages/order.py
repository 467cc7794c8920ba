"""The stages in the order they run."""

from collections.abc import Callable, Sequence

from core.documents.model import Stage
from core.documents.pipeline.stages.assemble import assemble_text
from core.documents.pipeline.stages.chunk import cut_chunks
from core.documents.pipeline.stages.extract import extract_entities
from core.documents.pipeline.stages.index import index_and_publish
from core.documents.pipeline.stages.job import Job, Outcome, StageDeps, each
from core.documents.pipeline.stages.link import link_entities
from core.documents.pipeline.stages.parse import parse_files

STAGES: dict[Stage, Callable[[StageDeps, Sequence[Job]], list[Outcome]]] = {
    Stage.PARSE: parse_files,
    Stage.ASSEMBLE: each(assemble_text),
    Stage.CHUNK: each(cut_chunks),
    Stage.EXTRACT: extract_entities,
    Stage.LINK: each(link_entities),
    Stage.INDEX: index_and_publish,
}
"""Each takes one document or several that go along, and tells what became of every one.

What it raises may be the fault of any of them.
"""
