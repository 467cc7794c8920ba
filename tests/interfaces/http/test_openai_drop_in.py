"""What programs made for OpenAI send: several bases, limits, forms, chores of chat programs, responses."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import openai
import pytest
from langchain_openai import ChatOpenAI
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam
from pydantic import BaseModel, SecretStr

from core.app.services import Services
from core.documents.model import Document
from core.interfaces.http.openai import embeddings, forms
from core.interfaces.http.openai.answer_text import LimitedText
from core.interfaces.http.openai.chat_shapes import Message
from core.interfaces.http.openai.chores import attached_in, chore_in
from core.people.api_keys import KeyScope
from core.runs.model import RunRequest, RunStatus
from core.runs.run_lists import RunFilter
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.store.samples import publish

if TYPE_CHECKING:
    from core.models.chat.slots import DocumentLlm

QUESTION = "What did Google describe in 2018?"
FERRY = "The ferry to Marlow Sound leaves at 7:40 every morning."
TITLE = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Output:
JSON format: { "title": "your concise title here" }
### Examples:
- { "title": "📉 Stock Market Trends" }
### Chat History:
<chat_history>
USER: What did Google describe in 2018?
ASSISTANT: BERT [1].
</chat_history>"""
QUERIES = TITLE.replace('{ "title": "your concise title here" }', '{ "queries": ["query1", "query2"] }')
FOLLOW_UPS = TITLE.replace('{ "title": "your concise title here" }', '{ "follow_ups": ["Question 1?", "Question 2?"] }')
PLAIN = """Provide a short title for the conversation, without punctuation.

User: What did Google describe in 2018?
AI: BERT."""
ATTACHED = """### Task:
Respond to the user query using the provided context, with citations in the format [id].

<context>
<source id="1" name="ferry.txt">The ferry to Marlow Sound leaves at 7:40 every morning. It is green.</source>
</context>

<attached_files>
<file type="file" id="c0" name="ferry.txt"/>
</attached_files>

When does the ferry to Marlow Sound leave?"""


@pytest.fixture(scope="module")
def harbour(services: Services, document: Document) -> str:
    """A second base."""
    made = services.library.bases.create("Harbour")
    publish(services.library, made, "ferry.pdf", FERRY)
    services.search.rebuild(made.id)
    return made.name


@pytest.fixture
def client(server: str, secrets: dict[KeyScope, str], harbour: str) -> OpenAI:
    return OpenAI(base_url=f"{server}/v1", api_key=secrets[KeyScope.READ], max_retries=0)


@pytest.fixture
def model(services: Services, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAiServer]:
    """Replies to whole prompts alone; workflows keep their rules."""
    from core.app.models import llm_of
    from core.interfaces.http.openai import writing

    with OpenAiServer(lambda body: Reply(_reply(json.dumps(body)))) as server:
        settings = services.settings.model_copy(update={"llm_base_url": server.base_url, "llm_model": "loopback"})
        llm = cast("DocumentLlm", llm_of(settings))
        for name in ("forms", "chores"):
            monkeypatch.setattr(
                f"core.interfaces.http.openai.{name}.writing_model", lambda _: writing.WritingModel(llm)
            )
        yield server


def _reply(body: str) -> str:
    if "schema" in body:
        return '{"name": "BERT", "year": 2018}'
    if "chat_history" in body:
        return '{"title": "Google and BERT"}'
    return '{"text": "At 7:40 [1]."}'


def said(client: OpenAI, prompt: str, **options: Any) -> str:
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": prompt}]
    return (
        client.chat.completions.create(model="adaptive", messages=messages, **options).choices[0].message.content or ""
    )


def test_every_listed_model_answers_and_a_workflow_alone_finds_the_base(client: OpenAI, services: Services) -> None:
    for listed in client.models.list():
        assert listed.created > 0
        if listed.id == services.models.encoder.name:
            continue
        done = client.chat.completions.create(model=listed.id, messages=[{"role": "user", "content": QUESTION}])
        assert done.choices[0].message.content
    for question, base in ((QUESTION, "Papers"), ("When does the ferry to Marlow Sound leave?", "Harbour")):
        done = client.chat.completions.create(model="adaptive", messages=[{"role": "user", "content": question}])
        assert (done.model_extra or {})["graphtalk"]["base"] == base
        assert done.usage is not None
        assert min(done.usage.prompt_tokens, done.usage.completion_tokens) > 0


