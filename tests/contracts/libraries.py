"""The stores of documents under test, with the graph that shows what they leave."""

import pytest
from sqlalchemy import Engine

from core.adapters.sql.graph import SqlGraph
from core.adapters.sql.library import sql_library
from core.domain.documents import KnowledgeBase
from core.ports.graph import KnowledgeGraph
from core.ports.library import Library
from tests.adapters.sql.databases import TickingClock


@pytest.fixture
def library(engine: Engine, clock: TickingClock) -> Library:
    return sql_library(engine, clock)


@pytest.fixture
def graph(engine: Engine) -> KnowledgeGraph:
    return SqlGraph(engine)


@pytest.fixture
def base(library: Library) -> KnowledgeBase:
    return library.bases.create("Papers")
