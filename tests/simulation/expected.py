"""What must be there: a plain model of a data folder, unsure only of what was under way when a process ended."""

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from tests.simulation.desk import Action
from tests.simulation.whole import EDITS

THERE, GONE, TRASH, AWAY, UNDONE = "there", "gone", "trash", "away", "undone"
Things = dict[str, frozenset[str]]
"""The states in which a thing may be, by its name."""
EFFECTS = {
    "add": ("documents", GONE, THERE),
    "bring_in": ("documents", GONE, THERE),
    "delete": ("documents", THERE, TRASH),
    "restore": ("documents", TRASH, THERE),
    "amend": ("amended", GONE, THERE),
    "ask": ("questions", GONE, THERE),
    "ask_and_stop": ("questions", GONE, THERE),
    "put_away": ("questions", THERE, AWAY),
    "take_back": ("questions", AWAY, THERE),
    "unask": ("questions", THERE, GONE),
    "remember": ("memories", GONE, THERE),
    "forget": ("memories", THERE, GONE),
    **dict.fromkeys(EDITS, ("edits", GONE, THERE)),
    "undo": ("edits", THERE, UNDONE),
    "redo": ("edits", UNDONE, THERE),
    "delete_base": ("bases", THERE, TRASH),
    "restore_base": ("bases", TRASH, THERE),
}
"""What an action changes: kind of thing, state before, state after. Other actions change nothing that can be seen."""
ADDING = frozenset({"add", "bring_in", "replace"})
NEW = frozenset({*ADDING, "ask", "ask_and_stop", "remember", *EDITS})
"""Actions on a thing that was not there before."""
NEEDS_BASE = frozenset(
    {*EDITS, *ADDING, "amend", "delete", "restore", "ask", "ask_and_stop", "undo", "redo"}
    | {"rebuild", "delete_base", "read", "make_vectors"}
)
ACTIONS = (
    *EFFECTS,
    "add",
    "add",
    "replace",
    "read",
    "read",
    "make_vectors",
    "ask",
    "delete",
    "restore",
    "back_up",
    "rebuild",
)
ABOUT_ANOTHER = frozenset({"replace", "merge", "strike"})
"""Actions on a new thing and a document."""
BASE_THING = "base"


@dataclass
class Given:
    """What is never given twice, in whatever state everything is."""

    names: int = 0
    gauges: set[str] = field(default_factory=set)
    """Documents whose gauge has an edit: what several of them come to would have to be modelled."""

    def name(self) -> str:
        self.names += 1
        return _word(self.names)


@dataclass
class Expected:
    documents: Things = field(default_factory=dict)
    amended: Things = field(default_factory=dict)
    questions: Things = field(default_factory=dict)
    memories: Things = field(default_factory=dict)
    edits: Things = field(default_factory=dict)
    bases: Things = field(default_factory=lambda: {BASE_THING: frozenset({THERE})})
    left_in_indexes: int | None = None
    """The most that there may be; None where it is not known, as after a fault that leaves something there."""
    given: Given = field(default_factory=Given)

    def draw(self, random: Random) -> Action | None:
        """An action that is possible, or None."""
        kind = random.choice(ACTIONS)
        if kind in NEEDS_BASE and not self.has_base:
            return None
        if kind in (*ABOUT_ANOTHER, "amend"):
            others = {name for name in self.names_in("documents", THERE) if self._may(kind, name)}
            if not others:
                return None
            other = random.choice(sorted(others))
            if kind == "amend":
                return Action(kind, other)
            self.given.gauges |= {other} if kind in EDITS else set()
            return Action(kind, self.given.name(), other)
        if kind in NEW:
            return Action(kind, self.given.name())
        if kind not in EFFECTS:
            return Action(kind)
        of, before, _ = EFFECTS[kind]
        possible = self.names_in(of, before)
        if not possible:
            return None
        return Action(kind) if of == "bases" else Action(kind, random.choice(possible))

    @property
    def has_base(self) -> bool:
        """For sure."""
        return self.bases[BASE_THING] == {THERE}

    def names_in(self, of: str, state: str) -> list[str]:
        """Those that are in it for sure."""
        return sorted(name for name, states in getattr(self, of).items() if states == {state})

    def _may(self, kind: str, name: str) -> bool:
        if kind in EDITS:
            return name not in self.given.gauges
        return kind != "amend" or self.amended.get(name, {GONE}) == {GONE}

    def begun(self, action: Action) -> None:
        self._change(action, lambda before, after: before | {after})

    def done(self, action: Action) -> None:
        self._change(action, lambda _, after: frozenset({after}))

    def copy(self) -> "Expected":
        return replace(deepcopy(self), given=self.given)

    def check(self, seen: Mapping[str, Any]) -> Iterator[str]:
        """Sentences that say what is wrong; what could be this or that is certain from then on."""
        if seen["base"] not in self.bases[BASE_THING]:
            yield f"the knowledge base is {seen['base']}, not {set(self.bases[BASE_THING])}"
        self.bases[BASE_THING] = frozenset({seen["base"]})
        if seen["base"] == THERE:
            states = {**dict.fromkeys(seen["trash"], TRASH), **dict.fromkeys(seen["documents"], THERE)}
            yield from _compared("document", self.documents, states)
            yield from _compared("amendment", self.amended, _states(seen, amended=THERE), seen["documents"])
            for name in ({*seen["documents"]} & {*seen["searched"]}) - {*seen["failed"]} - {*seen["found"]}:
                yield f"document {name} is not found"
            for name in seen["failed"]:
                yield f"document {name} is not ready"
            yield from _compared("edit", self.edits, _states(seen, edits=THERE, undone=UNDONE))
            left, most = seen["left_in_indexes"], self.left_in_indexes
            if left is not None and most is not None and left > most:
                yield f"{left} entries of what is gone are left in the indexes"
            self.left_in_indexes = left
        yield from _compared("question", self.questions, _states(seen, questions=THERE, away=AWAY))
        yield from _compared("memory", self.memories, _states(seen, memories=THERE))
        for kind in ("questions", "memories", "edits"):
            for name in {each for each in seen[kind] if seen[kind].count(each) > 1}:
                yield f"{kind}: {name} is there twice"
        for name in seen["wrongly_found"]:
            yield f"{name} is found, which is not there"
        for kind in ("unfinished", "vectors_missing"):
            if seen[kind]:
                yield f"{kind}: {seen[kind]}"
        yield from seen["flaws"]

    def _change(self, action: Action, to: Any) -> None:
        if action.kind == "replace":
            self._change(Action("add", action.name), to)
            self._change(Action("delete", action.other), to)
        elif effect := EFFECTS.get(action.kind):
            of, before, after = effect
            things: Things = getattr(self, of)
            name = action.name or BASE_THING
            known = things.get(name, frozenset({before}))
            things[name] = to(known, after)


def _states(seen: Mapping[str, Any], **states: str) -> dict[str, str]:
    return {name: state for kind, state in states.items() for name in seen[kind]}


def _compared(
    kind: str, things: Things, seen: Mapping[str, str], among: Collection[str] | None = None
) -> Iterator[str]:
    for name in sorted({*things, *seen} if among is None else among):
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
