"""An answer from the evidence that is written once and checked, for systems without corrections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.nodes.check_answer import Check, check_answer
from core.nodes.generate import generate
from core.nodes.not_found import not_found
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def answer_from_evidence(state: State, runtime: Runtime[Deps]) -> Update:
    """Sentence by sentence checked; where nothing answers, it says so and shows what comes closest."""
    return settled_answer(state, generate(state, runtime), runtime)


def settled_answer(state: State, written: Update, runtime: Runtime[Deps]) -> Update:
    """What was written, checked sentence by sentence, with no further try."""
    last_try = replace(replace(state, **written), corrections=runtime.context.max_corrections)
    checked = check_answer(last_try, runtime)
    if checked["note"].outcome == Check.NOTHING:
        return not_found(replace(last_try, kept=()), runtime)
    return {**written, **checked}
