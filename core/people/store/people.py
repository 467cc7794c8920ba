"""People, their sign-ins and their usage in SQL."""

from datetime import datetime
from itertools import count

from sqlalchemy import Connection, Engine, Row, Select, delete, func, insert, select, update

from core.platform.clock import Clock, utc_now
from core.platform.identity import SYSTEM, Person, PersonUsage, acting_as, group_subject
from core.platform.sql.access_rules import OWNED
from core.platform.sql.audit import removed_since
from core.platform.sql.columns import normalized
from core.platform.sql.compiled_statements import put_all
from core.platform.sql.conversation_tables import preferences, runs, threads
from core.platform.sql.engine import keep_others_from_writing, reading, writing
from core.platform.sql.installation_tables import api_keys, base_shares, ended_sessions, memberships, people
from core.platform.sql.schema import documents, knowledge_bases

_NAMED_BASES = select(knowledge_bases.c.id, knowledge_bases.c.name)


class SqlPeople:
    """Works as the system: these tables are nobody's own."""

    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def enter(self, person: Person, signed_in_at: datetime) -> None:
        values = {"name": person.name, "email": person.email, "admin": person.admin, "seen_at": signed_in_at}
        groups = [{"person_id": person.id, "subject": group_subject(group)} for group in dict.fromkeys(person.groups)]
        with acting_as(SYSTEM), writing(self.engine) as connection:
            keep_others_from_writing(connection, people)
            newer = select(people.c.id).where(people.c.id == person.id, people.c.seen_at > signed_in_at)
            if connection.execute(newer).first():
                return
            if not connection.execute(update(people).where(people.c.id == person.id).values(**values)).rowcount:
                connection.execute(insert(people), {"id": person.id, **values})
            connection.execute(delete(memberships).where(memberships.c.person_id == person.id))
            if groups:
                connection.execute(insert(memberships), groups)

    def get(self, person_id: str) -> Person | None:
        with acting_as(SYSTEM), reading(self.engine) as connection:
            row = connection.execute(select(people).where(people.c.id == person_id)).first()
            return _person(connection, row) if row else None

    def asked(self, run_id: str) -> Person | None:
        of_run = select(threads.c.owner_id).join(runs, runs.c.thread_id == threads.c.id).where(runs.c.id == run_id)
        with acting_as(SYSTEM), reading(self.engine) as connection:
            found = connection.execute(of_run).scalar()
        return self.get(found) if found else None

    def all(self) -> list[Person]:
        with acting_as(SYSTEM), reading(self.engine) as connection:
            rows = connection.execute(select(people).order_by(people.c.name, people.c.id)).all()
            return [_person(connection, row) for row in rows]

    def called(self, email: str) -> Person | None:
        wanted = normalized(email)
        found = [person for person in self.all() if wanted and normalized(person.email) == wanted]
        return found[0] if len(found) == 1 else None

    def end_session(self, digest: str) -> None:
        with acting_as(SYSTEM), writing(self.engine) as connection:
            put_all(connection, ended_sessions, [{"digest": digest, "ended_at": self.clock()}])

    def is_ended(self, digest: str) -> bool:
        with acting_as(SYSTEM), reading(self.engine) as connection:
            found = select(ended_sessions.c.digest).where(ended_sessions.c.digest == digest)
            return connection.execute(found).first() is not None

    def forget_sessions(self, before: datetime) -> int:
        with acting_as(SYSTEM), writing(self.engine) as connection:
            return connection.execute(delete(ended_sessions).where(ended_sessions.c.ended_at < before)).rowcount

    def adopt(self, person_id: str) -> int:
        """Except what the app last chose on a single desk. Bases whose names the person has taken get a number."""
        owner, made = knowledge_bases.c.owner_id, knowledge_bases.c.created_at
        with acting_as(SYSTEM), writing(self.engine) as connection:
            _number_names(connection, _NAMED_BASES.where(owner.in_(["", person_id])).order_by(owner.desc(), made))
            return sum(
                connection.execute(update(table).where(table.c.owner_id == "").values(owner_id=person_id)).rowcount
                for table in sorted({knowledge_bases, *OWNED} - {preferences}, key=lambda table: table.name)
            )

    def dissolve(self) -> None:
        """Bases of one name get a number; keys that were made for people are revoked."""
        owner, made = knowledge_bases.c.owner_id, knowledge_bases.c.created_at
        with acting_as(SYSTEM), writing(self.engine) as connection:
            connection.execute(delete(preferences).where(preferences.c.owner_id != ""))
            connection.execute(delete(api_keys).where(api_keys.c.owner_id != ""))
            _number_names(connection, _NAMED_BASES.order_by(owner, made))
            for table in {knowledge_bases, *OWNED}:
                connection.execute(update(table).where(table.c.owner_id != "").values(owner_id=""))
            for table in (base_shares, ended_sessions, people):
                connection.execute(delete(table))

    def usage(self, since: datetime) -> list[PersonUsage]:
        return [self._used(person, since) for person in self.all()]

    def spent(self, person_id: str, since: datetime) -> list[tuple[datetime, int]]:
        asked = select(runs.c.started_at, runs.c.prompt_tokens + runs.c.completion_tokens).join(threads)
        own = asked.where(threads.c.owner_id == person_id, runs.c.started_at >= since, runs.c.copied_from == "")
        with acting_as(SYSTEM), reading(self.engine) as connection:
            removed = [(at, tokens) for at, tokens, _ in removed_since(connection, person_id, since)]
            return sorted([*connection.execute(own).tuples(), *removed])

    def _used(self, person: Person, since: datetime) -> PersonUsage:
        sums = (func.count(), func.sum(runs.c.prompt_tokens + runs.c.completion_tokens), func.sum(runs.c.seconds))
        of_runs = select(*sums).select_from(runs).join(threads, threads.c.id == runs.c.thread_id)
        asked = of_runs.where(threads.c.owner_id == person.id, runs.c.started_at >= since, runs.c.copied_from == "")
        bases = select(func.count()).select_from(knowledge_bases).where(knowledge_bases.c.owner_id == person.id)
        of_bases = select(func.count()).select_from(documents).join(knowledge_bases)
        with acting_as(SYSTEM), reading(self.engine) as connection:
            questions, tokens, seconds = connection.execute(asked).one()
            owned = connection.execute(bases).scalar_one()
            files = connection.execute(of_bases.where(knowledge_bases.c.owner_id == person.id)).scalar_one()
            removed = removed_since(connection, person.id, since)
        tokens = (tokens or 0) + sum(spent for _, spent, _ in removed)
        seconds = (seconds or 0.0) + sum(taken for *_, taken in removed)
        return PersonUsage(person, questions + len(removed), tokens, seconds, owned, files)


def _number_names(connection: Connection, bases: Select[str, str]) -> None:
    """Of the bases of one name the first keeps it; the others get a number that makes a name of none of the bases."""
    rows = connection.execute(bases).all()
    borne, met = {normalized(row.name) for row in rows}, set[str]()
    for row in rows:
        if normalized(row.name) in met:
            numbered = (f"{row.name} {number}" for number in count(2))
            name = next(each for each in numbered if normalized(each) not in borne)
            borne.add(normalized(name))
            named = {"name": name, "name_norm": normalized(name)}
            connection.execute(update(knowledge_bases).where(knowledge_bases.c.id == row.id).values(**named))
        met.add(normalized(row.name))


def _person(connection: Connection, row: Row[tuple[str, str, str, bool, datetime]]) -> Person:
    groups = select(memberships.c.subject).where(memberships.c.person_id == row.id).order_by(memberships.c.subject)
    names = tuple(subject.removeprefix(group_subject("")) for subject in connection.execute(groups).scalars())
    return Person(row.id, row.name, row.email, names, row.admin)
