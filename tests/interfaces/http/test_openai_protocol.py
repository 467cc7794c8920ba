"""The workflows as models, asked by the official client and by LangChain over a real connection."""

import time

import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionUserMessageParam
from pydantic import SecretStr

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.documents.model import Document
from core.interfaces.http.openai.answer_text import StreamedText, footnotes, without_footnotes
from core.people.api_keys import KeyScope
from core.platform.errors import RetryableServiceError
from core.runs.events import AnswerDelta, AnswerReady, AnswerReset
from core.runs.model import RunPurpose, RunRequest
from core.search.model import Citation

QUESTION = "What did Google describe in 2018?"
ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": QUESTION}]


@pytest.fixture
def client(server: str, secrets: dict[KeyScope, str]) -> OpenAI:
    return OpenAI(base_url=f"{server}/v1", api_key=secrets[KeyScope.READ], max_retries=0)


def test_every_workflow_is_a_model(client: OpenAI, services: Services) -> None:
    listed = [model.id for model in client.models.list()]
    assert listed[: len(workflows())] == list(workflows())
    assert "adaptive@Papers" in listed
    assert services.models.encoder.name in listed
    assert client.models.retrieve("planner").id == "planner"
    with pytest.raises(openai.NotFoundError, match="no model called nothing"):
        client.models.retrieve("nothing")


def test_an_answer_has_its_citations_in_a_field_and_as_footnotes(
    client: OpenAI, server: str, services: Services, document: Document
) -> None:
    done = client.chat.completions.create(model="adaptive@Papers", messages=ASKED, temperature=0.3)
    text = done.choices[0].message.content or ""
    assert "BERT" in text
    link = f"({server}/documents?document={document.id}&page=1)"
    assert f"\n[1] [models.pdf, page 1]{link}  \n> **BERT was described by Google in 2018.** Ada Lovelace" in text
    assert done.choices[0].finish_reason == "stop"
    own = (done.model_extra or {})["graphtalk"]
    assert own["citations"][0]["document_id"] == document.id
    assert services.runs.get(own["run_id"]).purpose is RunPurpose.API
    bare = client.chat.completions.create(
        model="adaptive", messages=ASKED, extra_body={"base": "Papers", "footnotes": False}
    )
    assert "models.pdf" not in (bare.choices[0].message.content or "")


def test_a_stream_says_the_same_and_ends(client: OpenAI, document: Document) -> None:
    whole = client.chat.completions.create(model="adaptive", messages=ASKED).choices[0].message.content
    chunks = list(
        client.chat.completions.create(
            model="adaptive", messages=ASKED, stream=True, stream_options={"include_usage": True}
        )
    )
    said = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert said == whole
    assert chunks[0].choices[0].delta.role == "assistant"
    *_, last, usage = chunks
    assert last.choices[0].finish_reason == "stop"
    assert (last.model_extra or {})["graphtalk"]["citations"][0]["document_id"] == document.id
    assert usage.usage is not None
    assert usage.choices == []


def test_the_conversation_is_what_the_program_sends(
    client: OpenAI, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[RunRequest] = []
    start = services.worker.start

    def noted(request: RunRequest) -> str:
        started.append(request)
        return start(request)

    monkeypatch.setattr(services.worker, "start", noted)
    first = client.chat.completions.create(model="adaptive", messages=ASKED).choices[0].message.content or ""
    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "Be brief."},
        *ASKED,
        {"role": "assistant", "content": first},
        {"role": "user", "content": [{"type": "text", "text": "And who built on it?"}]},
    ]
    client.chat.completions.create(model="adaptive", messages=messages)
    history = started[-1].history or ()
    assert [turn.role for turn in history] == ["user", "assistant"]
    assert history[0].text == QUESTION
    assert "models.pdf" not in history[1].text
    assert started[-1].question == "And who built on it?"
    assert not started[-1].use_memory


