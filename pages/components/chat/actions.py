"""Handlers of clicks in a conversation. Values come from the browser and are validated here."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from core.memory.model import MemoryStatus
from core.platform.texts import LANGUAGES
from core.runs.branches import Branches
from core.runs.execution.consent import Consent
from core.runs.history.touched_entities import asked_about, touched_entities
from core.runs.model import MAX_COMMENT, MAX_QUESTION, Complaint, Feedback, Length, Run, RunOptions, RunRequest, Verdict
from pages.components.chat.bundle import offer_bundle
from pages.components.chat.saved import keep_question
from pages.components.chat.scope import limited_to, scope_of, scope_within, scoped, standing, unnamed
from pages.components.chat.state import choices, choose_scope, open_thread, request_for, show_run
from pages.components.chat.workflow_choices import engine_names, workflow_names
from pages.components.documents.bases import open_document
from pages.components.graph.state import ENTITY, ENTITY_TABLE, MAX_LINKED
from pages.components.memory.state import accept, delete, reject, restore_replaced, supersede, undo
from pages.components.run.change_form import continuation
from pages.components.run.live_html import Action
from pages.components.run.offered_html import can_undo, named_memories, older_memory, told_memories, waiting_memories
from pages.components.run.run_views import view_of
from pages.components.run.turn_actions import refused_passages
from pages.components.shell.language import t
from pages.components.shell.services import services

MAX_ENTITIES = 60
MAX_TITLE = 80
MAX_INSISTED = 5
MAX_TYPE = 80
MAX_ID = 80
LOOKS = ("document", "graph", "step", "names", ENTITY, "settings", "memories")
"""Clicks that open the evidence of a run elsewhere and do not ask again."""


def act(run: Run, action: Action) -> None:
    """Handle a click; does not return if it opens another page or asks a question. Unknown events are ignored."""
    if handle := _HANDLERS.get(action.event):
        handle(run, action.value)


def ask(question: str, base_id: str, workflow: str = "", options: RunOptions | None = None) -> None:
    """Start the run and show its conversation; raises AppError when it cannot start."""
    begin(request_for(question, base_id, workflow, options))
    st.rerun()


def _ask_in_place_of(run: Run, **changes: object) -> None:
    """Ask the question of the run again with changes; the new answer is another version of it."""
    asked = request_for(run.question, run.base_id, run.workflow, still_possible(run.options))
    begin(replace(asked, after=run.parent_id, **changes))  # type: ignore[arg-type]
    st.rerun()


def begin(request: RunRequest) -> None:
    """Start the run; the page shows its conversation, and what it is limited to, when it is drawn next."""
    opened = services()
    scope = standing(scope_within(request.base_id, request.options))
    run_id = opened.worker.start(replace(request, options=limited_to(scope, request.options)))
    if scope != choices().scope.within(request.base_id):
        choose_scope(scope)
    open_thread(opened.runs.get(run_id).thread_id)


def still_possible(options: RunOptions) -> RunOptions:
    """Options without an engine that is no longer configured."""
    return options if options.engine in engine_names() else replace(options, engine="")


def _afresh(options: RunOptions) -> RunOptions:
    """Options for a new start, without the results of an earlier run."""
    return replace(still_possible(options), continues=None)


def _as_asked(options: RunOptions) -> RunOptions:
    """Options without the form that was chosen for an earlier answer."""
    return replace(options, length=None, language="")


def _ask_again(run: Run, _value: str) -> None:
    services().llm.resume()
    _ask_in_place_of(run)


def _ask_otherwise(run: Run, value: str) -> None:
    kind, _, name = value.partition(":")
    if kind == "workflow" and name in workflow_names():
        _ask_in_place_of(run, workflow=name, options=_as_asked(_afresh(run.options)))
    elif kind == "engine" and name in engine_names():
        engine = "" if name == services().llm.engine else name
        _ask_in_place_of(run, options=replace(_as_asked(run.options), engine=engine))
    elif kind == "length" and name in set(Length):
        _ask_in_place_of(run, options=replace(_afresh(run.options), length=Length(name)))
    elif kind == "language" and name in LANGUAGES:
        _ask_in_place_of(run, options=replace(_afresh(run.options), language=name))


def _ask_edited(run: Run, value: str) -> None:
    """Ask the edited question with the current choices and its mentions, not in the last answer's form."""
    question = str(_fields(value).get("question", "")).strip()
    if 0 < len(question) <= MAX_QUESTION:
        asked = request_for(question, run.base_id)
        limited = scoped(question, run.base_id, unnamed(scope_of(run), run.question))
        begin(replace(asked, after=run.parent_id, options=replace(limited, engine=asked.options.engine)))
        st.rerun()


