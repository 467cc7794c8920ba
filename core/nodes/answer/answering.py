"""An answer from the evidence that is written once and checked, for systems without corrections."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.nodes.answer.generate import generate
from core.nodes.answer.not_found import not_found
from core.nodes.check.check_answer import CheckOutcome, checked
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def answer_from_evidence(state: State, runtime: Runtime[Deps]) -> Update:
    """Sentence by sentence checked; where nothing answers, it says so and shows what comes closest."""
    return settled_answer(state, generate(state, runtime), runtime)


def settled_answer(state: State, written: Update, runtime: Runtime[Deps]) -> Update:
    """What was written, checked sentence by sentence, with no further try."""
    search = replace(state.search, corrections=runtime.context.max_corrections)
    last_try = replace(replace(state, **written), search=search)
    update = checked(last_try, runtime.context)
    if update["note"].outcome == CheckOutcome.NOTHING:
        return not_found(replace(last_try, search=replace(search, kept=())), runtime)
    return {**written, **update}