def test_limits_of_the_text_are_kept_whole_and_streamed(client: OpenAI) -> None:
    full = said(client, QUESTION, extra_body={"footnotes": False})
    messages: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
    cut = client.chat.completions.create(model="adaptive", messages=messages, max_tokens=3)
    assert cut.choices[0].finish_reason == "length"
    assert full.startswith(cut.choices[0].message.content or "-")
    assert len(cut.choices[0].message.content or "") == 12
    word = full.split()[2]
    chunks = list(client.chat.completions.create(model="adaptive", messages=messages, stop=[word], stream=True))
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert text == full[: full.index(word)]
    with pytest.raises(openai.BadRequestError, match="At most 4"):
        said(client, QUESTION, stop=list("abcde"))


@pytest.mark.parametrize("size", [1, 3, 50])
def test_a_stop_is_found_across_pieces(size: int) -> None:
    text = "One STOPPED two"
    limited = LimitedText(None, ["STOP", "never"])
    passed = "".join(limited.feed(text[at : at + size]) for at in range(0, len(text), size)) + limited.end()
    assert passed == "One "
    whole = LimitedText(None, ["absent"])
    assert "".join(whole.feed(text[at : at + size]) for at in range(0, len(text), size)) + whole.end() == text


def test_what_is_not_done_is_refused_with_a_sentence(client: OpenAI) -> None:
    picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    with pytest.raises(openai.BadRequestError, match="Only text can be asked"):
        client.chat.completions.create(model="adaptive", messages=[{"role": "user", "content": picture}])  # type: ignore[misc, list-item]
    tool: Any = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    other: Any = {"type": "function", "function": {"name": "hear", "parameters": {"type": "object"}}}
    with pytest.raises(openai.BadRequestError, match="tool_choice"):
        said(client, QUESTION, tools=[tool, other], tool_choice="required")
    for choice in ("auto", "none"):
        assert "BERT" in said(client, QUESTION, tools=[tool], tool_choice=choice)
    schema: Any = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    with pytest.raises(openai.BadRequestError, match="needs a model"):
        said(client, QUESTION, response_format=schema)
    told = json.loads(said(client, QUESTION, response_format={"type": "json_object"}))
    assert "BERT" in told["answer"]
    assert told["sources"][0]["document"] == "models.pdf"


