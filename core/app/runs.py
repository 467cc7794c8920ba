"""Answering: what a run may use, and the threads that run it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from core.agents.state import Deps
from core.agents.workflows.registry import workflow_named
from core.app.lazy import Area, configured, lazy
from core.app.models import Models, is_small_model
from core.app.search import SearchParts
from core.app.storage import Storage
from core.documents.lifecycle.pending_uploads import Attachments, PendingUploads
from core.documents.pipeline.work_files import AnswerFiles
from core.graph.network.community_summary import CommunitySummaries
from core.memory.model import Found, Memory, Scope
from core.memory.ports import MemoryStore
from core.models.meter import Cancel, Uncancelled
from core.models.ports import BUILT_IN
from core.people.daily_quota import DAY, free_again
from core.platform.clock import utc_now
from core.platform.errors import BudgetError
from core.platform.identity import SYSTEM, Person, acting, acting_as
from core.platform.processes.leases import ProcessLease, SqlLease
from core.platform.processes.ports import Kind, Lease
from core.runs.evaluation.written_questions import ListMaker, Source
from core.runs.events import SEARCH_UNFINISHED, BudgetSet, Degraded, Event
from core.runs.execution.active_runs import RunControl
from core.runs.execution.budget import Budget, RunMeter
from core.runs.execution.consent import ConsentingWebSearch, agreed, asked, of_thread
from core.runs.execution.preferred_forms import preferred_forms
from core.runs.execution.titles import title_found
from core.runs.model import AttachedFile, Attachment, Run, RunOptions, RunRequest
from core.search.ports import Retriever, WebSearch
from core.search.retrieval.question_retrievers import JoinedRetriever, ScopedRetriever

if TYPE_CHECKING:
    from core.runs.evaluation.evaluator import Evaluator
    from core.runs.execution.follow_ups import Suggestions
    from core.runs.execution.worker import RunWorker
    from core.runs.history.langfuse_export import LangfuseExport
    from core.runs.history.view import RunView


TITLE_SECONDS = 20.0
"""Time for a model to write a title; after that the conversation keeps its title."""

SUMMARY_SECONDS = 60.0
"""Time for a model to summarise a community, while its reader waits."""


class Runs(Area):
    def __init__(self, models: Models, storage: Storage, search: SearchParts) -> None:
        super().__init__(models.configuration)
        self._models = models
        self._storage = storage
        self._search = search

    @lazy
    def worker(self) -> "RunWorker":
        from core.runs.execution.worker import Hooks, RunWorker

        engine, storage = (lambda wanted: self._models.llm_named(wanted).engine), self._storage
        observe = self._observe if self.langfuse_configured else None
        allow = self._allow if storage.shared else None
        asker = self._asker if self._goes_on else None
        hooks = Hooks(observe, self._follow_ups, self._entitle, allow, asker, storage.serves, self._attachments)
        worker = RunWorker(self._deps, engine, storage.runs, storage.threads, self._owner(), hooks)
        if self._goes_on or not self.settings.is_shared:
            with acting_as(SYSTEM):
                worker.recover()
        return worker

    @lazy
    def _attached_files(self) -> Attachments:
        library = self._storage.library
        return Attachments(library.documents, library.ingest_records, PendingUploads(self.settings.data / "held"))

    def _attachments(self, base_id: str, files: Sequence[AttachedFile]) -> tuple[Attachment, ...]:
        return self._attached_files.look(base_id, files)

    @property
    def _goes_on(self) -> bool:
        """Whether this process answers what others have left."""
        return self.settings.is_shared and self._storage.serves

    def _asker(self, run: Run) -> Person | None:
        return self._storage.access.people.asked(run.id) if self._storage.shared else SYSTEM

    @property
    def is_closing(self) -> bool:
        """Whether questions are not taken any more."""
        return self.made("worker") and self.worker.is_closing

    def drain(self) -> None:
        """Lets the questions under way be answered, for a time, and takes no others."""
        if self.made("worker"):
            with acting_as(SYSTEM):
                self.worker.drain(self.settings.drain_seconds)

    def _owner(self) -> Lease:
        """This process, by a file where one folder is all there is, else by its lease in the database."""
        if self.settings.is_shared:
            kind: Kind = "app" if self._storage.serves else "command"
            return SqlLease(self._storage.engine, kind, self.settings.lease_seconds, self._settle_left_runs)
        return ProcessLease(self.settings.data / "workers")

    def _settle_left_runs(self) -> None:
        """Runs of processes that have died meanwhile."""
        if self._goes_on and self.made("worker"):
            with acting_as(SYSTEM):
                self.worker.recover()

    @lazy
    def evaluator(self) -> "Evaluator":
        from core.runs.evaluation.evaluator import Evaluator

        storage = self._storage
        return Evaluator(storage.records.evaluations, self.worker, storage.runs, storage.threads)

    @lazy
    def list_maker(self) -> ListMaker:
        return ListMaker(self._storage.records.evaluations)

    @property
    def community_summaries(self) -> CommunitySummaries:
        """Summaries by the current model."""
        return CommunitySummaries(self._models.llm, AnswerFiles(self.settings.data / "cache" / "communities"))

    def summary_meter(self) -> RunMeter:
        """A meter for one summary."""
        return RunMeter(Budget(max_calls=1, max_seconds=SUMMARY_SECONDS), lambda _: None, Uncancelled())

    @property
    def question_source(self) -> Source:
        """What lists of questions are made from, and the engine that writes them now."""
        return Source(self._storage.graph, self._storage.library.passages, self._models.llm)

    @lazy
    def langfuse(self) -> "LangfuseExport | None":
        """None unless both of its keys are set."""
        if not self.langfuse_configured:
            return None
        from core.runs.history.langfuse_export import LangfuseExport

        public, secret = self.settings.langfuse_public_key, self.settings.langfuse_secret_key.get_secret_value()
        return LangfuseExport(public.strip(), secret.strip(), self.settings.langfuse_base_url)

    def deps_outside_runs(self, request: RunRequest) -> Deps:
        """Dependencies of a single call of a tool, whose events are dropped."""
        return self._deps(request, lambda _: None, RunControl())

    @property
    def langfuse_configured(self) -> bool:
        settings = self.settings
        return bool(settings.langfuse_public_key.strip() and settings.langfuse_secret_key.get_secret_value().strip())

    @property
    def web_configured(self) -> bool:
        return bool(self.settings.tavily_api_key.get_secret_value().strip())

    def close(self) -> None:
        if self.made("evaluator"):
            self.evaluator.close()
        if self.made("list_maker"):
            self.list_maker.close()
        if self.made("worker"):
            self.worker.close()
        if self.made("langfuse") and self.langfuse:
            self.langfuse.close()

    @configured
    def _web(self) -> WebSearch | None:
        """None without a key: a question never goes to the service by accident."""
        from core.search.tavily_search import TavilySearch

        key = self.settings.tavily_api_key.get_secret_value()
        return TavilySearch(key, self.settings.tavily_base_url) if self.web_configured else None

    @property
    def has_daily_limit(self) -> bool:
        """Whether the acting person has a day's share, of questions or of tokens."""
        settings = self.settings
        is_limited = bool(settings.person_questions_per_day or settings.person_tokens_per_day)
        return self._storage.shared and is_limited and acting() not in (None, SYSTEM)

    def _allow(self) -> None:
        """Raises BudgetError for a person who has used up a day's share."""
        person, settings = acting(), self.settings
        if person is None or not self.has_daily_limit:
            return
        questions, tokens = settings.person_questions_per_day, settings.person_tokens_per_day
        spent = self._storage.access.people.spent(person.id, utc_now() - DAY)
        for name, limit, each in (
            ("people.budget.questions", questions, [(at, 1) for at, _ in spent]),
            ("people.budget.tokens", tokens, spent),
        ):
            if again := free_again(each, limit):
                raise BudgetError(name, limit=limit, when=f"{again:%Y-%m-%d %H:%M} UTC")

    def _observe(self, run: Run, event: Event) -> None:
        if self.langfuse:
            self.langfuse.observe(run, event)

    def _follow_ups(self, run: Run, view: "RunView") -> tuple[str, ...]:
        return self._suggestions.next_after(view, run.base_id)

    def first_questions(self, base_id: str, interface: str) -> tuple[str, ...]:
        """Suggested where nothing was asked yet; interface: its language, whose question comes first."""
        return self._suggestions.first(base_id, interface)

    @property
    def _suggestions(self) -> "Suggestions":
        from core.runs.execution.follow_ups import Suggestions

        passages = self._storage.library.passages
        encoders = self._models.encoder, self._models.cross_encoder
        return Suggestions(self._storage.graph, self._search.retriever, passages, *encoders)

    def _entitle(self, run: Run, view: "RunView", emit: Callable[[Event], None], cancel: Cancel) -> str:
        """The name of its conversation."""
        answer = view.answer if view.citations else ""
        meter = RunMeter(Budget(max_calls=1, max_seconds=TITLE_SECONDS), emit, cancel)
        llm = self._models.llm_named(run.options.engine)
        return title_found(run.question, answer, run.base_id, self._storage.graph, llm, meter)

    def _web_of(
        self, request: RunRequest, emit: Callable[[Event], None], meter: RunMeter, control: RunControl
    ) -> WebSearch | None:
        """None where the question may not leave; one that asks first where the settings say so."""
        if not request.use_web or self._web is None:
            return None
        from core.search.tavily_search import outgoing_query

        own = (request.question, *self._earlier_questions(request))
        if request.web_agreed or not self.settings.web_ask_first:
            return ConsentingWebSearch(self._web, agreed, emit, own, outgoing_query)
        ask = partial(asked, answer=control.answer, emit=emit, meter=meter, cancel=control)
        decide = partial(of_thread, thread_id=request.thread_id, threads=self._storage.threads, ask=ask)
        return ConsentingWebSearch(self._web, decide, emit, own, outgoing_query)

    def _earlier_questions(self, request: RunRequest) -> list[str]:
        """Earlier questions of the conversation, as many as the workflow sees."""
        turns = self._storage.threads.history(request.thread_id, workflow_named(request.workflow).history_turns)
        return [turn.text for turn in turns if turn.role == "user"]

    def _retriever_of(self, request: RunRequest, emit: Callable[[Event], None]) -> Retriever:
        options, unfinished = request.options, Degraded("retrieve", SEARCH_UNFINISHED)
        retriever: Retriever = self._search.retriever.of_one_question(partial(emit, unfinished))
        if options.bases:
            retriever = JoinedRetriever(retriever, (request.base_id, *options.bases))
        if options.is_limited or options.insisted or options.continues:
            retriever = ScopedRetriever(retriever, self._storage.graph, options)
        return retriever

    def _memories_of(self, options: RunOptions) -> MemoryStore:
        store = self._storage.memories
        hidden = frozenset(options.without_memories)
        return cast("MemoryStore", _FilteredStore(store, hidden)) if hidden else store

    def _deps(self, request: RunRequest, emit: Callable[[Event], None], control: RunControl) -> Deps:
        self.configuration.refresh()
        limits, library = self.settings, self._storage.library
        budget = Budget(limits.max_model_calls, limits.max_tokens, limits.max_seconds, limits.max_tool_calls)
        emit(BudgetSet(budget.max_calls, budget.max_tokens, budget.max_seconds, budget.max_tool_calls))
        meter = RunMeter(budget, emit, control)
        memories = self._memories_of(request.options)
        preferred = preferred_forms(request, memories, self._models.answer_forms)
        llm = self._models.llm_named(request.options.engine)
        return Deps(
            llm=llm,
            rules=None if llm.engine == BUILT_IN else self._models.llm_named(BUILT_IN),
            small_model=is_small_model(llm),
            retriever=self._retriever_of(request, emit),
            bases=library.bases,
            documents=library.documents,
            passages=library.passages,
            graph=self._storage.graph,
            memories=memories,
            meter=meter,
            intents=self._models.intents,
            graph_questions=self._models.graph_questions,
            encoder=self._models.encoder,
            cross_encoder=self._models.cross_encoder,
            emit=emit,
            web=self._web_of(request, emit, meter, control),
            preferred=preferred,
            meanings=self._models.meanings,
            length=request.options.length or next((one.form.length for one in preferred if one.form.length), None),
            units=next((one.form.units for one in preferred if one.form.units), None),
            max_corrections=limits.max_corrections,
            max_tool_rounds=limits.max_tool_rounds,
            sensitive_terms=limits.sensitive_terms,
        )


class _FilteredStore:
    """The memories for one question: those with these ids are no candidates, everything else is unchanged."""

    def __init__(self, store: MemoryStore, left_out: frozenset[str]) -> None:
        self._store = store
        self._left_out = left_out

    def active(self, scope: Scope) -> list[Memory]:
        return [memory for memory in self._store.active(scope) if memory.id not in self._left_out]

    def search(self, query: str, scope: Scope | None = None) -> list[Found]:
        return [found for found in self._store.search(query, scope) if found.memory.id not in self._left_out]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
