"""What documents contribute to entities: counts and names, kept up to date inside the caller's transaction."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, case, delete, exists, func, select, union, update

from core.documents.ports.publishing import Publication
from core.graph.store import entity_names as naming
from core.platform.sql.engine import batches
from core.platform.sql.schema import entities, mentions, relations

_MORE_SUPPORT = (
    update(entities)
    .where(entities.c.id == bindparam("entity"))
    .values(
        mentions=entities.c.mentions + bindparam("more_mentions"),
        documents=entities.c.documents + bindparam("more_documents"),
    )
)


@dataclass(frozen=True, slots=True)
class Support:
    """Contribution of one or several documents to an entity."""

    mentions: int = 0
    documents: int = 0
    """Number of documents that mention it."""
    names: tuple[str, ...] = ()
    """Names that documents give it, one per document, sorted."""


_NOTHING = Support()


def count_support(connection: Connection, document_ids: Sequence[str]) -> tuple[int, int]:
    """Entities supported only by these documents, and those that others support too."""
    own = union(
        select(mentions.c.entity_id).where(mentions.c.document_id.in_(document_ids)),
        select(relations.c.source_id).where(relations.c.document_id.in_(document_ids)),
        select(relations.c.target_id).where(relations.c.document_id.in_(document_ids)),
    ).subquery()
    entity = own.c.entity_id
    elsewhere = (
        exists().where(mentions.c.entity_id == entity, mentions.c.document_id.not_in(document_ids))
        | exists().where(relations.c.source_id == entity, relations.c.document_id.not_in(document_ids))
        | exists().where(relations.c.target_id == entity, relations.c.document_id.not_in(document_ids))
    )
    kept = func.coalesce(func.sum(case((elsewhere, 1), else_=0)), 0)
    total, stay = connection.execute(select(func.count(), kept).select_from(own)).one()
    return total - stay, stay


def used(publication: Publication) -> set[str]:
    """Entities that it mentions or relates."""
    mentioned = {mention.entity_id for mention in publication.mentions}
    return mentioned | {end for relation in publication.relations for end in (relation.source_id, relation.target_id)}


def of_document(connection: Connection, document_id: str) -> dict[str, Support]:
    """Every entity the published document names, mentions or relates."""
    counted = select(mentions.c.entity_id, func.count()).where(mentions.c.document_id == document_id)
    counts: dict[str, int] = dict(connection.execute(counted.group_by(mentions.c.entity_id)).tuples().all())
    ends = union(
        select(relations.c.source_id).where(relations.c.document_id == document_id),
        select(relations.c.target_id).where(relations.c.document_id == document_id),
    )
    names = naming.given_by(connection, document_id)
    return _supports([*counts, *names, *connection.execute(ends).scalars()], counts, names)


def of_publication(publication: Publication) -> dict[str, Support]:
    """Contributions of a document that is being published."""
    counts = Counter(mention.entity_id for mention in publication.mentions)
    return _supports(used(publication), counts, {entity.id: entity.name for entity in publication.entities})


def _supports(ids: Iterable[str], counts: Mapping[str, int], names: Mapping[str, str]) -> dict[str, Support]:
    return {
        id: Support(counts.get(id, 0), int(id in counts), (names[id],) if id in names else ())
        for id in dict.fromkeys(ids)
    }


def together(supports: Iterable[dict[str, Support]]) -> dict[str, Support]:
    """Sum of the contributions of several documents."""
    found: dict[str, Support] = {}
    for own in supports:
        for id, more in own.items():
            if known := found.get(id):
                sums = known.mentions + more.mentions, known.documents + more.documents
                more = Support(*sums, tuple(sorted(known.names + more.names)))
            found[id] = more
    return found


def settle(connection: Connection, before: dict[str, Support], after: dict[str, Support]) -> None:
    """Updates counts and names of the entities that documents touched; removes those without any support."""
    touched = sorted(id for id in {**before, **after} if before.get(id) != after.get(id))
    changes = [_difference(id, before.get(id, _NOTHING), after.get(id, _NOTHING)) for id in touched]
    for batch in batches(changes, 2_000):
        connection.execute(_MORE_SUPPORT, batch)
    _delete_unsupported(connection, list(before))
    renamed = [id for id in touched if before.get(id, _NOTHING).names != after.get(id, _NOTHING).names]
    naming.settle(connection, {id: after.get(id, _NOTHING).names for id in renamed})


def _difference(id: str, before: Support, after: Support) -> dict[str, object]:
    return {
        "entity": id,
        "more_mentions": after.mentions - before.mentions,
        "more_documents": after.documents - before.documents,
    }


def _delete_unsupported(connection: Connection, candidates: list[str]) -> None:
    related = exists().where((relations.c.source_id == entities.c.id) | (relations.c.target_id == entities.c.id))
    for batch in batches(candidates):
        alone = entities.c.id.in_(batch) & (entities.c.mentions == 0)
        connection.execute(delete(entities).where(alone, ~related))
