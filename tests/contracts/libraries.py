"""The stores of documents under test, with the graph that shows what they leave."""

import pytest
from sqlalchemy import Engine

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.graph.ports import KnowledgeGraph
from core.graph.store.graph import SqlGraph
from tests.store.databases import TickingClock


@pytest.fixture
def library(engine: Engine, clock: TickingClock) -> Library:
    return sql_library(engine, clock)


@pytest.fixture
def graph(engine: Engine) -> KnowledgeGraph:
    return SqlGraph(engine)


@pytest.fixture
def base(library: Library) -> KnowledgeBase:
    return library.bases.create("Papers")
