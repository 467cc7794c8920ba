"""Replies to completions: a run of a workflow, a structured answer, or a chore of the chat program."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from uuid import uuid4

from core.app.services import Services
from core.interfaces.http.asking import QuestionIn, answered, base_named, request_of
from core.interfaces.http.openai.answer_text import (
    LimitedText,
    StreamedText,
    footnotes,
    without_footnotes,
    without_pictures,
)
from core.interfaces.http.openai.chat_shapes import (
    MAX_STOPS,
    Completion,
    CompletionUsage,
    Extension,
    FinishReason,
    Message,
)
from core.interfaces.http.openai.chores import answered_from, attached_in, chore_in, done, without_markers
from core.interfaces.http.openai.forms import Form, check_form, filled, form_of
from core.interfaces.http.openai.models import fitting_base, workflow_and_base
from core.interfaces.http.openai.writing import Written
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.streams import ended_run, read_events
from core.interfaces.http.waiting import in_own_thread
from core.models.tokens import estimate_tokens
from core.people.api_keys import ApiKey
from core.runs.events import Event
from core.runs.history.view import fold
from core.runs.model import MAX_QUESTION, Run, RunStatus, Turn, Usage


@dataclass(frozen=True, slots=True)
class Asked:
    """A completion in progress."""

    services: Services
    completion: Completion
    origin: str
    """Scheme and host of the pages."""
    form: Form | None = None
    written: Written | None = None
    """Reply to a prompt that is not a question for the documents."""
    run_id: str = ""
    created: int = field(default_factory=lambda: int(time.time()))
    number: str = field(default_factory=lambda: uuid4().hex)

    @property
    def id(self) -> str:
        return self.run_id or self.number

    @property
    def is_live(self) -> bool:
        """Whether its text can be streamed while it is written."""
        return self.form is None and self.written is None


@dataclass(frozen=True, slots=True)
class MadeReply:
    text: str
    finish: FinishReason
    usage: CompletionUsage
    extension: Extension | None
    function: str = ""
    """Name of the function whose arguments the text is."""


def begun(services: Services, key: ApiKey, completion: Completion, origin: str) -> Asked:
    """Starts the work: the last message of the user is the question, earlier ones are history. Raises AppError."""
    _check(completion)
    workflow, base = workflow_and_base(services, completion.model)
    form = form_of(completion)
    last = _last(completion.messages)
    if form is None:
        if chore := chore_in(completion.messages):
            return Asked(services, completion, origin, written=done(services, chore))
        if (attached := attached_in(last)) and (written := answered_from(services, attached)).text:
            return Asked(services, completion, origin, written=written)
        question = attached.question if attached else without_markers(last.text)
    else:
        check_form(services, form)
        question = last.text
    if not question.strip():  # the message has markers of attachments alone, or an empty part
        raise RefusedRequest(400, "api.problem.no_question")
    if len(question) > MAX_QUESTION:
        raise RefusedRequest(400, "run.question_too_long", length=f"{len(question):,}", limit=f"{MAX_QUESTION:,}")
    run_id = _started(services, key, completion, workflow, base, question)
    return Asked(services, completion, origin, form, run_id=run_id)


async def whole(asked: Asked) -> MadeReply:
    """Raises AppError."""
    if asked.written:
        return _reply(asked, asked.written.text, asked.written.usage)
    run, events = await ended_run(asked.services, asked.run_id)
    if run.status is not RunStatus.DONE:
        raise _failed(run)
    extension = await asyncio.to_thread(_extension, asked.services, run, events)
    if asked.form:
        written = await in_own_thread(filled, asked.services, asked.form, run)
        return _reply(asked, written.text, run.usage + written.usage, extension)
    text = without_pictures(run.answer) + _notes(asked, run, events)
    return _reply(asked, text, run.usage, extension)


async def pieces(asked: Asked) -> AsyncGenerator[str | MadeReply]:
    """Yields pieces of text, then the whole reply. A reader who leaves stops the run. Raises AppError."""
    if not asked.is_live:
        reply = await whole(asked)
        yield reply.text
        yield reply
        return
    text, limited, received, said = StreamedText(), _limits(asked), list[Event](), list[str]()
    async with aclosing(read_events(asked.services, asked.run_id)) as events:
        async for _, event in events:
            received.append(event)
            if piece := limited.feed(text.pieces(event)):
                said.append(piece)
                yield piece
    run = await asyncio.to_thread(asked.services.runs.get, asked.run_id)
    if run.status is not RunStatus.DONE:
        raise _failed(run)
    if last := limited.feed(text.end() + _notes(asked, run, received)) + limited.end():
        said.append(last)
        yield last
    extension = await asyncio.to_thread(_extension, asked.services, run, received)
    finish: FinishReason = "length" if limited.is_cut else "stop"
    yield MadeReply("".join(said), finish, _usage(asked, "".join(said), run.usage), extension)


def _check(completion: Completion) -> None:
    """Raises RefusedRequest for parameters that would silently have no effect."""
    if completion.n not in (None, 1):
        raise RefusedRequest(400, "api.problem.one_answer")
    if isinstance(completion.stop, list) and len(completion.stop) > MAX_STOPS:
        raise RefusedRequest(400, "api.problem.stops", limit=MAX_STOPS)
    if not all(part.is_text for part in _last(completion.messages).parts):
        raise RefusedRequest(400, "api.problem.pictures")


def _last(messages: list[Message]) -> Message:
    """The last message. Raises RefusedRequest if it is not a question of the user."""
    said = [
        message for message in messages if message.role in ("user", "assistant") and (message.text or message.parts)
    ]
    if not said or said[-1].role != "user" or not (said[-1].text.strip() or said[-1].parts):
        raise RefusedRequest(400, "api.problem.no_question")
    return said[-1]


def _started(services: Services, key: ApiKey, completion: Completion, workflow: str, base: str, question: str) -> str:
    said = [message for message in completion.messages if message.role in ("user", "assistant") and message.text]
    history = tuple(Turn(message.role, without_footnotes(message.text)) for message in said[:-1])
    if wanted := completion.base or base:
        base_id = _base_of_model(services, wanted, completion)
    else:
        words = [turn.text for turn in history if turn.role == "user"][-1:]
        base_id = fitting_base(services, "\n".join([*words, question])[:MAX_QUESTION]).id
    asked = QuestionIn(question=question, base=base_id, workflow=workflow)
    return services.worker.start(request_of(services, key, asked, history))


def _base_of_model(services: Services, wanted: str, completion: Completion) -> str:
    try:
        return base_named(services, wanted).id
    except RefusedRequest as refusal:
        if completion.base:
            raise
        raise RefusedRequest(404, "api.problem.model", name=completion.model) from refusal


def _limits(asked: Asked) -> LimitedText:
    completion = asked.completion
    stops = [completion.stop] if isinstance(completion.stop, str) else completion.stop or []
    return LimitedText(completion.max_completion_tokens or completion.max_tokens, stops)


def _reply(asked: Asked, text: str, usage: Usage, extension: Extension | None = None) -> MadeReply:
    """The reply to a finished completion; JSON is not cut."""
    if asked.form:
        finish: FinishReason = "tool_calls" if asked.form.function else "stop"
        return MadeReply(text, finish, _usage(asked, text, usage), extension, asked.form.function)
    limited = _limits(asked)
    text = limited.feed(text) + limited.end()
    return MadeReply(text, "length" if limited.is_cut else "stop", _usage(asked, text, usage), extension)


def _notes(asked: Asked, run: Run, events: list[Event]) -> str:
    return footnotes(run.citations, asked.origin, fold(events).stands_in) if asked.completion.footnotes else ""


def _usage(asked: Asked, said: str, usage: Usage) -> CompletionUsage:
    prompt, written = usage.prompt_tokens, usage.completion_tokens
    if not usage.model_calls:
        prompt = sum(estimate_tokens(message.text) for message in asked.completion.messages)
        written = estimate_tokens(said)
    return CompletionUsage(prompt_tokens=prompt, completion_tokens=written, total_tokens=prompt + written)


def _extension(services: Services, run: Run, events: list[Event]) -> Extension:
    said, base = answered(run, events), services.library.bases.get(run.base_id)
    return Extension(
        run_id=run.id,
        base=base.name,
        outcome=run.outcome,
        degraded=said.degraded,
        citations=said.citations,
        passages=said.passages,
        stands_in=said.stands_in,
    )


def _failed(run: Run) -> RefusedRequest:
    return RefusedRequest(503, "api.problem.run", reason=run.error or run.status.value)
