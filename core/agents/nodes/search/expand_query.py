"""Expands the first query with aliases and synonyms."""

from dataclasses import dataclass, replace

from core.agents.nodes.runtime import MAX_NAMES, MAX_QUERY, ask_model, noted
from core.agents.nodes.search.rewrite_query import SearchTerms
from core.agents.state import NodeRuntime, State, Update
from core.models.tasks import Task
from core.platform.language.terms import content_terms
from core.rulebook.messages import Question
from core.rulebook.vocabulary import other_words

UNCHANGED = "run.reason.query_first"
MAX_WORDS = 2
"""Limit of added aliases and of added synonyms; synonyms are also limited to half the question's own words."""


@dataclass(frozen=True, slots=True)
class ExpandRequest:
    question: str
    language: str = "en"
    names: tuple[str, ...] = ()
    """Names and other names of the entities in the question."""


def _by_synonyms(request: ExpandRequest) -> SearchTerms:
    plain = Question(request.question).plain
    names = [name for name in request.names if name.casefold() not in plain.casefold()]
    room = min(MAX_WORDS, len(content_terms(Question(plain).essence)) // 2)
    added = [*names[:MAX_WORDS], *other_words(plain)[:room]]
    reason = "run.reason.query_names" if added else UNCHANGED
    return SearchTerms(query=" ".join([plain, *added])[:MAX_QUERY], reason=reason)


EXPAND = Task("expand_query", SearchTerms, _by_synonyms, max_tokens=500, for_small=False)


def expand_query(state: State, runtime: NodeRuntime) -> Update:
    """A model is asked only if neither the graph nor the thesaurus offers a word."""
    deps = runtime.context
    question = state.standalone_question
    entities = deps.graph.named_in(state.base_id, question, MAX_NAMES)
    names = tuple(dict.fromkeys(name for entity in entities for name in (entity.name, *entity.aliases)))
    request = ExpandRequest(question, state.language, names)
    made = _by_synonyms(request)
    if not entities and made.reason == UNCHANGED:
        made = ask_model(deps, EXPAND, request)
    query = made.query.strip()[:MAX_QUERY] or question[:MAX_QUERY]
    return {"search": replace(state.search, query=query), "note": noted("first", made.reason, query=query)}