def test_a_stream_that_is_given_up_stops_its_run(
    client: OpenAI, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []
    monkeypatch.setattr(services.worker, "stop", stopped.append)
    monkeypatch.setattr(
        services.worker, "start", lambda request: services.runs.start(request, _thread(services), "m").id
    )
    with client.chat.completions.create(model="adaptive", messages=ASKED, stream=True) as stream:
        next(iter(stream))
    until = time.monotonic() + 20
    while not stopped and time.monotonic() < until:
        time.sleep(0.05)
    assert len(stopped) == 1


def _thread(services: Services) -> str:
    return services.threads.create("T", "", "adaptive", RunPurpose.API).id


def test_what_cannot_be_asked_is_refused_in_the_clients_own_way(
    client: OpenAI, server: str, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(openai.AuthenticationError):
        OpenAI(base_url=f"{server}/v1", api_key="gtk_wrong", max_retries=0).models.list()
    for unknown in ("nothing", "adaptive@nothing"):
        with pytest.raises(openai.NotFoundError) as missed:
            client.chat.completions.create(model=unknown, messages=ASKED)
        assert (missed.value.code, missed.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError, match="cannot chat"):
        client.chat.completions.create(model=services.models.encoder.name, messages=ASKED)
    with pytest.raises(openai.BadRequestError, match="last message"):
        client.chat.completions.create(model="adaptive", messages=[{"role": "assistant", "content": "Hi"}])
    without_text: list[ChatCompletionUserMessageParam] = [
        {"role": "user", "content": "<files>\n<file id='1'/>\n</files>"},
        {"role": "user", "content": [{"type": "text", "text": ""}]},
    ]
    for message in without_text:
        with pytest.raises(openai.BadRequestError, match="last message"):
            client.chat.completions.create(model="adaptive", messages=[message])
    with pytest.raises(openai.BadRequestError, match="one answer"):
        client.chat.completions.create(model="adaptive", messages=ASKED, n=2)

    def busy(_: RunRequest) -> str:
        raise RetryableServiceError("run.busy", count=16)

    monkeypatch.setattr(services.worker, "start", busy)
    with pytest.raises(openai.InternalServerError) as refused:
        client.chat.completions.create(model="adaptive", messages=ASKED)
    assert refused.value.status_code == 503
    assert refused.value.response.headers["Retry-After"]


def test_texts_become_vectors_in_either_encoding(client: OpenAI, services: Services) -> None:
    name = services.models.encoder.name
    texts = ["The tide is high.", "潮汐"]
    packed = client.embeddings.create(model=name, input=texts)
    plain = client.embeddings.create(model=name, input=texts, encoding_format="float")
    expected = services.models.encoder.embed(texts)
    for got, same, wanted in zip(packed.data, plain.data, expected, strict=True):
        assert got.embedding == pytest.approx(list(wanted), abs=1e-6)
        assert same.embedding == pytest.approx(list(wanted), abs=1e-6)
    with pytest.raises(openai.NotFoundError, match=name):
        client.embeddings.create(model="text-embedding-3-small", input="x")
    with pytest.raises(openai.BadRequestError, match="check_embedding_ctx_length"):
        client.embeddings.create(model=name, input=[[1, 2, 3]])


def test_langchain_asks_streams_and_embeds(server: str, secrets: dict[KeyScope, str], services: Services) -> None:
    key = SecretStr(secrets[KeyScope.READ])
    chat = ChatOpenAI(base_url=f"{server}/v1", api_key=key, model="adaptive", max_retries=0)
    answer = chat.invoke([HumanMessage(QUESTION)])
    assert "BERT" in str(answer.content)
    follow_up = [HumanMessage(QUESTION), AIMessage(str(answer.content)), HumanMessage(QUESTION)]
    assert "BERT" in "".join(str(piece.content) for piece in chat.stream(follow_up))
    embeddings = OpenAIEmbeddings(
        base_url=f"{server}/v1",
        api_key=key,
        model=services.models.encoder.name,
        check_embedding_ctx_length=False,
    )
    assert embeddings.embed_query("tide") == pytest.approx(list(services.models.encoder.embed_query("tide")), abs=1e-6)


def test_a_stream_marks_what_was_withdrawn_and_loads_no_pictures() -> None:
    text = StreamedText()
    events = (
        AnswerDelta("See !"),
        AnswerDelta("[x](http://a/b) now!"),
        AnswerReset("unsupported"),
        AnswerDelta("Really"),
        AnswerReady("Really not.", ()),
    )
    said = "".join(text.pieces(event) for event in events) + text.end()
    assert said == "See !\\[x](http://a/b) now!\n\n(The text above was withdrawn.)\n\nReally not."
    changed = StreamedText()
    said = changed.pieces(AnswerDelta("One")) + changed.pieces(AnswerReady("Two", ()))
    assert said == "One\n\n(The text above was withdrawn.)\n\nTwo"


def test_footnotes_are_plain_and_are_recognised_when_they_come_back() -> None:
    cited = (
        Citation(1, "c", "d", "![x](http://a) *b*.pdf", 2, (), "", 0.5),
        Citation(2, "", "", "Page", 0, (), "", 0.5, url="https://example.org/a_b(c)"),
    )
    notes = footnotes(cited)
    assert notes.splitlines()[2:] == [
        "---",
        "[1] \\!\\[x\\]\\(http://a\\) \\*b\\*.pdf, page 3  ",
        "[2] [Page](https://example.org/a_b%28c%29)  ",
    ]
    assert without_footnotes(f"An answer [1].{notes}") == "An answer [1]."
    assert without_footnotes("Rows\n\n---\nare separate") == "Rows\n\n---\nare separate"
    assert footnotes(()) == ""


def test_a_long_line_that_only_begins_like_footnotes_stays_and_holds_nothing_up() -> None:
    said = "Rows\n\n---\n" + "> [3] " * 100_000 + "\nand so on"
    assert without_footnotes(said) == said
