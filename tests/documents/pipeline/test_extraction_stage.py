"""Documents whose entities, relations and summaries a model finds: what is published, counted and not repeated."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from core.app.extractors import by_model, document_llm
from core.app.extractors import extractor_of as from_settings
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.extraction.langextract.extractor import LangExtractExtractor
from core.documents.model import Document, Stage, read_note
from core.documents.pipeline.artefacts import Extracted, WorkFolder
from core.documents.pipeline.pipeline import Pipeline
from core.graph.linking.linking import link
from core.graph.store.graph import SqlGraph
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.llm import ChatLlm
from core.models.offline_llm import OfflineLlm
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.models.tokens import estimate_tokens
from core.platform.errors import ConfigurationError, InputError
from core.platform.settings.settings import load_settings
from tests.fakes.ingestion import FakeIndex, StoredDeps, run_all, tools_of
from tests.loopback.answers import Answer, Failure, Reply
from tests.loopback.derived import blocks_of
from tests.loopback.extraction import asked_text, extraction_reply, is_extraction
from tests.loopback.openai_server import OpenAiServer

NAMES = {"Maria Lindqvist": "PERSON", "Harrow Valley Water Board": "ORGANIZATION", "EskFlow": "TECHNOLOGY"}
RELATIONS = [("leads", "Maria Lindqvist", "Harrow Valley Water Board")]
BODY = (
    "Maria Lindqvist leads the Harrow Valley Water Board and its eleven reservoirs in the upper valley of the Esk. "
    "EskFlow forecasts the inflow of each of the reservoirs for the coming fourteen days from rain and snow. "
)
SHORT = (
    " ".join(["Maria Lindqvist leads the Harrow Valley Water Board."] * 4),
    " ".join(["EskFlow forecasts the inflow of the rivers."] * 5),
)
"""Two documents of one passage each."""
Script = Callable[[dict[str, Any]], Answer]


def modest(request: dict[str, Any]) -> Answer:
    """Knows three names and one relation, and summarises with a sentence a part."""
    if is_extraction(request):
        return extraction_reply(request, NAMES, RELATIONS)
    parts = blocks_of(request["messages"])["parts"].count("\n") + 1
    return Reply(json.dumps({"summaries": [f"Part {number} in short." for number in range(1, parts + 1)]}))


@pytest.fixture
def opened() -> Iterator[Callable[[Script], OpenAiServer]]:
    servers: list[OpenAiServer] = []

    def start(script: Script) -> OpenAiServer:
        servers.append(OpenAiServer(script))
        return servers[-1].__enter__()

    yield start
    for server in servers:
        server.__exit__()


def with_model(data: Path, server: OpenAiServer, index: FakeIndex | None = None) -> StoredDeps:
    llm = ChatLlm(EndpointConfig(server.base_url, "loopback-model", retries=0, rest_seconds=0.0))
    extractor = LangExtractExtractor(llm, BuiltinExtractor(OnnxEntityTagger()))
    tools = replace(tools_of(data, index=index), link=link)
    return tools.with_engines(extracting=extractor, summing_up=llm)


def added(tools: StoredDeps, text: str) -> Document:
    stored = tools.files.save(text.encode(), "note.txt")
    base = tools.library.bases.named("Base") or tools.library.bases.create("Base")
    return tools.library.documents.add(base.id, "note.txt", stored.sha256, stored.size, "text/plain")[0]


def paragraphs(count: int, mark: str = "Paragraph") -> str:
    return "\n\n".join(["Reservoirs", *(f"{BODY * 5}{mark} {number} ends here." for number in range(count))])


def test_entities_relations_and_summaries_of_the_model_are_published_with_their_pages(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer]
) -> None:
    tools = with_model(tmp_path, opened(modest))
    document = added(tools, paragraphs(3))
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    published = tools.library.publications.get(document.id)
    assert {(entity.name, entity.type) for entity in published.entities} == set(NAMES.items())
    (relation,) = published.relations
    names = {entity.id: entity.name for entity in published.entities}
    assert (names[relation.source_id], relation.relation, names[relation.target_id]) == (
        "Maria Lindqvist", "leads", "Harrow Valley Water Board",
    )  # fmt: skip
    assert relation.pages == tuple((document.id, page) for page in (1, 2, 3))  # the model on one, the rules on all
    assert {saying.document_id for saying in relation.sayings} == {document.id}
    assert [summary.text for summary in published.summaries] == ["Part 1 in short.", "Part 2 in short."]
    graph = SqlGraph(tools.library.documents.engine)  # type: ignore[attr-defined]  # the SQL library of the doubles
    between = graph.relations_between([relation.source_id, relation.target_id])
    assert {each.relation for each in between} == {"leads", "CO_OCCURS_IN"}
    spent = tools.library.documents.get(document.id).spent
    assert spent is not None
    assert spent.model_calls == 2
    assert spent.prompt_tokens > spent.completion_tokens > 0


def test_summaries_are_asked_for_while_entities_are(tmp_path: Path, opened: Callable[[Script], OpenAiServer]) -> None:
    together = threading.Barrier(2)

    def meeting(request: dict[str, Any]) -> Answer:
        together.wait(50)
        return modest(request)

    tools = with_model(tmp_path, opened(meeting))
    document = added(tools, paragraphs(3))
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    assert tools.library.documents.get(document.id).notes == ()
    assert [each.text for each in tools.library.publications.get(document.id).summaries] == [
        "Part 1 in short.",
        "Part 2 in short.",
    ]


def test_a_document_of_two_passages_is_its_own_summary(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer]
) -> None:
    server = opened(modest)
    tools = with_model(tmp_path, server)
    document = added(tools, paragraphs(1))
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    assert [is_extraction(chat) for chat in server.chats] == [True]
    assert all(each.text for each in tools.library.publications.get(document.id).summaries)


def test_short_documents_that_are_read_at_the_same_time_share_a_call(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 60.0)
    monkeypatch.setattr("core.documents.extraction.shared_batches.MOST_SECONDS", 60.0)
    monkeypatch.setattr(
        "core.documents.extraction.langextract.extractor.JOINT_TOKENS", sum(map(estimate_tokens, SHORT))
    )
    server = opened(modest)
    tools = with_model(tmp_path, server)
    documents = [added(tools, text) for text in SHORT]
    pipeline = Pipeline(tools, tmp_path / "work")
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(partial(run_all, pipeline), [each.id for each in documents])) == [list(Stage)] * 2
    assert len(server.chats) == 1
    published = [tools.library.publications.get(each.id) for each in documents]
    assert [{entity.name for entity in each.entities} for each in published] == [
        {"Maria Lindqvist", "Harrow Valley Water Board"},
        {"EskFlow"},
    ]
    assert [len(each.relations) for each in published] == [1, 0]
    spent = [tools.library.documents.get(each.id).spent for each in documents]
    assert sorted(each.model_calls for each in spent if each) == [0, 1]
    assert all(each.prompt_tokens > 0 for each in spent if each)


def test_a_shared_call_that_fails_is_made_again_for_each_document_alone(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def confused(request: dict[str, Any]) -> Answer:
        both = "Maria Lindqvist" in asked_text(request) and "EskFlow" in asked_text(request)
        return Reply("no list") if both else modest(request)

    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 60.0)
    monkeypatch.setattr("core.documents.extraction.shared_batches.MOST_SECONDS", 60.0)
    monkeypatch.setattr(
        "core.documents.extraction.langextract.extractor.JOINT_TOKENS", sum(map(estimate_tokens, SHORT))
    )
    server = opened(confused)
    tools = with_model(tmp_path, server)
    documents = [added(tools, text) for text in SHORT]
    pipeline = Pipeline(tools, tmp_path / "work")
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(partial(run_all, pipeline), [each.id for each in documents])) == [list(Stage)] * 2
    assert len(server.chats) == 3
    assert [tools.library.documents.get(each.id).notes for each in documents] == [(), ()]


def test_what_the_rules_did_is_said_with_the_document(tmp_path: Path, opened: Callable[[Script], OpenAiServer]) -> None:
    tools = with_model(tmp_path, opened(lambda _: Failure(404)))
    document = added(tools, paragraphs(3))
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    ready = tools.library.documents.get(document.id)
    assert [read_note(note)[0] for note in ready.notes] == ["extraction.note.rules"]
    assert ready.entities > 0
    assert all(summary.text for summary in tools.library.publications.get(document.id).summaries)


def test_after_a_crash_in_the_middle_only_the_missing_answers_are_asked_for(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer]
) -> None:
    class DiedError(BaseException):
        """As a killed process: nothing is written after it."""

    class Dying(LangExtractExtractor):
        def extract_document(self, order: Any) -> Any:
            super().extract_document(order)
            raise DiedError

    server = opened(modest)
    tools = with_model(tmp_path, server)
    dying = Dying(ChatLlm(EndpointConfig(server.base_url, "loopback-model")), BuiltinExtractor(OnnxEntityTagger()))
    document = added(tools, paragraphs(30))
    with pytest.raises(DiedError):
        run_all(Pipeline(tools.with_engines(extracting=dying), tmp_path / "work"), document.id)
    asked = [asked_text(chat) for chat in server.chats if is_extraction(chat)]
    assert len(asked) > 1
    next(iter(sorted((tmp_path / "work" / document.id / "answers").glob("*.json")))).unlink()
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    again = [asked_text(chat) for chat in server.chats if is_extraction(chat)][len(asked) :]
    assert len(again) == 1
    assert again[0] in asked
    spent = tools.library.documents.get(document.id).spent
    assert spent is not None
    assert spent.model_calls == len(asked) + 1


def test_documents_read_together_share_calls_at_once_and_a_crash_loses_no_answer(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    class DiedError(BaseException):
        """As a killed process: nothing is written after it."""

    class Dying(LangExtractExtractor):
        def extract_together(self, *asked: Any) -> Any:
            super().extract_together(*asked)
            raise DiedError

    monkeypatch.setattr("core.documents.extraction.shared_batches.GATHER_SECONDS", 60.0)
    monkeypatch.setattr(
        "core.documents.extraction.langextract.extractor.JOINT_TOKENS", sum(map(estimate_tokens, SHORT))
    )
    server = opened(modest)
    tools = with_model(tmp_path, server)
    dying = Dying(ChatLlm(EndpointConfig(server.base_url, "loopback-model")), BuiltinExtractor(OnnxEntityTagger()))
    ids = [added(tools, text).id for text in SHORT]
    with pytest.raises(DiedError):
        Pipeline(tools.with_engines(extracting=dying), tmp_path / "work").run_together(ids)
    assert Pipeline(tools, tmp_path / "work").run_together(ids) == {}
    assert len(server.chats) == 1
    published = [tools.library.publications.get(each) for each in ids]
    assert [len(each.entities) for each in published] == [2, 1]
    spent = [tools.library.documents.get(each).spent for each in ids]
    assert sorted(each.model_calls for each in spent if each) == [0, 1]


def test_a_retry_after_a_failure_further_on_asks_the_model_nothing(
    tmp_path: Path, opened: Callable[[Script], OpenAiServer]
) -> None:
    def fail() -> None:
        raise InputError("ingest.error.no_text", name="note.txt")

    server = opened(modest)
    tools = with_model(tmp_path, server, FakeIndex(fail))
    document = added(tools, paragraphs(3))
    run_all(Pipeline(tools, tmp_path / "work"), document.id)
    calls = len(server.chats)
    kept = WorkFolder(tmp_path / "work", document.id).load(Stage.EXTRACT, Extracted)
    assert kept.usage.model_calls == calls == 2
    tools = with_model(tmp_path, server)
    tools.library.ingest_records.restart(document.id)
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    assert len(server.chats) == calls


def test_the_classes_of_the_base_are_asked_for(tmp_path: Path, opened: Callable[[Script], OpenAiServer]) -> None:
    server = opened(modest)
    tools = with_model(tmp_path, server)
    document = added(tools, paragraphs(1))
    tools.library.bases.set_entity_types(document.base_id, ["PERSON", "RESERVOIR"])
    run_all(Pipeline(tools, tmp_path / "work"), document.id)
    asked = next(chat for chat in server.chats if is_extraction(chat))
    assert "Classes: PERSON, RESERVOIR." in asked["messages"][0]["content"]
    assert [entity.name for entity in tools.library.publications.get(document.id).entities] == ["Maria Lindqvist"]


def test_summaries_that_are_too_few_are_not_used(tmp_path: Path, opened: Callable[[Script], OpenAiServer]) -> None:
    def short(request: dict[str, Any]) -> Answer:
        return modest(request) if is_extraction(request) else Reply('{"summaries": ["Only one."]}')

    tools = with_model(tmp_path, opened(short))
    document = added(tools, paragraphs(3))
    run_all(Pipeline(tools, tmp_path / "work"), document.id)
    texts = [summary.text for summary in tools.library.publications.get(document.id).summaries]
    assert len(texts) == 2
    assert "Only one." not in texts


def test_without_a_model_the_settings_choice_falls_back_with_a_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXTRACTION", "model")
    extractor = from_settings(load_settings(), OfflineLlm(), OnnxEntityTagger())
    assert extractor.engine == "built-in"
    model = document_llm(ChatLlm(EndpointConfig("http://127.0.0.1:9/v1", "m")))
    assert isinstance(from_settings(load_settings(), model, OnnxEntityTagger()), LangExtractExtractor)
    with pytest.raises(ConfigurationError) as raised:
        by_model(OfflineLlm(), OnnxEntityTagger())
    assert raised.value.key == "extraction.no_model"


def test_extraction_is_by_rules_unless_it_is_chosen() -> None:
    assert isinstance(from_settings(load_settings(), OfflineLlm(), OnnxEntityTagger()), BuiltinExtractor)
