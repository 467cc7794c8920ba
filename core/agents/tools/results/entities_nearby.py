"""The entities of a type that are mentioned together with a named one, those in the most passages first."""

from __future__ import annotations

from core.agents.state import Deps
from core.agents.tools.results.graph_list import COUNTED, SHOWN, WEIGHED, Counted, EntityListing, ListLine, listed
from core.agents.tools.results.numbered import Numbered
from core.graph.model import Entity
from core.rulebook.quotes import readable

READ = 1_000
"""Neighbours among which those of the type are looked for, the strongest first."""


def graph_beside(deps: Deps, one: Entity, type: str, language: str, numbered: Numbered) -> EntityListing | None:
    """None where no passage mentions it together with one of the type."""
    near = [each.entity for each in deps.graph.neighbours(one.id, 1, READ) if each.entity.type == type]
    shared = {each: deps.graph.shared_chunks(one.id, each.id, COUNTED) for each in near[:WEIGHED]}
    shown = sorted((each for each in shared if shared[each]), key=lambda each: -len(shared[each]))[:SHOWN]
    lines = [ListLine(each, "passages", len(shared[each]), shared[each][:1]) for each in shown]
    return listed(deps, "beside", Counted(type, len(near), lines), language, numbered, name=readable(one.name))
