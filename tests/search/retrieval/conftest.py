from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate
from tests.search.retrieval.worlds import World


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = open_engine(f"sqlite:///{tmp_path / 'truth.sqlite'}")
    migrate(engine)
    return engine


@pytest.fixture
def films(engine: Engine, tmp_path: Path) -> World:
    """Two films, their directors, and films that share words with a question about the two."""
    world = World(engine, tmp_path / "lexical")
    world.publish("Levity (film)", "Levity is a 2003 drama film directed by Ed Solomon.")
    world.publish("I Come with the Rain", "I Come with the Rain is a thriller film directed by Tran Anh Hung.")
    world.publish("Ed Solomon", "Edward James Solomon is an American writer, producer and director.")
    world.publish("Trần Anh Hùng", "Trần Anh Hùng is a Vietnamese-born French film director.")
    world.publish("Face in the Rain", "Face in the Rain is a film directed by Irvin Kershner.")
    world.publish("Out of the Rain", "Out of the Rain is a film directed by Gary Winick.")
    world.publish("Come On, Rangers", "Come On, Rangers is a western film directed by Joseph Kane.")
    world.publish("Paris", "Paris is the capital of France, on the river Seine.")
    world.index()
    return world
