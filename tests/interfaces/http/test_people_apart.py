"""Two people with keys of every scope: no route, verb or tool tells or changes what is the other one's."""

import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.testclient import TestClient

from core.app.services import Services
from core.documents.lifecycle.pending_uploads import UploadQuestion
from core.interfaces.http import admission
from core.interfaces.http.access import OPEN_PATHS, KeyGuard
from core.interfaces.http.app import make_app
from core.interfaces.http.mcp.tools import program_tools
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.models.embedding.encoder import sentence_encoder
from core.people.api_keys import KeyScope
from core.platform.clock import utc_now
from core.platform.errors import ForbiddenError, NotFoundError
from core.platform.identity import SYSTEM, Person, Role, acting_as, group_subject
from core.platform.settings.settings import load_settings
from core.platform.sql.access_rules import OF_BASES, OWNED, PARTS
from core.platform.sql.engine import reading
from core.runs.evaluation.model import Case
from core.runs.execution.consent import Consent
from core.runs.model import Complaint, Feedback, RunRequest, RunStatus, Verdict
from tests.store.samples import publish

ADA, BOB = Person("ada-id", "Ada", "ada@example.org"), Person("bob-id", "Bob", "bob@example.org")
SECRET = "Zanzibar"
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
FILES = ("file", "nodes", "edges", "edits")
"""Fields of forms that are files."""
NODES = b'[{"id": "1", "name": "Google", "type": "ORG"}]'
TEXT = f"{SECRET} was reached by Google in 2018. Ada Lovelace worked in London on BERT."


@dataclass(frozen=True)
class World:
    services: Services
    app: FastAPI
    ids: Mapping[str, str]
    """Of what is Ada's, by the names that routes and bodies have for them."""
    ada: TestClient
    bob: TestClient
    bobs_key: str


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    patch = pytest.MonkeyPatch()
    patch.setattr(sentence_encoder, "is_installed", lambda: False)
    folder: Path = tmp_path_factory.mktemp("shared") / "data"
    patch.setenv("GRAPHTALK_DATA", str(folder))
    patch.setenv("API_REQUESTS_PER_MINUTE", "100000")
    with Services(load_settings(folder), shared=True) as services:
        app = make_app(lambda: services)
        keys = {}
        for person in (ADA, BOB):
            services.storage.access.people.enter(person, utc_now())
            with acting_as(person):
                keys[person] = services.storage.access.api_keys.make("key", KeyScope.ADMIN)
        with acting_as(ADA):
            ids = {**_filled(services), "key_id": keys[ADA][0].id}
        clients = {person: _client(app, secret) for person, (_, secret) in keys.items()}
        yield World(services, app, ids, clients[ADA], clients[BOB], keys[BOB][0].id)
    patch.undo()


def _client(app: FastAPI, secret: str) -> TestClient:
    headers = {"Authorization": f"Bearer {secret}"}
    return TestClient(app, "http://localhost", headers=headers, raise_server_exceptions=False)


def _filled(services: Services) -> dict[str, str]:
    base = services.library.bases.create("Quarterly")
    document = publish(services.library, base, f"{SECRET}.pdf", TEXT)
    services.search.rebuild(base.id)
    thread = services.threads.create(SECRET, base.id, "adaptive")
    run = services.runs.start(RunRequest(SECRET, base.id, "adaptive", thread.id), thread.id, "built-in")
    services.runs.finish(replace(run, status=RunStatus.DONE, answer=TEXT, outcome="answered"))
    memory = Memory(
        id="memory-of-ada",
        text=f"{SECRET} is warm.",
        kind=MemoryKind.FACT,
        importance=5,
        confidence=0.9,
        status=MemoryStatus.ACTIVE,
        created_at=utc_now(),
        last_used_at=utc_now(),
        base_id=base.id,
        index_version=1,
        thread_id=thread.id,
        run_id=run.id,
    )
    services.memories.save(memory)
    services.storage.records.feedback.give(Feedback(run.id, Verdict.DOWN, Complaint.WRONG, f"{SECRET} is not in it."))
    questions = services.storage.records.evaluations.keep_list(f"About {SECRET}", [Case("case", f"Where is {SECRET}?")])
    evaluation = services.answering.evaluator.begin(questions.id, base.id, ["adaptive"])
    entity = services.graph.search(base.id, "Google", 1)[0]
    chunk = services.library.passages.chunks(document.id)[0]
    return {
        "base_id": base.id,
        "document_id": document.id,
        "entity_id": entity.id,
        "thread_id": thread.id,
        "run_id": run.id,
        "memory_id": memory.id,
        "chunk_id": chunk.id,
        "base": base.name,
        "list_id": questions.id,
        "evaluation_id": evaluation.id,
        "format": "edges",
    }


