"""State of the chat page in the session: open thread, shown run and choices; the thread is also in the address."""

from dataclasses import dataclass, field, replace

import streamlit as st

from core.runs.model import RunOptions, RunRequest
from pages.components.chat.scope import ChatScope, scoped
from pages.components.chat.workflow_choices import engine_names, workflow_names
from pages.components.shell.language import language
from pages.components.shell.services import services

THREAD, RUN = "thread", "run"
DEFAULT_WORKFLOW = "adaptive"
_CHOICES = "chat-choices"
_THREAD = "chat-thread"
_BEGUN = "chat-begun"
_DELETED = "chat-deleted"
_SCOPED = "chat-scoped"


@dataclass(frozen=True, slots=True)
class Choices:
    """How the next question is asked."""

    workflow: str = DEFAULT_WORKFLOW
    use_memory: bool = True
    use_web: bool = False
    engine: str = ""
    """Empty for the model of the settings."""
    scope: ChatScope = field(default_factory=ChatScope)


def thread_id() -> str:
    """The open conversation: the address names it, or it was open before another page was; empty for a new one."""
    return str(st.query_params.get(THREAD, "") or st.session_state.get(_THREAD, ""))


def keep_thread() -> None:
    """Puts the thread into the address, so that reloads and links from other pages lead to it."""
    st.session_state[_THREAD] = thread_id()
    if thread_id() and THREAD not in st.query_params:
        st.query_params[THREAD] = thread_id()


def open_thread(identifier: str) -> None:
    """An empty id opens a new conversation."""
    st.session_state[_THREAD] = identifier
    if identifier:
        st.query_params[THREAD] = identifier
    else:
        st.query_params.pop(THREAD, None)
    show_run("")


def begin_thread() -> None:
    """Begins a new conversation with the focus in the question field."""
    open_thread("")
    choose_scope(ChatScope())
    st.session_state[_BEGUN] = st.session_state.get(_BEGUN, 0) + 1


def begun() -> int:
    """Number of conversations begun in this session."""
    return int(st.session_state.get(_BEGUN, 0))


def shown_run_id() -> str:
    """The run beside the conversation; empty for the newest."""
    return str(st.query_params.get(RUN, ""))


def show_run(identifier: str) -> None:
    if identifier:
        st.query_params[RUN] = identifier
    else:
        st.query_params.pop(RUN, None)


def choices() -> Choices:
    """Those of this session; in a new one what was chosen last."""
    if _CHOICES not in st.session_state:
        st.session_state[_CHOICES] = _remembered()
    chosen: Choices = st.session_state[_CHOICES]
    return chosen


def choose(**changes: object) -> None:
    chosen = replace(choices(), **changes)  # type: ignore[arg-type]
    st.session_state[_CHOICES] = chosen
    lasting = {name: getattr(chosen, name) for name in ("workflow", "use_memory", "use_web", "engine")}
    if changes.keys() & lasting.keys():
        services().storage.access.preferences.keep(_CHOICES, lasting)


def choose_scope(scope: ChatScope) -> None:
    """Elsewhere than in its picker, which is drawn anew: in the browser a closed one keeps what was chosen in it."""
    choose(scope=scope)
    st.session_state[_SCOPED] = scope_turn() + 1


def scope_turn() -> int:
    return int(st.session_state.get(_SCOPED, 0))


def _remembered() -> Choices:
    kept = services().storage.access.preferences.all().get(_CHOICES)
    if not isinstance(kept, dict) or kept.get("workflow") not in workflow_names():
        return Choices()
    engine = kept.get("engine")
    return Choices(
        kept["workflow"],
        kept.get("use_memory") is not False,
        kept.get("use_web") is True,
        engine if engine in engine_names() else "",
    )


def delete_thread(identifier: str) -> None:
    """Opens a new conversation; the deleted one can come back."""
    services().threads.put_away(identifier)
    st.session_state[_DELETED] = [*deleted_threads(), identifier]
    open_thread("")


def deleted_threads() -> list[str]:
    """Ids of those deleted in this session that can still come back, oldest first."""
    return list(st.session_state.get(_DELETED, []))


def restore_thread() -> None:
    """The one deleted last."""
    *rest, identifier = deleted_threads()
    services().threads.restore(identifier)
    st.session_state[_DELETED] = rest
    open_thread(identifier)


def request_for(question: str, base_id: str, workflow: str = "", options: RunOptions | None = None) -> RunRequest:
    """The question as it is asked now; another workflow and other options are for this question alone."""
    chosen = choices()
    if options is None:
        engine = chosen.engine if chosen.engine in engine_names() else ""
        options = replace(scoped(question, base_id, chosen.scope), engine=engine)
    return RunRequest(
        question=question,
        base_id=base_id,
        workflow=workflow or chosen.workflow,
        thread_id=thread_id(),
        use_memory=chosen.use_memory,
        use_web=chosen.use_web,
        interface_language=language(),
        options=options,
    )
