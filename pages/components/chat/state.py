"""State of the chat page in the session: open thread, shown run and choices; the thread is also in the address."""

from dataclasses import dataclass, field, replace

import streamlit as st

from core.runs.model import RunOptions, RunRequest
from pages.components.chat.scope import ChatScope, scoped, standing
from pages.components.chat.workflow_choices import engine_names, workflow_names
from pages.components.run.live_html import Action
from pages.components.shell.language import language
from pages.components.shell.services import services

THREAD, RUN = "thread", "run"
DEFAULT_WORKFLOW = "adaptive"
REFUSED = "chat-refused"
_CHOICES = "chat-choices"
_THREAD = "chat-thread"
_BEGUN = "chat-begun"
_DELETED = "chat-deleted"
_TAKEN_ALONG = "chat-deleted-memories"
_SCOPED = "chat-scoped"
_CLICKS = "chat-clicks"


@dataclass(frozen=True, slots=True)
class Choices:
    """Options of the next question."""

    workflow: str = DEFAULT_WORKFLOW
    use_memory: bool = True
    use_web: bool = False
    engine: str = ""
    """Empty for the model of the settings."""
    scope: ChatScope = field(default_factory=ChatScope)


def thread_id() -> str:
    """Id of the conversation in the address, else of the last open one; empty for a new one."""
    return str(st.query_params.get(THREAD, "") or st.session_state.get(_THREAD, ""))


def keep_thread() -> None:
    """Put the thread into the address, so that reloads and links from other pages open it."""
    st.session_state[_THREAD] = thread_id()
    if thread_id() and THREAD not in st.query_params:
        st.query_params[THREAD] = thread_id()


def open_thread(identifier: str) -> None:
    """Open a conversation; an empty id opens a new one. Why a question was refused is no longer shown."""
    st.session_state.pop(REFUSED, None)
    st.session_state[_THREAD] = identifier
    if identifier:
        st.query_params[THREAD] = identifier
    else:
        st.query_params.pop(THREAD, None)
    show_run("")


def begin_thread() -> None:
    """Begin a new conversation with the focus in the question field."""
    open_thread("")
    choose_scope(ChatScope())
    st.session_state[_BEGUN] = st.session_state.get(_BEGUN, 0) + 1


def begun() -> int:
    """Number of conversations begun in this session."""
    return int(st.session_state.get(_BEGUN, 0))


def shown_run_id() -> str:
    """Id of the run shown next to the conversation; empty for the newest."""
    return str(st.query_params.get(RUN, ""))


def show_run(identifier: str) -> None:
    if identifier:
        st.query_params[RUN] = identifier
    else:
        st.query_params.pop(RUN, None)


def choices() -> Choices:
    """Choices of this session; a new session begins with the last ones."""
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
    """Set the scope from outside its picker, which is recreated because browsers keep its choice."""
    choose(scope=scope)
    st.session_state[_SCOPED] = scope_turn() + 1


def standing_scope(base_id: str) -> ChatScope:
    """The chosen scope; what no longer exists is dropped from it."""
    held = choices().scope.within(base_id)
    left = standing(held)
    if left != held:
        choose_scope(left)
    return left


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
    """Delete a thread, which can be restored, and open a new conversation."""
    store = services().memories
    known = len(store.find())
    services().threads.put_away(identifier)
    st.session_state[_TAKEN_ALONG] = known - len(store.find())
    st.session_state[_DELETED] = [*deleted_threads(), identifier]
    open_thread("")


def taken_along() -> int:
    """How many conclusions and proposals went with the thread deleted last."""
    return int(st.session_state.get(_TAKEN_ALONG, 0))


def deleted_threads() -> list[str]:
    """Ids of threads deleted in this session that can be restored, oldest first."""
    return list(st.session_state.get(_DELETED, []))


def restore_thread() -> None:
    """Restore the thread deleted last; a second click may come when there is none left."""
    if not deleted_threads():
        return
    *rest, identifier = deleted_threads()
    services().threads.restore(identifier)
    st.session_state[_DELETED] = rest
    open_thread(identifier)


def request_for(question: str, base_id: str, workflow: str = "", options: RunOptions | None = None) -> RunRequest:
    """Request for the question with the current choices; workflow and options override them for this question."""
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


def note_click(run_id: str, action: Action) -> None:
    """Keep a click in a conversation until the page handles it."""
    st.session_state.setdefault(_CLICKS, []).append((run_id, action))


def next_click() -> tuple[str, Action] | None:
    """Take the oldest click that was not handled yet, with the id of its run."""
    clicks: list[tuple[str, Action]] = st.session_state.get(_CLICKS, [])
    return clicks.pop(0) if clicks else None
