"""Roles in bases and shares of bases in SQL; only an owner changes them."""

from sqlalchemy import Connection, Engine, bindparam, delete, exists, select

from core.platform.errors import ForbiddenError, InputError, NotFoundError
from core.platform.identity import SYSTEM, Role, Share, acting, acting_as, group_subject
from core.platform.sql.access_rules import allowed
from core.platform.sql.audit import note
from core.platform.sql.compiled_statements import put_all
from core.platform.sql.engine import reading, writing
from core.platform.sql.installation_tables import base_shares, people
from core.platform.sql.schema import knowledge_bases
from core.platform.sql.scoping import AS_IT_IS

MAX_SUBJECT = 200
_SHARED = {
    Role.READER: "base.shared.reader",
    Role.EDITOR: "base.shared.editor",
    Role.OWNER: "base.shared.owner",
}
"""As the audit log names it."""
_LOCKED = select(knowledge_bases.c.id).where(knowledge_bases.c.id == bindparam("base")).with_for_update(key_share=True)
"""Before the role is asked: on Postgres the base may be deleted, or the role withdrawn, before a share is written."""


class SqlShares:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def of_base(self, base_id: str) -> list[Share]:
        self.role(base_id)
        listed = select(base_shares, people.c.name).outerjoin(people, people.c.id == base_shares.c.subject)
        ordered = listed.where(base_shares.c.base_id == base_id).order_by(people.c.name, base_shares.c.subject)
        with acting_as(SYSTEM), reading(self.engine) as connection:
            rows = connection.execute(ordered).all()
        return [
            Share(base_id, row.subject, Role(row.role), row.name or row.subject.removeprefix(group_subject("")))
            for row in rows
        ]

    def role(self, base_id: str) -> Role:
        with reading(self.engine) as connection:
            return role_in(connection, base_id)

    def share(self, base_id: str, subject: str, role: Role) -> None:
        if not subject.removeprefix(group_subject("")).strip() or len(subject) > MAX_SUBJECT:
            raise InputError("people.subject")
        row = {"base_id": base_id, "subject": subject, "role": role.value}
        with writing(self.engine) as connection:
            connection.execute(_LOCKED, {"base": base_id})
            require_role(connection, base_id, Role.OWNER)
            with acting_as(SYSTEM):
                put_all(connection, base_shares, [row])
            note(connection, _SHARED[role], base_id)

    def withdraw(self, base_id: str, subject: str) -> None:
        this = (base_shares.c.base_id == base_id) & (base_shares.c.subject == subject)
        with writing(self.engine) as connection:
            connection.execute(_LOCKED, {"base": base_id})
            require_role(connection, base_id, Role.OWNER)
            with acting_as(SYSTEM):
                connection.execute(delete(base_shares).where(this))
            note(connection, "base.withdrawn", base_id)


def role_in(connection: Connection, base_id: str) -> Role:
    """Everything is the system's, and the only person's of a single desk."""
    this = knowledge_bases.c.id == base_id
    for role in reversed(Role):
        rule = () if acting() in (None, SYSTEM) else (allowed(knowledge_bases, knowledge_bases, role),)
        if connection.execute(select(exists().where(this, *rule)), execution_options=AS_IT_IS).scalar():
            return role
    raise NotFoundError("storage.base_gone")


def require_role(connection: Connection, base_id: str, needed: Role) -> None:
    """Raises NotFoundError, ForbiddenError."""
    if not role_in(connection, base_id).includes(needed):
        raise ForbiddenError("people.not_owner" if needed is Role.OWNER else "people.read_only")