def test_chores_of_chat_programs_are_done_and_not_searched(
    client: OpenAI, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[RunRequest] = []
    monkeypatch.setattr(services.worker, "start", started.append)
    assert "Google" in json.loads(said(client, TITLE))["title"]
    assert json.loads(said(client, QUERIES)) == {"queries": [QUESTION]}
    assert json.loads(said(client, FOLLOW_UPS)) == {"follow_ups": []}
    assert "Google" in said(client, PLAIN)
    marked = QUERIES.replace("USER: ", 'USER: <attached_files>\n<file id="c0"/>\n</attached_files>\n\n')
    assert json.loads(said(client, marked)) == {"queries": [QUESTION]}
    attached = said(client, ATTACHED)
    assert "7:40" in attached
    assert "[1]" in attached
    assert started == []


@pytest.mark.parametrize(
    "prompt",
    [
        "<aa>" + " " * 100_000,
        "<aa>" * 50_000,
        "<context>" * 50_000,
        "<context>" + "<source>" * 50_000 + "</context>",
        "<context>" + " " * 100_000 + "</context>" + " " * 100_000,
        "<context><source>x</source></context><query>" + " " * 100_000,
    ],
)
def test_tags_that_are_never_closed_hold_nothing_up(prompt: str) -> None:
    message = Message(role="user", content=prompt)
    assert chore_in([message]) is None
    attached = attached_in(message)
    assert attached is None or attached.question == "<query>"


def test_the_nearest_closing_tag_of_a_name_ends_what_is_quoted() -> None:
    asked = "Write a title.\n<rules>\nBe <b>brief</b>.\n</rules>\n<chat> USER: Hi\nAI: <b>Yes</b> </Chat>\n</chat>"
    chore = chore_in([Message(role="user", content=asked)])
    assert chore is not None
    assert chore.said == ("Hi",)


def test_a_model_gets_chores_and_forms(client: OpenAI, model: OpenAiServer) -> None:
    assert json.loads(said(client, TITLE)) == {"title": "Google and BERT"}
    assert said(client, ATTACHED) == "At 7:40 [1]."
    assert "ferry.txt" in json.dumps(model.chats[-1])


def test_what_a_form_takes_is_stored_with_its_question(
    client: OpenAI, model: OpenAiServer, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    form: Any = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object", "required": ["x"]}}}
    asked: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]
    for reply, refused in (('{"x": 1}', False), ("{}", True)):
        monkeypatch.setattr(f"{__name__}._reply", lambda _, reply=reply: reply)
        with nullcontext() if not refused else pytest.raises(openai.InternalServerError):
            client.chat.completions.create(
                model="adaptive", messages=asked, response_format=form, extra_body={"base": "Papers"}
            )
        newest = services.storage.records.run_lists.find(RunFilter(question=QUESTION), 1)[0]
        run = services.runs.get(newest.id)
        assert (run.usage.model_calls, run.usage.prompt_tokens > 0) == (2 if refused else 1, True)
        assert run.status is RunStatus.DONE


def test_a_lone_surrogate_that_a_model_escapes_is_made_whole(
    client: OpenAI, model: OpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}._reply", lambda _: r'{"title": "B\ud800"}')
    form: Any = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    filled = said(client, QUESTION, extra_body={"base": "Papers"}, response_format=form)
    assert json.loads(filled) == json.loads(said(client, TITLE)) == {"title": "B\ufffd"}
    assert model.chats


def test_a_schema_whose_parts_multiply_is_refused(
    client: OpenAI, model: OpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "_MAX_STEPS", 1_000)
    parts: dict[str, Any] = {f"p{n}": {"allOf": [{"$ref": f"#/$defs/p{n + 1}"}] * 2} for n in range(10)}
    schema = {"$defs": {**parts, "p10": {"type": "object"}}, "$ref": "#/$defs/p0"}
    form: Any = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
    with pytest.raises(openai.BadRequestError, match="takes too long"):
        said(client, QUESTION, extra_body={"base": "Papers"}, response_format=form)


class Described(BaseModel):
    name: str
    year: int


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_gets_structured_output(
    server: str, secrets: dict[KeyScope, str], model: OpenAiServer, method: Any, harbour: str
) -> None:
    key = SecretStr(secrets[KeyScope.READ])
    for responses in (False, True):
        chat = ChatOpenAI(
            base_url=f"{server}/v1", api_key=key, model="adaptive@Papers", max_retries=0, use_responses_api=responses
        )
        assert chat.with_structured_output(Described, method=method).invoke(QUESTION) == Described(
            name="BERT", year=2018
        )


def test_responses_are_whole_streamed_and_cut(client: OpenAI) -> None:
    done = client.responses.create(model="adaptive", input=QUESTION, instructions="Be brief.")
    assert (done.status, done.object) == ("completed", "response")
    assert "BERT" in done.output_text
    assert done.usage is not None
    assert done.usage.total_tokens == done.usage.input_tokens + done.usage.output_tokens > 0
    events = list(client.responses.create(model="adaptive", input=[{"role": "user", "content": QUESTION}], stream=True))
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == done.output_text
    assert (events[0].type, events[-1].type) == ("response.created", "response.completed")
    assert [event.sequence_number for event in events] == list(range(len(events)))
    cut = client.responses.create(model="adaptive", input=QUESTION, max_output_tokens=2)
    assert cut.status == "incomplete"
    with pytest.raises(openai.BadRequestError, match="previous_response_id"):
        client.responses.create(model="adaptive", input=QUESTION, previous_response_id=done.id)
    with client.responses.stream(model="adaptive", input=QUESTION) as stream:
        assert "BERT" in stream.get_final_response().output_text


def test_tokens_become_vectors_where_their_vocabulary_is_here(
    client: OpenAI, services: Services, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import tiktoken

    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert embeddings.tokens_of_openai() is None
    letters = {bytes([number]): number for number in range(256)}
    encoding = tiktoken.Encoding("letters", pat_str=r"\w+|\W+", mergeable_ranks=letters, special_tokens={})
    monkeypatch.setattr(embeddings, "tokens_of_openai", lambda: encoding)
    encoder = services.models.encoder
    made = client.embeddings.create(model=encoder.name, input=[list(b"tide"), list(b"sea")], encoding_format="float")
    for row, words in zip(made.data, ("tide", "sea"), strict=True):
        assert row.embedding == pytest.approx(list(encoder.embed([words])[0]), abs=1e-6)
    with pytest.raises(openai.BadRequestError):
        client.embeddings.create(model=encoder.name, input=[999_999])
