"""Counts that are kept beside the entities stay true whatever happens to documents."""

from sqlalchemy import Engine, distinct, func, select

from core.documents.store.library import sql_library
from core.platform.sql.engine import reading
from core.platform.sql.schema import entities, entity_names, mentions
from tests.store.databases import TickingClock
from tests.store.samples import TYPES, add, publication

HISTORY = "+0 +1 +2 -1 +3 +0 +4 -0 +1 -4 +4 +4 -3 -2 +5"
"""Documents published (again) and deleted."""


def test_counts_are_those_of_the_mentions_after_every_step(engine: Engine, clock: TickingClock) -> None:
    library = sql_library(engine, clock)
    base = library.bases.create("Papers")
    names = list(TYPES)
    for step, (sign, number) in enumerate((word[0], int(word[1:])) for word in HISTORY.split()):
        document = add(library, base, f"{number}.pdf")
        if sign == "-":
            library.documents.delete(document.id)
        else:
            words = [names[(step + place * number) % len(names)] for place in range(step % 5 + 1)]
            library.publications.publish(publication(document, base, [" ".join(words), words[0]]))
        assert kept(engine) == counted(engine), f"after step {step}"


def kept(engine: Engine) -> dict[str, tuple[int, int]]:
    with reading(engine) as connection:
        return {row.id: (row.mentions, row.documents) for row in connection.execute(select(entities))}


def counted(engine: Engine) -> dict[str, tuple[int, int]]:
    """From the mentions; every entity that is named has some."""
    numbers = (func.count(), func.count(distinct(mentions.c.document_id)))
    statement = select(mentions.c.entity_id, *numbers).group_by(mentions.c.entity_id)
    with reading(engine) as connection:
        found = {entity_id: (number, documents) for entity_id, number, documents in connection.execute(statement)}
        assert set(connection.execute(select(entity_names.c.entity_id)).scalars()) == set(found)
    return found
