"""Writes an answer from the evidence and checks it once, for workflows without corrections."""

from dataclasses import replace

from core.agents.nodes.answer.generate import generate
from core.agents.nodes.answer.not_found import not_found
from core.agents.nodes.check.check_answer import CheckOutcome, checked
from core.agents.state import NodeRuntime, State, Update


def answer_from_evidence(state: State, runtime: NodeRuntime) -> Update:
    """Writes and checks the answer sentence by sentence; without one, shows the closest passages."""
    return settled_answer(state, generate(state, runtime), runtime)


def settled_answer(state: State, written: Update, runtime: NodeRuntime) -> Update:
    """Checks an already written answer sentence by sentence, without another attempt."""
    search = replace(state.search, corrections=runtime.context.max_corrections)
    last_try = replace(replace(state, **written), search=search)
    update = checked(last_try, runtime.context)
    if update["note"].outcome == CheckOutcome.NOTHING:
        return not_found(replace(last_try, search=replace(search, kept=())), runtime)
    return {**written, **update}