def _insist(run: Run, chunk_id: str) -> None:
    """Ask again with a passage that was rejected; the answer is another version of the first one."""
    if chunk_id in {passage.chunk_id for passage in refused_passages(view_of(run))}:
        insisted = (*run.options.insisted, chunk_id)[-MAX_INSISTED:]
        _ask_in_place_of(run, options=replace(_afresh(run.options), insisted=insisted))


def _leave_out(run: Run, memory_id: str) -> None:
    """Ask again without a memory that was recalled; the answer is another version of the first one."""
    if memory_id in dict(view_of(run).memories):
        without = (*run.options.without_memories, memory_id)
        _ask_in_place_of(run, options=replace(_afresh(run.options), without_memories=without))


def _settle(settle: Callable[..., None], run: Run, memory_id: str) -> None:
    """Accept or decline what the run offered, of which the memory is one; does nothing once that was done."""
    waiting = waiting_memories(view_of(run))
    if memory_id in {memory.id for memory in waiting}:
        settle(services().memories, *waiting)
    st.rerun()


def _accept_instead(run: Run, older_id: str) -> None:
    """Keep what the run saved, one in place of an older memory; does nothing once that was done."""
    store, found = services().memories, older_memory(view_of(run))
    if found and found[1].id == older_id:
        accept(store, *waiting_memories(view_of(run)))
        if store.get(found[0].id).status is MemoryStatus.ACTIVE:
            supersede(store, found[1], found[0])
    st.rerun()


def _restore(run: Run, _value: str) -> None:
    """Put back in force what the memories of the run replaced."""
    for memory in told_memories(view_of(run)):
        restore_replaced(services().memories, memory)
    st.rerun()


def _forget(run: Run, _value: str) -> None:
    """Delete the memories that the answer names; does nothing once that was done."""
    if named := named_memories(view_of(run)):
        delete(services().memories, *named)
    st.rerun()


def _undo_forgetting(run: Run, _value: str) -> None:
    if can_undo(view_of(run)):
        undo(services().memories)
    st.rerun()


def _continue(run: Run, value: str) -> None:
    """Continue from a step with the reader's changes; the answer is another version of the first one."""
    given = _fields(value)
    if wanted := continuation(run.id, view_of(run), given):
        _ask_in_place_of(run, options=replace(still_possible(run.options), continues=wanted))


def _ask_suggested(run: Run, question: str) -> None:
    if 0 < len(question) <= MAX_QUESTION:
        ask(question, run.base_id)


def _show_version(run: Run, run_id: str) -> None:
    branches = Branches(services().runs.of_thread(run.thread_id))
    if chosen := branches.run(run_id):
        services().threads.show(run.thread_id, branches.leaf_below(chosen).id)
        show_run("")
        st.rerun()


def _fork(run: Run, _value: str) -> None:
    threads = services().threads
    title = t("chat.threads.forked", title=threads.get(run.thread_id).title)
    open_thread(threads.fork(run.thread_id, run.id, title[:MAX_TITLE]).id)
    st.rerun()


def _judge(verdict: Verdict, run: Run, _value: str) -> None:
    """Keep a verdict; the same one again removes it."""
    store = services().storage.records.feedback
    given = store.of_thread(run.thread_id).get(run.id)
    if given and given.verdict is verdict:
        store.withdraw(run.id)
    else:
        store.give(Feedback(run.id, verdict))
    st.rerun()


