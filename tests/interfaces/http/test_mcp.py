"""The tools and resources, used by the SDK's own client over HTTP and over standard input and output."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference
from starlette.testclient import TestClient

from core.agents.tools.registry import names_of
from core.agents.tools.tool import Toolset
from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.documents.model import Document
from core.interfaces.http.mcp.pages import text_at
from core.interfaces.http.mcp.tools import page_words
from core.interfaces.http.v1.retrieval import PassageOut
from core.people.api_keys import KeyScope
from core.platform.release import release
from tests.interfaces.http.conftest import PAGES
from tests.store.samples import publish

GRAPH = {*names_of(Toolset.GRAPH), "find_path"}
LIBRARY = {"list_bases", "list_documents", "ingest", "edit_graph"}
OWN = {"search_documents", "ask", "read_page", "remember", "recall"} | LIBRARY
Work = Callable[[Client], Awaitable[None]]


@pytest.fixture
def over_http(server: str, secrets: dict[KeyScope, str]) -> Callable[[KeyScope, Work], None]:
    def run(scope: KeyScope, work: Work) -> None:
        async def connected() -> None:
            headers = {"Authorization": f"Bearer {secrets[scope]}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=30) as http,
                Client(streamable_http_client(f"{server}/mcp", http_client=http)) as client,
            ):
                await work(client)

        asyncio.run(asyncio.wait_for(connected(), 60))

    return run


def said(result: Any) -> str:
    return "\n".join(part.text for part in result.content if part.type == "text")


def test_the_tools_are_those_of_the_agents_and_its_own(over_http: Callable[[KeyScope, Work], None]) -> None:
    async def work(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == GRAPH | OWN
        assert all(tool.description for tool in tools.values())
        assert set(tools["get_neighbors"].input_schema["properties"]) == {"entity_name", "hops", "base"}
        assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())
        assert "planner" in tools["ask"].input_schema["properties"]["workflow"]["enum"]
        changing = {it.name for it in tools.values() if it.annotations and not it.annotations.read_only_hint}
        assert changing == {"ask", "remember", "ingest", "edit_graph"}
        misspelt = await client.call_tool("get_neighbors", {"entity": "BERT", "base": "Papers"})
        assert misspelt.is_error

    over_http(KeyScope.WRITE, work)


@pytest.mark.parametrize(("name", "words"), [("models.pdf", ", page 3"), ("notes.md", ""), ("page.html", "")])
def test_a_page_is_named_where_readers_see_pages(name: str, words: str) -> None:
    found = {"chunk_id": "c", "document_id": "d", "section": [], "text": "", "score": 1.0, "sources": []}
    assert page_words(PassageOut.model_validate(found | {"document": name, "page": 3})) == words


def test_documents_are_searched_read_and_asked(
    over_http: Callable[[KeyScope, Work], None], document: Document, services: Services
) -> None:
    async def work(client: Client) -> None:
        found = await client.call_tool("search_documents", {"query": "What did Google describe?", "limit": 1})
        assert "models.pdf, page 1" in said(found)
        assert found.structured_content["passages"][0]["document_id"] == document.id
        page = await client.call_tool("read_page", {"document_id": document.id, "page": 2})
        assert said(page) == PAGES[1]
        answer = await client.call_tool("ask", {"question": "What did Google describe in 2018?", "base": "Papers"})
        assert "BERT" in said(answer)
        assert answer.structured_content["citations"][0]["page"] == 1
        missing = await client.call_tool("read_page", {"document_id": document.id, "page": 9})
        assert missing.is_error
        assert "has no page 9" in said(missing)
        wrong = await client.call_tool("search_documents", {"query": "x", "limit": 1_000})
        assert wrong.is_error
        assert "limit" in said(wrong)

    over_http(KeyScope.READ, work)


def test_the_graph_is_walked(over_http: Callable[[KeyScope, Work], None], document: Document) -> None:
    async def work(client: Client) -> None:
        assert '"BERT"' in said(await client.call_tool("search_entities", {"query": "bert"}))
        around = await client.call_tool("get_neighbors", {"entity_name": "BERT", "hops": "1", "base": "Papers"})
        assert "Transformer" in said(around)
        people = await client.call_tool("get_entities_by_type", {"entity_type": "person"})
        assert "Ada Lovelace" in said(people)
        assert "Nodes (entities)" in said(await client.call_tool("describe_graph", {}))
        way = said(await client.call_tool("find_path", {"source": "London", "target": "attention"}))
        assert way.startswith("The way between 'London' and 'attention' has 3 step(s):")  # each shares a sentence
        assert "BERT" in way
        assert "- mentioned together, which states no relation -" in way
        nobody = await client.call_tool("find_path", {"source": "Nobody", "target": "BERT"})
        assert "No entity called 'Nobody'" in said(nobody)
        other = await client.call_tool("describe_graph", {"base": "Nothing"})
        assert other.is_error

    over_http(KeyScope.READ, work)


def test_remembering_needs_a_key_that_may_write(
    over_http: Callable[[KeyScope, Work], None], services: Services
) -> None:
    async def write(client: Client) -> None:
        kept = await client.call_tool("remember", {"text": "The reader prefers tables.", "kind": "preference"})
        assert kept.structured_content["id"] in {memory.id for memory in services.memories.find()}
        assert "prefers tables" in said(await client.call_tool("recall", {"query": "tables"}))

    async def read(client: Client) -> None:
        assert "remember" not in {tool.name for tool in (await client.list_tools()).tools}
        refused = await client.call_tool("remember", {"text": "Something else."})
        assert refused.is_error
        assert "scope write" in said(refused)
        asked = await client.call_tool("ask", {"question": "And then?", "thread_id": "x"})
        assert asked.is_error

    async def ask(client: Client) -> None:
        assert {"remember", "recall"}.isdisjoint(tool.name for tool in (await client.list_tools()).tools)
        assert "scope read" in said(await client.call_tool("recall", {"query": "tables"}))
        assert not (await client.call_tool("search_documents", {"query": "BERT"})).is_error

    over_http(KeyScope.WRITE, write)
    over_http(KeyScope.READ, read)
    over_http(KeyScope.ASK, ask)
    assert len(services.memories.find("Something else")) == 0


def test_documents_and_pages_are_resources(over_http: Callable[[KeyScope, Work], None], document: Document) -> None:
    async def work(client: Client) -> None:
        listed = {str(it.uri): it.name for it in (await client.list_resources()).resources}
        address = f"graphtalk://documents/{document.id}"
        assert listed[address] == "models.pdf"
        templates = (await client.list_resource_templates()).resource_templates
        assert {it.uri_template.split("/")[-1] for it in templates} == {"{document_id}", "{page}"}
        whole = (await client.read_resource(address)).contents[0].model_dump()["text"]
        assert all(page in whole for page in PAGES)
        assert (await client.read_resource(f"{address}/pages/1")).contents[0].model_dump()["text"] == PAGES[0]
        for missing in (f"{address}/pages/7", "graphtalk://documents/../x", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await client.read_resource(missing)

    over_http(KeyScope.READ, work)


@pytest.mark.parametrize(("most", "cut"), [(len(PAGES[0]), True), (len("".join(PAGES)), False)])
def test_a_long_document_is_said_to_be_cut_only_where_pages_are_left_out(
    services: Services, document: Document, monkeypatch: pytest.MonkeyPatch, most: int, cut: bool
) -> None:
    monkeypatch.setattr("core.interfaces.http.mcp.pages.MAX_CHARACTERS", most)
    text = text_at(services, f"graphtalk://documents/{document.id}")
    assert ("Cut here" in text, PAGES[-1] in text) == (cut, not cut)


def test_over_http_only_messages_with_a_key_are_answered(
    server: str, client_of: Callable[[KeyScope], TestClient]
) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    assert httpx2.post(f"{server}/mcp", json=message, timeout=60).status_code == 401
    assert client_of(KeyScope.READ).get("/mcp").status_code == 405
    assert client_of(KeyScope.READ).delete("/mcp").status_code == 405
    assert client_of(KeyScope.READ).post("/mcp", content=json.dumps(message) + " " * 1_100_000).status_code == 413


def test_the_command_serves_the_data_folder_over_standard_input(tmp_path: Path) -> None:
    async def work() -> None:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "core", "--data", str(tmp_path / "data"), "mcp"],
            cwd=Path(__file__).parents[3],
        )
        async with Client(stdio_client(command)) as client:
            assert {tool.name for tool in (await client.list_tools()).tools} == GRAPH | OWN
            refused = await client.call_tool("search_documents", {"query": "x"})
            assert "no knowledge base yet" in said(refused)

    asyncio.run(asyncio.wait_for(work(), 60))


def test_the_server_names_its_release(over_http: Callable[[KeyScope, Work], None]) -> None:
    async def work(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.version == release()

    over_http(KeyScope.READ, work)


def test_bases_and_documents_are_listed_piece_by_piece(
    over_http: Callable[[KeyScope, Work], None], services: Services, document: Document
) -> None:
    base = services.library.bases.named("Papers")
    assert base is not None
    publish(services.library, base, "other.pdf", "Kelp grows in Marlow Sound.")
    services.search.rebuild(base.id)

    async def work(client: Client) -> None:
        listed = await client.call_tool("list_bases", {})
        assert [each["name"] for each in listed.structured_content["bases"]] == ["Papers"]
        names, cursor = [], ""
        while True:
            page = await client.call_tool("list_documents", {"limit": 1, "cursor": cursor})
            names += [each["name"] for each in page.structured_content["documents"]]
            if not (cursor := page.structured_content["next_cursor"]):
                break
        assert sorted(names) == ["models.pdf", "other.pdf"]
        found = await client.call_tool("search_documents", {"query": "What did Google describe?"})
        links = {str(part.uri) for part in found.content if part.type == "resource_link"}
        assert f"graphtalk://documents/{document.id}/pages/1" in links
        with pytest.raises(MCPError):
            await client.list_resources(cursor="x")

    over_http(KeyScope.READ, work)


def test_files_are_added_and_the_graph_is_edited_with_a_key_that_may_write(
    over_http: Callable[[KeyScope, Work], None], services: Services, document: Document
) -> None:
    async def write(client: Client) -> None:
        taken = await client.call_tool("ingest", {"name": "notes.md", "text": "# Notes"})
        added = taken.structured_content["id"]
        assert services.library.documents.get(added).name == "notes.md"
        asks = await client.call_tool("ingest", {"name": "models.pdf", "base64": "IyBPdGhlcg=="})
        assert asks.is_error
        assert "changed=replace" in said(asks)
        unclear = {"name": "other.md", "text": "# Other", "agree_to_cost": "yes"}
        assert "agree_to_cost" in said(await client.call_tool("ingest", unclear))
        services.lifecycle.remove_document(added)
        edit = {"kind": "alias", "entity": "BERT", "name": "Bidirectional encoder"}
        made = await client.call_tool("edit_graph", {"edits": [edit]})
        assert made.structured_content["edits"][0]["entities"][0]["name"] == "BERT"

    async def read(client: Client) -> None:
        for name, given in (("ingest", {"name": "x.md", "text": "x"}), ("edit_graph", {"edits": []})):
            refused = await client.call_tool(name, given)
            assert "scope write" in said(refused)

    over_http(KeyScope.WRITE, write)
    over_http(KeyScope.READ, read)


def test_workflows_are_prompts_and_their_arguments_complete(over_http: Callable[[KeyScope, Work], None]) -> None:
    async def work(client: Client) -> None:
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} == set(workflows())
        made = await client.get_prompt("planner", {"question": "Who?", "base": "Papers"})
        assert "planner" in made.messages[0].content.model_dump()["text"]
        reference = PromptReference(type="ref/prompt", name="planner")
        found = await client.complete(reference, {"name": "base", "value": "pa"})
        assert found.completion.values == ["Papers"]
        for name, given in (("nothing", {"question": "Who?"}), ("planner", {})):
            with pytest.raises(MCPError):
                await client.get_prompt(name, given)

    over_http(KeyScope.READ, work)
