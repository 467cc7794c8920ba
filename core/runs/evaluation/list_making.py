"""A list of questions made from the documents: names that stand on one page only, so the right page is certain."""

from collections import defaultdict
from itertools import chain, islice, zip_longest

from core.graph.model import Entity, MentionView
from core.graph.ports import KnowledgeGraph
from core.platform.ids import content_id
from core.platform.language.detect import detect_language
from core.platform.texts import text
from core.runs.evaluation.model import Case
from core.search.ports import Passages

MOST_CASES = 50
MOST_MENTIONS = 4
"""Of a name; more of them are seldom on one page."""
TRIED = 400
SHORTEST = 3
"""Characters of a name."""


def cases_from(base_id: str, graph: KnowledgeGraph, passages: Passages) -> list[Case]:
    """Without an expected answer in words; from all documents in turn. Empty where no name is on one page only."""
    rare = (it for it in graph.every(base_id) if it.mentions <= MOST_MENTIONS and len(it.name) >= SHORTEST)
    names = list(islice(rare, TRIED))
    holding = _holding(base_id, names, passages)
    by_document: dict[str, list[Case]] = defaultdict(list)
    for entity in names:
        views = graph.mentions(entity.id, MOST_MENTIONS + 1)
        pages = {(view.mention.document_id, view.mention.page) for view in views}
        if len(pages) == 1 and holding[entity.id] <= {view.mention.chunk_id for view in views}:
            by_document[views[0].mention.document_id].append(_case(entity, views[0]))
    in_turn = chain.from_iterable(zip_longest(*by_document.values()))
    return list(islice((case for case in in_turn if case), MOST_CASES))


def _holding(base_id: str, entities: list[Entity], passages: Passages) -> dict[str, set[str]]:
    """The chunks whose words hold each name, mentions or not, title included."""
    wanted = [(entity.id, name.casefold()) for entity in entities for name in (entity.name, *entity.aliases)]
    found: dict[str, set[str]] = defaultdict(set)
    for entry in chain.from_iterable(passages.index_entries(base_id, "chunks")):
        words = f"{entry.title}\n{entry.section}\n{entry.text}".casefold()
        for entity_id, name in wanted:
            if name in words:
                found[entity_id].add(entry.chunk_id)
    return found


def _case(entity: Entity, view: MentionView) -> Case:
    name = " ".join(entity.name.split())
    question = text("evaluation.made_question", detect_language(view.sentence), name=name)
    page = view.mention.page + 1
    identity = content_id("case", question, view.document_name, str(page), "", "False")
    return Case(identity, question, view.document_name, page)