def _complain(run: Run, value: str) -> None:
    fields = _fields(value)
    complaint, comment = fields.get("complaint"), " ".join(str(fields.get("comment", "")).split())[:MAX_COMMENT]
    if complaint in set(Complaint):
        services().storage.records.feedback.give(Feedback(run.id, Verdict.DOWN, Complaint(str(complaint)), comment))
        st.rerun()


def _keep_question(run: Run, _value: str) -> None:
    keep_question(run.question)
    st.toast(t("chat.saved.kept"), icon=":material/bookmark:")
    st.rerun()


def _consent(run: Run, answer: str) -> None:
    if answer in set(Consent) - {Consent.UNANSWERED}:
        services().worker.answer(run.id, Consent(answer))


def _show_run(run: Run, _value: str) -> None:
    show_run(run.id)
    st.rerun()


def _open_document(_run: Run, value: str) -> None:
    fields = _fields(value)
    document, page, chunk = fields.get("document"), fields.get("page"), fields.get("chunk")
    if isinstance(document, str) and isinstance(page, int) and isinstance(chunk, str):
        open_document(document, page, chunk)


def _open_graph_of_chunk(_run: Run, value: str) -> None:
    chunk = _fields(value).get("chunk")
    entities = services().graph.of_chunks([chunk]).get(chunk, []) if isinstance(chunk, str) else []
    _open_graph([entity.id for entity in entities])


def _open_graph_of_step(run: Run, value: str) -> None:
    """Open the entities that the step used, or those of the question if it used none."""
    view, graph, number = view_of(run), services().graph, _number(value)
    if not 0 <= number < len(view.steps):
        return
    of_steps = touched_entities(view.steps, graph)
    if of_steps[number]:
        _open_graph(of_steps[number], run.id, sum(map(bool, of_steps[: number + 1])))
    else:
        # Without the run: none of its steps looked at just these, and the slider over them would say so.
        _open_graph(asked_about(view, run.base_id, graph, MAX_ENTITIES))


def _open_graph(entity_ids: Sequence[str], run_id: str = "", step: int = 0) -> None:
    """Open entities of the run; step: number of a step that used some, from 1."""
    listed = {"entities": ",".join(entity_ids[:MAX_LINKED]), "run": run_id, "step": str(step or "")}
    _open("graph", **{name: value for name, value in listed.items() if value and entity_ids})


def _open(page: str, **query: str) -> None:
    st.switch_page(f"pages/{page}.py", query_params=query)


def _fields(value: str) -> dict[str, object]:
    read = _json(value)
    return read if isinstance(read, dict) else {}


def _number(value: str) -> int:
    read = _json(value)
    return read if isinstance(read, int) else -1


def _json(value: str) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return None


_HANDLERS: dict[str, Callable[[Run, str], None]] = {
    "again": _ask_again,
    "retry": _ask_otherwise,
    "ask": _ask_suggested,
    "edit": _ask_edited,
    "show": _show_version,
    "fork": _fork,
    "bundle": lambda run, _: st.dialog(t("chat.bundle.title"))(offer_bundle)(run),
    "keep": _keep_question,
    "insist": _insist,
    "continue": _continue,
    "without": _leave_out,
    "remember": partial(_settle, accept),
    "instead": _accept_instead,
    "decline": partial(_settle, reject),
    "restore": _restore,
    "forget": _forget,
    "unforget": _undo_forgetting,
    "up": partial(_judge, Verdict.UP),
    "down": partial(_judge, Verdict.DOWN),
    "complain": _complain,
    "consent": _consent,
    "settings": lambda _run, _: _open("settings"),
    "memories": lambda _run, _: _open("memory"),
    "run": _show_run,
    "document": _open_document,
    "graph": _open_graph_of_chunk,
    "step": _open_graph_of_step,
    "names": lambda _run, type_name: _open("graph", types=type_name[:MAX_TYPE], view=ENTITY_TABLE),
    ENTITY: lambda _run, entity_id: _open("graph", **{ENTITY: entity_id[:MAX_ID]}),
}
"""Handlers by event, called with the run whose answer was clicked and the event's value."""
