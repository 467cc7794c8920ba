"""What must be there: a plain model of a data folder, unsure only of what was under way when a process ended."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.simulation.desk import Action

THERE, GONE, TRASH = "there", "gone", "trash"
Things = dict[str, frozenset[str]]
"""The states in which a thing may be, by its name."""
EFFECTS = {
    "add": ("documents", GONE, THERE),
    "delete": ("documents", THERE, TRASH),
    "restore": ("documents", TRASH, THERE),
    "ask": ("questions", GONE, THERE),
    "remember": ("memories", GONE, THERE),
    "forget": ("memories", THERE, GONE),
    "rename": ("aliases", GONE, THERE),
    "delete_base": ("bases", THERE, TRASH),
    "restore_base": ("bases", TRASH, THERE),
}
"""What an action changes: kind of thing, state before, state after. Other actions change nothing that can be seen."""
NEW = frozenset({"add", "ask", "remember", "rename"})
"""Actions on a thing that was not there before."""
NEEDS_BASE = frozenset({"add", "delete", "restore", "ask", "rename", "rebuild", "delete_base", "read", "make_vectors"})
ACTIONS = (*EFFECTS, "add", "add", "read", "read", "make_vectors", "ask", "delete", "restore", "back_up", "rebuild")
BASE_THING = "base"


@dataclass
class Expected:
    documents: Things = field(default_factory=dict)
    questions: Things = field(default_factory=dict)
    memories: Things = field(default_factory=dict)
    aliases: Things = field(default_factory=dict)
    bases: Things = field(default_factory=lambda: {BASE_THING: frozenset({THERE})})
    names: int = 0
    """So many names were given."""

    def draw(self, random: Random) -> Action | None:
        """An action that is possible, or None."""
        kind = random.choice(ACTIONS)
        if kind in NEEDS_BASE and self.bases[BASE_THING] != {THERE}:
            return None
        if kind not in EFFECTS:
            return Action(kind)
        if kind == "rename" and frozenset({THERE}) not in self.documents.values():
            return None  # nothing to rename
        if kind in NEW:
            self.names += 1
            return Action(kind, _word(self.names))
        of, before, _ = EFFECTS[kind]
        possible = sorted(name for name, states in getattr(self, of).items() if states == {before})
        if not possible:
            return None
        return Action(kind) if of == "bases" else Action(kind, random.choice(possible))

    def begun(self, action: Action) -> None:
        self._change(action, lambda before, after: before | {after})

    def done(self, action: Action) -> None:
        self._change(action, lambda _, after: frozenset({after}))

    def copy(self) -> "Expected":
        return deepcopy(self)

    def check(self, seen: Mapping[str, Any]) -> Iterator[str]:
        """Sentences that say what is wrong; what could be this or that is certain from then on."""
        if seen["base"] not in self.bases[BASE_THING]:
            yield f"the knowledge base is {seen['base']}, not {set(self.bases[BASE_THING])}"
        self.bases[BASE_THING] = frozenset({seen["base"]})
        if seen["base"] == THERE:
            states = {**dict.fromkeys(seen["trash"], TRASH), **dict.fromkeys(seen["documents"], THERE)}
            yield from _compared("document", self.documents, states)
            for name in {*seen["documents"]} - {*seen["failed"]} - {*seen["found"]}:
                yield f"document {name} is not found"
            for name in seen["failed"]:
                yield f"document {name} is not ready"
        for kind in ("questions", "memories", "aliases"):
            if kind != "aliases" or seen["base"] == THERE:
                yield from _compared(kind, getattr(self, kind), dict.fromkeys(seen[kind], THERE))
                for name in {each for each in seen[kind] if seen[kind].count(each) > 1}:
                    yield f"{kind}: {name} is there twice"
        for name in seen["wrongly_found"]:
            yield f"{name} is found, which is not there"
        for kind in ("unfinished", "vectors_missing", "changed_records"):
            if seen[kind]:
                yield f"{kind}: {seen[kind]}"

    def _change(self, action: Action, to: Any) -> None:
        if effect := EFFECTS.get(action.kind):
            of, before, after = effect
            things: Things = getattr(self, of)
            name = action.name or BASE_THING
            things[name] = to(things.get(name, frozenset({before})), after)


def _compared(kind: str, things: Things, seen: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*things, *seen}):
        state = seen.get(name, GONE)
        allowed = things.get(name, frozenset({GONE}))
        if state not in allowed:
            yield f"{kind} {name} is {state}, not {' or '.join(sorted(allowed))}"
        things[name] = frozenset({state})


def _word(number: int) -> str:
    """A word that occurs nowhere else."""
    letters = ""
    while number:
        number, digit = divmod(number - 1, 20)
        letters += "bcdfghjklmnpqrstvwxz"[digit] + "o"
    return f"quer{letters}nal"