def contents(services: Services) -> list[str]:
    """All that Ada sees."""
    with acting_as(ADA), reading(services.storage.engine) as connection:
        return [
            repr(connection.execute(select(table)).all()) for table in {**OF_BASES, **PARTS, **dict.fromkeys(OWNED)}
        ]


def body(schema: Mapping[str, Any], document: Mapping[str, Any], given: str) -> Any:
    """Something that fits the schema and names what is given wherever a text is asked for."""
    if "$ref" in schema:
        return body(document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], document, given)
    if "anyOf" in schema:
        return body(schema["anyOf"][0], document, given)
    if "enum" in schema or "const" in schema:
        return schema.get("const", (schema.get("enum") or [None])[0])
    match schema.get("type"):
        case "object" | None:
            return {name: body(part, document, given) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [body(schema.get("items", {}), document, given)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
    return "adaptive" if "workflow" in schema.get("title", "").lower() else given


def operations(app: FastAPI) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, verbs in app.openapi()["paths"].items():
        for verb, operation in verbs.items():
            yield verb.upper(), path, operation


def test_no_route_tells_or_changes_anything_of_the_other_one(world: World) -> None:
    before, document, tried = contents(world.services), world.app.openapi(), 0
    made_by_bob: set[str] = set()
    """Bases of his own, under what is Ada's to name."""
    for verb, path, operation in operations(world.app):
        contents_of = operation.get("requestBody", {}).get("content", {})
        content, form = contents_of.get("application/json", {}), contents_of.get("multipart/form-data", {})
        for given in ("", *world.ids.values()):
            by_name = {**world.ids, "page": "1", "model": "adaptive"}
            filled = re.sub(r"\{page\}", "1", path)
            filled = re.sub(r"\{(\w+)(:\w+)?\}", partial(_one, given, by_name), filled)
            names = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
            sent: dict[str, Any] = {}
            if content:
                sent = {"json": body(content["schema"], document, given or world.ids["base_id"])}
            elif form:
                fields = body(form["schema"], document, given)
                sent = {"data": fields, "files": {name: (f"{given}.json", NODES) for name in FILES if name in fields}}
            for parameters in ({}, dict.fromkeys(names, given or "Google")) if names else ({},):
                answer = world.bob.request(verb, filled, params=parameters, **sent)
                tried += 1
                assert SECRET not in answer.text, (verb, filled, parameters)
                assert answer.status_code != 500, (verb, filled, answer.text)
                if "{" in path and "{model" not in path and answer.status_code < 400:
                    assert "{base_id}" in path, (verb, filled, answer.text)
                    assert filled.split("/")[4] in made_by_bob, (verb, filled, answer.text)
                if (verb, answer.status_code) == ("POST", 201) and path == "/api/v1/bases":
                    made_by_bob.add(answer.json()["name"])
    assert tried > 500
    assert contents(world.services) == before
    assert "Quarterly" in world.ada.get("/api/v1/bases").text
    assert SECRET in world.ada.get(f"/api/v1/documents/{world.ids['document_id']}").text


def _one(given: str, by_name: Mapping[str, str], part: re.Match[str]) -> str:
    return given or by_name[part[1]]


def test_no_tool_or_resource_of_mcp_tells_anything_of_the_other_one(world: World) -> None:
    before = contents(world.services)
    told = [_mcp(world.bob, "resources/list", {})]
    for tool in program_tools():
        schema = tool.schema()
        for given in world.ids.values():
            arguments = body(schema, {"components": {"schemas": schema.get("$defs", {})}}, given)
            told.append(_mcp(world.bob, "tools/call", {"name": tool.name, "arguments": arguments}))
    for given in world.ids.values():
        for address in (f"graphtalk://documents/{given}", f"graphtalk://documents/{given}/pages/1"):
            told.append(_mcp(world.bob, "resources/read", {"uri": address}))
    assert [text for text in told if SECRET in text] == []
    assert contents(world.services) == before
    assert f"{SECRET}.pdf" in _mcp(world.ada, "resources/list", {})


def _mcp(client: TestClient, method: str, params: Mapping[str, Any]) -> str:
    headers = {"Accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    answer = client.post("/mcp", json=message, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_a_shared_base_is_read_by_a_reader_and_changed_by_an_editor(world: World) -> None:
    services, document = world.services, f"/api/v1/documents/{world.ids['document_id']}"
    shared = world.ids["base_id"]
    with acting_as(ADA):
        services.storage.access.shares.share(shared, BOB.id, Role.READER)
    assert SECRET in world.bob.get(document).text
    assert world.bob.patch(document, json={"form": True}).status_code == 403
    assert world.bob.delete(document).status_code == 403
    assert world.bob.delete(f"/api/v1/bases/{shared}").status_code == 403
    assert world.bob.get(f"/api/v1/threads/{world.ids['thread_id']}").status_code == 404
    with acting_as(ADA):
        services.storage.access.shares.share(shared, BOB.id, Role.EDITOR)
    assert world.bob.patch(document, json={"form": True}).status_code == 200
    assert world.bob.delete(f"/api/v1/bases/{shared}").status_code == 403
    with acting_as(ADA):
        services.storage.access.shares.withdraw(shared, BOB.id)
    assert world.bob.get(document).status_code == 404


def test_a_sign_in_without_the_group_takes_its_bases_from_sessions_that_are_still_open(world: World) -> None:
    services, base = world.services, world.ids["base_id"]
    enter, noon = services.storage.access.people.enter, utc_now() + timedelta(hours=1)
    first, second = replace(BOB, groups=("ships", "ports")), replace(BOB, groups=("ports",))
    with acting_as(ADA):
        services.storage.access.shares.share(base, group_subject("ships"), Role.EDITOR)
    enter(first, noon)
    document = f"/api/v1/documents/{world.ids['document_id']}"
    with acting_as(first):
        assert services.library.bases.get(base).id == base
        assert services.search.retriever.chunks(base, SECRET, 1)
        assert SECRET in world.bob.get(document).text
        enter(second, noon + timedelta(minutes=1))
        enter(first, noon)  # its page is opened again, as after a restart
        found = partial(services.search.retriever.chunks, base, SECRET, 1)
        for lost in (partial(services.library.bases.get, base), found):
            with pytest.raises(NotFoundError):
                lost()
        assert services.library.passages.get([world.ids["chunk_id"]]) == []
        assert world.bob.get(document).status_code == 404
    enter(BOB, noon + timedelta(minutes=2))
    with acting_as(ADA):
        services.storage.access.shares.withdraw(base, group_subject("ships"))


def test_a_reader_changes_nothing_outside_sql_either(world: World) -> None:
    """Indexes, trash, readings that await a decision: what is refused must be refused before anything is touched."""
    services, ids = world.services, world.ids
    base, document, lifecycle = ids["base_id"], ids["document_id"], services.lifecycle
    with acting_as(ADA):
        services.storage.access.shares.share(base, BOB.id, Role.READER)
        services.storage.access.shares.withdraw(base, BOB.id)
        lifecycle.remove_document(publish(services.library, services.library.bases.get(base), "old.pdf", "Old.").id)
        services.storage.access.shares.share(base, BOB.id, Role.READER)
        gone = lifecycle.removal.deleted(base)[0].document.id
        held = lifecycle.uploads.pending.hold(base, "held.txt", b"held", UploadQuestion.START)
    before, folder = contents(services), services.settings.data
    files = {path: path.read_bytes() for path in _kept_files(folder)}
    changes: tuple[Callable[[], object], ...] = (
        lambda: lifecycle.intake.add(base, "new.txt", b"new"),
        lambda: lifecycle.intake.cancel(document),
        lambda: lifecycle.intake.parse_again(document, ""),
        lambda: lifecycle.uploads.arrive(base, "new.txt", b"new"),
        lambda: lifecycle.uploads.leave(held),
        lambda: lifecycle.reparse.begin(document, ""),
        lambda: lifecycle.reparse.keep_new(document),
        lambda: lifecycle.reparse.keep_old(document),
        lambda: lifecycle.chunk_editor.rewrite(document, ids["chunk_id"], "Something else."),
        lambda: lifecycle.chunk_editor.switch(ids["chunk_id"], False),
        lambda: lifecycle.graph_import.take(base, NODES, b"[]"),
        lambda: lifecycle.remove_document(document),
        lambda: lifecycle.removal.restore(gone),
        lambda: lifecycle.removal.forget([gone]),
        lambda: lifecycle.base_removal.remove(base),
    )
    with acting_as(BOB):
        for change in changes:
            with pytest.raises(ForbiddenError):
                change()
        lifecycle.base_removal.forget([base])
    with acting_as(ADA):
        services.storage.access.shares.withdraw(base, BOB.id)
    assert contents(services) == before
    assert {path: path.read_bytes() for path in _kept_files(folder)} == files


def _kept_files(folder: Path) -> list[Path]:
    return [
        path
        for name in ("files", "trash", "versions", "held", "spool", "lexical", "chroma")
        for path in (folder / name).rglob("*")
        if path.is_file() and path.suffix != ".lock"
    ]


def test_a_run_in_another_process_is_stopped_and_answered_by_its_person_alone(world: World) -> None:
    services, ids = world.services, world.ids
    with acting_as(ADA):
        request = RunRequest("What?", ids["base_id"], "planner", ids["thread_id"])
        run = services.runs.start(request, ids["thread_id"], "built-in", "elsewhere")
    with acting_as(BOB):
        assert (services.worker.answer(run.id, Consent.ONCE), services.worker.stop(run.id)) == (False, False)
    with acting_as(ADA):
        assert services.runs.commands("elsewhere") == []
        assert (services.worker.answer(run.id, Consent.ONCE), services.worker.stop(run.id)) == (True, True)
        services.runs.finish(replace(run, status=RunStatus.STOPPED), "elsewhere")


def test_a_deleted_base_is_restored_by_its_owner_alone(world: World) -> None:
    with acting_as(ADA):
        base = world.services.library.bases.create("Gone")
    assert world.ada.delete(f"/api/v1/bases/{base.id}").status_code == 204
    assert "Gone" not in world.bob.get("/api/v1/bases/deleted").text
    assert world.bob.post(f"/api/v1/bases/{base.id}/restore").status_code == 404
    assert "Gone" in world.ada.get("/api/v1/bases/deleted").text
    assert world.ada.post(f"/api/v1/bases/{base.id}/restore").status_code == 200


def test_keys_of_nobody_and_of_people_unknown_here_open_nothing(world: World) -> None:
    keys = world.services.storage.access.api_keys
    for person in (SYSTEM, Person("stranger")):
        with acting_as(person):
            _, secret = keys.make("key", KeyScope.ADMIN)
        assert _client(world.app, secret).get("/api/v1/bases").status_code == 401


def test_a_persons_key_opens_nothing_where_people_no_longer_sign_in(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.services.storage, "shared", False)
    assert world.bob.get("/api/v1/bases").status_code == 401


def test_a_revoked_key_opens_nothing(world: World) -> None:
    keys = world.services.storage.access.api_keys
    with acting_as(ADA):
        made, secret = keys.make("short-lived", KeyScope.ADMIN)
    with acting_as(BOB), pytest.raises(NotFoundError):
        keys.revoke(made.id)
    client = _client(world.app, secret)
    assert client.get("/api/v1/bases").status_code == 200
    with acting_as(ADA):
        keys.revoke(made.id)
    paths = {path for _, path, _ in operations(world.app)} - OPEN_PATHS | {"/mcp", "/nothing"}
    refused = [client.request(verb, path) for path in paths for verb in VERBS]
    assert len(refused) > 300
    assert {(answer.status_code, SECRET in answer.text) for answer in refused} == {(401, False)}


def test_a_stream_ends_when_its_key_is_revoked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "CHECK_SECONDS", 0.0)
    keys = world.services.storage.access.api_keys
    with acting_as(ADA):
        made, secret = keys.make("short-lived", KeyScope.ADMIN)

    async def told() -> AsyncGenerator[str]:
        yield "before "
        with acting_as(ADA):
            await run_in_threadpool(keys.revoke, made.id)
        for _ in range(100):
            yield "after "

    app = KeyGuard(StreamingResponse(told()), lambda: world.services)
    answer = _client(cast(FastAPI, app), secret).get("/api/v1/runs/any/events")
    assert (answer.status_code, answer.text) == (200, "before ")


def test_a_question_beyond_a_persons_share_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = world.services.storage.access.people.spent(ADA.id, utc_now() - timedelta(days=1))
    settings = world.services.settings.model_copy(update={"person_questions_per_day": len(spent)})
    monkeypatch.setattr(world.services.configuration, "settings", settings)
    answer = world.ada.post("/api/v1/ask", json={"question": "Who?", "base": world.ids["base_id"]})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:graphtalk:people.budget.questions")
    again = spent[0][0] + timedelta(days=1, minutes=1)
    assert f"You may ask again from {again:%Y-%m-%d %H:%M} UTC" in answer.json()["detail"]
    told = _mcp(world.ada, "tools/call", {"name": "ask", "arguments": {"question": "Who?", "base": world.ids["base"]}})
    assert f"You may ask again from {again:%Y-%m-%d %H:%M} UTC" in told


def test_figures_tell_of_everybody_and_only_to_administrators(world: World) -> None:
    enter, later = world.services.storage.access.people.enter, utc_now() + timedelta(hours=2)
    refused = world.bob.get("/api/v1/metrics")
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:graphtalk:api.problem.metrics")
    enter(replace(BOB, admin=True), later)
    with acting_as(SYSTEM):
        count = len(world.services.library.bases.all())
    with acting_as(BOB):
        assert len(world.services.library.bases.all()) < count
    assert f"\ngraphtalk_knowledge_bases {count}\n" in world.bob.get("/api/v1/metrics").text
    enter(BOB, later + timedelta(minutes=1))


def test_reading_what_somebody_shared_is_in_the_audit_log_without_contents(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, base, document = world.services, world.ids["base_id"], world.ids["document_id"]
    with acting_as(ADA):
        services.storage.access.shares.share(base, BOB.id, Role.READER)
    log = services.storage.access.audit
    monkeypatch.setattr(log, "clock", lambda: utc_now() + timedelta(days=1))  # opening is noted once a day
    before = len(log.newest(100_000))
    for _ in range(2):
        assert world.ada.get(f"/api/v1/bases/{base}").status_code == 200
        assert world.bob.get(f"/api/v1/documents/{document}").status_code == 200
        assert world.bob.get(f"/api/v1/bases/{base}/graph/files/edges").status_code == 200
    fresh = [(each.person_id, each.action, each.target) for each in log.newest(len(log.newest(100_000)) - before)]
    assert sorted(fresh) == [
        (BOB.id, "base.opened", base),
        (BOB.id, "graph.exported", base),
        (BOB.id, "graph.exported", base),
    ]
    assert not any(SECRET in repr(each) for each in log.newest(100_000))
    with acting_as(ADA):
        services.storage.access.shares.withdraw(base, BOB.id)


def test_the_audit_log_says_who_changed_what(world: World) -> None:
    with acting_as(ADA):
        world.services.library.bases.create("Noted")
    newest = world.services.storage.access.audit.newest(1)[0]
    assert (newest.person_id, newest.action) == (ADA.id, "base.made")
