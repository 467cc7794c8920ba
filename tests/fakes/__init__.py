"""The ports in memory, hand-written and typed, a file an area; what most tests need is imported from here."""

from tests.fakes.graph import TextGraph
from tests.fakes.library import FakeLibrary
from tests.fakes.memories import FakeMemories
from tests.fakes.models import FakeLlm, FakeMeter, RuleLlm, Said, graph_questions, intents
from tests.fakes.retriever import FakeRetriever
from tests.fakes.runs import FakeRunLog, FakeThreads
from tests.fakes.samples import BASE, NOW, chunk_of, memory_of
from tests.fakes.world import World, state_of

__all__ = [
    "BASE",
    "NOW",
    "FakeLibrary",
    "FakeLlm",
    "FakeMemories",
    "FakeMeter",
    "FakeRetriever",
    "FakeRunLog",
    "FakeThreads",
    "RuleLlm",
    "Said",
    "TextGraph",
    "World",
    "chunk_of",
    "graph_questions",
    "intents",
    "memory_of",
    "state_of",
]
