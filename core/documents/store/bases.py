"""Knowledge bases in SQL."""

from collections.abc import Callable, Sequence

from sqlalchemy import Connection, Engine, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.documents.model import KnowledgeBase
from core.documents.store.publishing import VERSION
from core.documents.store.rows import from_base, to_base
from core.people.store.shares import require_role
from core.platform.clock import Clock, utc_now
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import SYSTEM, Role, acting_as, acting_id
from core.platform.ids import content_id
from core.platform.sql.audit import note
from core.platform.sql.columns import normalized
from core.platform.sql.engine import all_rows, reading, writing
from core.platform.sql.schema import (
    chunks,
    documents,
    entities,
    entity_names,
    entry_vectors,
    knowledge_bases,
    mentions,
    relations,
)

Opened = Callable[[str], None]
NAME_LENGTH = 100
"""Characters of a knowledge base's name."""
_BASE = select(knowledge_bases).where(knowledge_bases.c.id == bindparam("base"))
_READ = _BASE
_ALL = select(knowledge_bases).order_by(knowledge_bases.c.created_at, knowledge_bases.c.name_norm)
"""Built once, because building a statement takes longer than running it."""


_NAMED = (
    select(knowledge_bases)
    .where(knowledge_bases.c.name_norm == bindparam("name"))
    .order_by(knowledge_bases.c.owner_id != bindparam("me"), knowledge_bases.c.created_at)
)
"""Several people may share bases of one name; the acting person's own comes first."""


class SqlBases:
    def __init__(self, engine: Engine, clock: Clock = utc_now, opened: Opened = lambda _: None) -> None:
        """opened: called with the id of a base that is read."""
        self.engine = engine
        self.clock = clock
        self._opened = opened

    def all(self) -> list[KnowledgeBase]:
        return [to_base(row) for row in all_rows(self.engine, _ALL)]

    def get(self, base_id: str) -> KnowledgeBase:
        for row in all_rows(self.engine, _READ, base=base_id):
            self._opened(base_id)
            return to_base(row)
        raise NotFoundError("storage.base_gone")

    def named(self, name: str) -> KnowledgeBase | None:
        rows = all_rows(self.engine, _NAMED, name=normalized(name), me=acting_id())
        return to_base(rows[0]) if rows else None

    def create(self, name: str) -> KnowledgeBase:
        """The id follows from the name, so that the same documents have the same ids in another data folder."""
        wanted = _usable_name(name)
        try:
            with writing(self.engine) as connection:
                base = KnowledgeBase(
                    _free_base_id(connection, normalized(wanted)), wanted, self.clock(), owner_id=acting_id()
                )
                connection.execute(insert(knowledge_bases).values(**from_base(base)))
        except IntegrityError as error:
            raise InputError("storage.base_name_taken", name=wanted) from error
        return base

    def rename(self, base_id: str, name: str) -> None:
        """Raises InputError as create_base does."""
        wanted = _usable_name(name)
        try:
            self._change(base_id, name=wanted, name_norm=normalized(wanted))
        except IntegrityError as error:
            raise InputError("storage.base_name_taken", name=wanted) from error

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        self._change(base_id, entity_types=list(types))

    def _change(self, base_id: str, **values: object) -> None:
        statement = update(knowledge_bases).where(knowledge_bases.c.id == base_id)
        with writing(self.engine) as connection:
            if not connection.execute(statement.values(**values)).rowcount:
                raise NotFoundError("storage.base_gone")
            note(connection, "base.changed", base_id)

    def graph_version(self, base_id: str) -> int:
        with reading(self.engine) as connection:
            return int(connection.execute(VERSION, {"base": base_id}).scalar() or 0)

    def delete(self, base_id: str, archived: tuple[int, int] | None = None) -> bool:
        with writing(self.engine) as connection:
            version = connection.execute(VERSION.with_for_update(), {"base": base_id}).scalar()
            if version is None:
                return True
            require_role(connection, base_id, Role.OWNER)
            with acting_as(SYSTEM):
                own = select(func.count()).where(documents.c.base_id == base_id)
                if archived is not None and (connection.execute(own).scalar_one(), version) != archived:
                    return False
                _empty(connection, base_id)
            connection.execute(delete(knowledge_bases).where(knowledge_bases.c.id == base_id))
        return True


def _empty(connection: Connection, base_id: str) -> None:
    """Deletes table by table, which takes half as long as cascading."""
    own = select(documents.c.id).where(documents.c.base_id == base_id)
    for table in (mentions, entity_names, relations, entry_vectors, chunks):
        connection.execute(delete(table).where(table.c.document_id.in_(own)))
    for whole in (entities, documents):
        connection.execute(delete(whole).where(whole.c.base_id == base_id))


def _usable_name(name: str) -> str:
    wanted = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if not normalized(wanted):
        raise InputError("storage.base_name_empty")
    if len(wanted) > NAME_LENGTH:
        raise InputError("storage.base_name_long", length=len(wanted), limit=NAME_LENGTH)
    return wanted


def _free_base_id(connection: Connection, name_key: str) -> str:
    """A renamed base keeps its id, so the name's own id may be in use."""
    owner = [acting_id()] if acting_id() else []
    number = 0
    while True:
        wanted = content_id("base", name_key, *owner, *([str(number)] if number else []))
        if not connection.execute(select(knowledge_bases.c.id).where(knowledge_bases.c.id == wanted)).first():
            return wanted
        number += 1
