"""Answers what needs no document: greetings, thanks, questions about the app or the user; says what is out of scope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain.events import AnswerReady
from core.domain.memories import Memory, MemoryKind
from core.domain.runs import AnswerOutcome, Turn
from core.nodes.deciding import noted, shown_as_written, write
from core.nodes.memories import recalled
from core.nodes.plan import Route
from core.nodes.rules.smalltalk import Social, social_act
from core.nodes.rules.statements import statement_in
from core.state import Deps, State, Update
from core.tasks import TextTask
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

HISTORY_TURNS = 4


@dataclass(frozen=True, slots=True)
class DirectRequest:
    question: str
    language: str
    route: str = Route.DIRECT.value
    """direct, or out_of_scope: say politely what the app can do instead."""
    remembers: bool = True
    memories: tuple[Memory, ...] = ()
    history: tuple[Turn, ...] = ()


def _by_act(request: DirectRequest) -> Iterator[str]:
    if request.route == Route.OUT_OF_SCOPE:
        yield text("answer.direct.out_of_scope", request.language)
        return
    act = social_act(request.question) or Social.CHAT
    if act is Social.ABOUT_USER:
        yield from _about_user(request)
    elif act is Social.STATEMENT:
        yield _acknowledgement(request)
    else:
        yield text(f"answer.direct.{act}", request.language)


DIRECT = TextTask("direct_answer", _by_act)


def direct_answer(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    request = DirectRequest(
        question=state.question,
        language=state.language,
        route=state.route,
        remembers=state.use_memory,
        memories=recalled(state, deps),
        history=state.history[-HISTORY_TURNS:],
    )
    written = shown_as_written(deps, DIRECT.name, write(deps, DIRECT, request))
    answer = written.text
    if written.fault:
        answer = f"{answer}\n\n{text('answer.interrupted', state.language)}".strip()
    deps.emit(AnswerReady(answer, ()))
    outcome = AnswerOutcome.OUT_OF_SCOPE if state.route == Route.OUT_OF_SCOPE else AnswerOutcome.DIRECT
    return {
        "answer": answer,
        "outcome": (AnswerOutcome.UNCONFIRMED if written.fault else outcome).value,
        "note": noted(outcome, written.fault or "run.reason.direct"),
    }


def _about_user(request: DirectRequest) -> Iterator[str]:
    """What the user said of themselves, word for word."""
    own = [memory.text for memory in request.memories if memory.kind is not MemoryKind.CONCLUSION]
    if not own:
        yield text("answer.direct.about_user_unknown", request.language)
        return
    yield text("answer.direct.about_user", request.language)
    for words in own:
        yield f"\n- {words}"


def _acknowledgement(request: DirectRequest) -> str:
    statement = statement_in(request.question)
    key = "answer.direct.statement" if request.remembers else "answer.direct.statement_off"
    return text(key, request.language, statement=statement.text if statement else request.question)
