"""The role of the person who acts in a base."""

from sqlalchemy import Connection, exists, select

from core.platform.errors import ForbiddenError, NotFoundError
from core.platform.identity import SYSTEM, Role, acting
from core.platform.sql.access_rules import allowed
from core.platform.sql.schema import knowledge_bases
from core.platform.sql.scoping import AS_IT_IS


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
