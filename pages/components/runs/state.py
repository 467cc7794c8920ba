"""State of the Runs page: the opened runs in the address, those marked for comparison in the session."""

import streamlit as st

RUN, OTHER = "run", "with"
_MARKED = "runs-marked"


def opened_runs() -> list[str]:
    """Ids of the opened run and of the one that it is compared with, if there are any."""
    return [run_id for name in (RUN, OTHER) if (run_id := st.query_params.get(name, ""))]


def open_run(run_id: str, other: str = "") -> None:
    st.query_params[RUN] = run_id
    if other:
        st.query_params[OTHER] = other
    else:
        st.query_params.pop(OTHER, None)


def close_run() -> None:
    for name in (RUN, OTHER):
        st.query_params.pop(name, None)


def marked() -> tuple[str, ...]:
    """Ids of the runs to compare, at most two, in the order in which they were marked."""
    return tuple(st.session_state.get(_MARKED, ()))


def toggle_mark(run_id: str) -> None:
    """Mark a run or remove its mark; a third one replaces the first."""
    others = tuple(one for one in marked() if one != run_id)
    st.session_state[_MARKED] = others if run_id in marked() else (*others, run_id)[-2:]


def clear_marks() -> None:
    st.session_state.pop(_MARKED, None)
