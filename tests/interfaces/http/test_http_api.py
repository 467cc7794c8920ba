"""What programs do over HTTP, over the real services."""

import csv
import json
import re
import time
from asyncio import to_thread
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO, StringIO
from threading import Event as Arrival
from typing import Any
from unittest.mock import patch

import httpx2
import networkx as nx
import pytest
from starlette.testclient import TestClient

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.documents.model import Document, DocumentStatus, KnowledgeBase
from core.graph.files.exports import EXPORTS, ExportFormat
from core.interfaces.http.asking import answered
from core.memory.keeping import new_memory
from core.memory.model import AnswerForm, MemoryKind, MemoryStatus, PreferredForm
from core.models.ports import Pause
from core.people.api_keys import KeyScope
from core.platform.errors import NotFoundError, RetryableServiceError
from core.runs.events import Event, NodeStarted, PreferencesFollowed, RunFinished
from core.runs.model import RunPurpose, RunRequest
from tests.interfaces.http.conftest import PAGES, Client
from tests.store.samples import add

QUESTION = "What did Google describe in 2018?"


def wait_until(happened: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.05)


def told(text: str) -> list[tuple[str, Any]]:
    """(event, data) of server-sent events."""
    found = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "data" in lines:
            found.append((lines.get("event", ""), json.loads(lines["data"])))
    return found


def test_health_and_readiness_need_no_key_and_tell_nothing_of_contents(admin: TestClient) -> None:
    admin.headers.pop("Authorization")
    assert admin.get("/api/v1/health").json() == {"status": "ok"}
    ready = admin.get("/api/v1/ready")
    assert ready.status_code == 200
    assert set(ready.json()) == {"ready", "database", "vectors", "data_folder", "ingestion", "model", "questions"}
    with patch.object(Services, "model_pause", return_value=Pause("llm.timeout", 9.0)):
        resting = admin.get("/api/v1/ready")
    assert (resting.status_code, resting.json()["ready"], resting.json()["model"]) == (200, True, False)


def test_bases_are_made_renamed_deleted_and_restored(admin: TestClient) -> None:
    made = admin.post("/api/v1/bases", json={"name": "Short-lived"})
    assert made.status_code == 201
    place = f"/api/v1/bases/{made.json()['id']}"
    assert admin.post("/api/v1/bases", json={"name": "Short-lived"}).status_code == 422
    changed = admin.patch(place, json={"name": "Renamed", "entity_types": ["gene"]}).json()
    assert (changed["name"], changed["entity_types"]) == ("Renamed", ["GENE"])
    other = admin.post("/api/v1/bases", json={"name": "Taken"}).json()["id"]
    assert admin.patch(place, json={"name": "Taken", "entity_types": ["drug"]}).status_code == 422
    assert admin.get(place).json()["entity_types"] == ["GENE"]
    admin.delete(f"/api/v1/bases/{other}")
    assert admin.delete(place).status_code == 204
    assert admin.get(place).status_code == 404
    assert "Renamed" in [base["name"] for base in admin.get("/api/v1/bases/deleted").json()]
    assert admin.post(f"{place}/restore").json()["name"] == "Renamed"
    admin.delete(place)


def test_documents_are_listed_read_by_page_deleted_and_restored(
    admin: TestClient, base: KnowledgeBase, document: Document
) -> None:
    listed = admin.get(f"/api/v1/bases/{base.id}/documents", params={"query": "models", "status": "ready"}).json()
    assert [found["id"] for found in listed] == [document.id]
    page = admin.get(f"/api/v1/documents/{document.id}/pages/2").json()
    assert (page["text"], page["pages"]) == (PAGES[1], 2)
    assert page["blocks"][0]["box"]
    assert admin.get(f"/api/v1/documents/{document.id}/pages/3").status_code == 404
    assert admin.delete(f"/api/v1/documents/{document.id}").status_code == 204
    assert admin.get(f"/api/v1/documents/{document.id}").status_code == 404
    assert [gone["id"] for gone in admin.get(f"/api/v1/bases/{base.id}/documents/deleted").json()] == [document.id]
    assert admin.post(f"/api/v1/documents/{document.id}/restore").json()["status"] == "ready"


def test_an_upload_is_stored_and_followed_until_it_has_settled(
    admin: TestClient, services: Services, base: KnowledgeBase
) -> None:
    path = f"/api/v1/bases/{base.id}/documents"
    taken = admin.post(path, files={"file": ("notes.md", b"# Notes\nPlain text.")})
    assert taken.status_code == 202
    assert (taken.json()["name"], taken.json()["is_new"]) == ("notes.md", True)
    again = admin.post(path, files={"file": ("notes.md", b"# Notes\nPlain text.")})
    assert again.json()["is_new"] is False
    found = taken.json()["id"]
    assert admin.get(f"/api/v1/documents/{found}/file").content == b"# Notes\nPlain text."
    assert admin.post(f"/api/v1/documents/{found}/cancel").json()["status"] == DocumentStatus.CANCELLED
    events = told(admin.get(f"/api/v1/documents/{found}/progress").text)
    assert [name for name, _ in events] == ["progress", "end"]
    assert events[0][1]["status"] == "cancelled"
    assert admin.delete(f"/api/v1/documents/{found}").status_code == 204


def test_what_has_failed_is_read_again_and_what_is_ready_stays_as_people_corrected_it(
    admin: TestClient, services: Services, base: KnowledgeBase, document: Document
) -> None:
    refused = admin.post(f"/api/v1/documents/{document.id}/retry")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:graphtalk:api.problem.nothing_to_retry")
    assert document.id not in services.ingestion.queue.waiting()
    failed = add(services.library, base, "failed.pdf")
    services.library.ingest_records.fail(failed.id, "error.document_missing", {})
    again = admin.post(f"/api/v1/documents/{failed.id}/retry")
    assert (again.status_code, again.json()["status"]) == (202, DocumentStatus.QUEUED)
    admin.delete(f"/api/v1/documents/{failed.id}")


def test_a_changed_file_asks_for_a_decision(admin: TestClient, base: KnowledgeBase, document: Document) -> None:
    path = f"/api/v1/bases/{base.id}/documents"
    refused = admin.post(path, files={"file": ("models.pdf", b"other bytes")})
    assert refused.status_code == 409
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "urn:graphtalk:api.problem.changed"
    assert document.id in refused.json()["detail"]
    taken = admin.post(path, files={"file": ("models.pdf", b"other bytes")}, data={"changed": "keep_both"})
    assert taken.status_code == 202
    admin.delete(f"/api/v1/documents/{taken.json()['id']}")


def test_bodies_have_a_limit_and_misspelt_fields_are_refused(admin: TestClient, base: KnowledgeBase) -> None:
    large = admin.post("/api/v1/ask", json={"question": "x" * 1_100_000})
    assert large.status_code == 413
    wrong = admin.post("/api/v1/ask", json={"question": "x", "bsae": "Papers"})
    assert wrong.status_code == 422
    assert "bsae" in wrong.json()["detail"]
    assert admin.post(f"/api/v1/bases/{base.id}/documents", data={"parser": "x"}).status_code == 422


def test_a_declined_question_says_why(admin: TestClient, base: KnowledgeBase, document: Document) -> None:
    asked = {"question": "Who won the football world cup in 1998?", "base": base.id}
    answer = admin.post("/api/v1/ask", json=asked).json()
    assert answer["outcome"] in {"not_found", "closest"}
    found = answer["assessment"]
    assert found["probability"] < found["threshold"]
    assert found["reasons"][0]["key"].startswith("run.declined.")
    assert found["reasons"][0]["message"]


def test_a_question_is_answered_with_citations(admin: TestClient, base: KnowledgeBase, document: Document) -> None:
    answer = admin.post("/api/v1/ask", json={"question": QUESTION, "base": "Papers"}).json()
    assert answer["status"] == "done"
    assert "BERT" in answer["answer"]
    assert answer["citations"][0]["document_id"] == document.id
    assert answer["citations"][0]["page"] == 1
    thread = admin.get(f"/api/v1/threads/{answer['thread_id']}").json()
    assert [run["id"] for run in thread["runs"]] == [answer["run_id"]]
    follow_up = {"question": "And where did Ada Lovelace work?", "base": base.id, "thread_id": answer["thread_id"]}
    assert admin.post("/api/v1/ask", json=follow_up).json()["thread_id"] == answer["thread_id"]
    listed = admin.get("/api/v1/runs", params={"question": "Ada", "limit": 1}).json()
    assert listed[0]["question"] == follow_up["question"]
    place = f"/api/v1/threads/{answer['thread_id']}"
    assert admin.patch(place, json={"title": " \n"}).status_code == 422
    assert admin.patch(place, json={"title": " Models "}).json()["title"] == "Models"
    assert admin.patch(place, json={"title": "On models", "pinned": True}).json()["title"] == "On models"
    assert admin.delete(place).status_code == 204
    assert answer["thread_id"] not in [found["id"] for found in admin.get("/api/v1/threads").json()]
    assert admin.post(f"{place}/restore").json()["pinned"] is True


def test_a_question_is_answered_by_the_events_that_the_page_draws(
    admin: TestClient, services: Services, base: KnowledgeBase
) -> None:
    asked = {"question": QUESTION, "base": base.id}
    answer = admin.post("/api/v1/ask", json=asked, headers={"Accept": "text/event-stream"})
    *events, (last, whole) = told(answer.text)
    run_id = answer.headers["X-Run-Id"]
    assert (last, whole["run_id"], "BERT" in whole["answer"]) == ("answer", run_id, True)
    assert whole["citations"]
    logged = services.runs.events(run_id, 0)
    assert [data["number"] for _, data in events] == [number for number, _ in logged]
    assert [name for name, _ in events] == [type(event).__name__ for _, event in logged]
    assert events[-1][0] == RunFinished.__name__
    listed = admin.get(f"/api/v1/runs/{run_id}/events").json()
    assert [event["number"] for event in listed] == [data["number"] for _, data in events]
    rest = admin.get(
        f"/api/v1/runs/{run_id}/events",
        headers={"Accept": "text/event-stream", "Last-Event-ID": str(logged[-2][0])},
    )
    assert [name for name, _ in told(rest.text)] == [RunFinished.__name__]
    far = f"/api/v1/runs/{run_id}/events?after={10**20}"
    for refused in (admin.get(far), admin.get(far.partition("?")[0], headers={"Last-Event-ID": str(10**20)})):
        assert (refused.status_code, "10000000" in refused.json()["detail"]) == (422, True)


def test_a_stream_goes_on_when_the_database_is_back(
    admin: TestClient, services: Services, base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, outages = services.runs.events, iter([True, True])

    def events(*given: Any) -> list[tuple[int, Event]]:
        if next(outages, False):
            raise RetryableServiceError("storage.unavailable", reason="gone")
        return read(*given)

    monkeypatch.setattr(services.runs, "events", events)
    asked = {"question": QUESTION, "base": base.id}
    answer = admin.post("/api/v1/ask", json=asked, headers={"Accept": "text/event-stream"})
    assert [name for name, _ in told(answer.text)[-2:]] == [RunFinished.__name__, "answer"]
    assert next(outages, None) is None


def test_a_key_of_scope_read_asks_without_leaving_a_conversation_or_memories(
    admin: TestClient, client_of: Client, services: Services
) -> None:
    reader = client_of(KeyScope.READ)
    answer = reader.post("/api/v1/ask", json={"question": QUESTION, "base": "Papers"}).json()
    assert "BERT" in answer["answer"]
    assert services.runs.get(answer["run_id"]).purpose is RunPurpose.API
    assert answer["thread_id"] not in [thread.id for thread in services.threads.find()]
    for more in ({"thread_id": answer["thread_id"]}, {"web": True}):
        assert reader.post("/api/v1/ask", json={"question": QUESTION, **more}).status_code == 403
    before = len(services.memories.find())
    reader.post("/api/v1/ask", json={"question": "Remember that I prefer short answers.", "base": "Papers"})
    assert len(services.memories.find()) == before


def test_a_moment_that_utc_does_not_have_is_refused(admin: TestClient) -> None:
    for moment in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"):
        refused = admin.get("/api/v1/runs", params={"since": moment})
        assert (refused.status_code, "years 1 to 9999" in refused.json()["detail"]) == (422, True)


def test_a_thread_that_does_not_exist_and_an_unknown_workflow_are_problems(admin: TestClient) -> None:
    for more in ({"thread_id": "nothing"}, {"workflow": "nothing"}, {"base": "nothing"}):
        refused = admin.post("/api/v1/ask", json={"question": QUESTION, "base": "Papers", **more})
        assert refused.status_code == 404
        assert refused.headers["content-type"] == "application/problem+json"


def test_passages_are_found_without_an_answer(admin: TestClient, base: KnowledgeBase, document: Document) -> None:
    found = admin.post(f"/api/v1/bases/{base.id}/retrieve", json={"query": QUESTION, "limit": 1}).json()
    assert [passage["document_id"] for passage in found["passages"]] == [document.id]
    assert found["passages"][0]["page"] == 1


def test_the_graph_is_searched_walked_and_edited(admin: TestClient, base: KnowledgeBase) -> None:
    graph = f"/api/v1/bases/{base.id}/graph"
    ids = {it["name"]: it["id"] for it in admin.get(f"{graph}/entities").json()}
    assert admin.get(graph).json()["entities"] == len(ids) >= 5
    around = admin.get(f"{graph}/entities/{ids['BERT']}/neighbours").json()
    assert "Transformer" in {neighbour["entity"]["name"] for neighbour in around}
    way = admin.get(f"{graph}/path", params={"source": ids["London"], "target": ids["attention"]}).json()
    assert way["entities"][0]["name"] == "London"
    assert admin.get(f"{graph}/entities/{ids['BERT']}/mentions").json()[0]["document"] == "models.pdf"
    edits = [
        {"kind": "rename", "entity": ids["London"], "name": "City of London"},
        {"kind": "state", "source": ids["Ada Lovelace"], "relation": "lived in", "target": ids["London"]},
    ]
    made = admin.post(f"{graph}/edits", json={"edits": edits})
    assert made.status_code == 201
    assert len({edit["batch"] for edit in made.json()}) == 1
    assert admin.get(f"{graph}/entities/{ids['London']}").json()["name"] == "City of London"
    pair = {"entity": [ids["Ada Lovelace"], ids["London"]]}
    assert "lived in" in {it["relation"] for it in admin.get(f"{graph}/relations", params=pair).json()}
    assert len(admin.post(f"{graph}/undo").json()) == 2
    assert admin.get(f"{graph}/entities/{ids['London']}").json()["name"] == "London"
    assert len(admin.post(f"{graph}/redo").json()) == 2
    admin.post(f"{graph}/undo")
    assert [edit["undone"] for edit in admin.get(f"{graph}/edits").json()] == [True, True]
    other = admin.post("/api/v1/bases", json={"name": "Other"}).json()["id"]
    assert admin.get(f"/api/v1/bases/{other}/graph/entities/{ids['BERT']}").status_code == 404
    admin.delete(f"/api/v1/bases/{other}")


def test_the_graph_goes_out_as_files_and_comes_in_with_a_preview(
    admin: TestClient, client_of: Client, base: KnowledgeBase, document: Document
) -> None:
    graph = f"/api/v1/bases/{base.id}/graph"
    taken = {kind.value: admin.get(f"{graph}/files/{kind}") for kind in ExportFormat}
    assert {answer.status_code for answer in taken.values()} == {200}
    assert {answer.headers["content-type"].partition(";")[0] for answer in taken.values()} == {
        each.media_type for each in EXPORTS.values()
    }
    names = [set(nx.read_graphml(BytesIO(taken[ExportFormat.GRAPHML].content)).nodes)]
    names += [set(nx.read_gexf(BytesIO(taken[ExportFormat.GEXF].content)).nodes)]
    names += [
        {row["id"] for row in csv.DictReader(StringIO(taken[ExportFormat.ENTITIES_CSV].content.decode("utf-8-sig")))}
    ]
    entities = {each["id"] for each in admin.get(f"{graph}/entities", params={"limit": 200}).json()}
    assert names == [entities] * 3
    edges = list(csv.DictReader(StringIO(taken[ExportFormat.RELATIONS_CSV].content.decode("utf-8-sig"))))
    assert {row["source"] for row in edges} <= entities
    assert len(edges) == admin.get(graph).json()["relations"]
    assert admin.get(f"{graph}/files/pickle").status_code == 422
    assert taken["nodes"].headers["content-disposition"] == 'attachment; filename="kg_nodes.json"'
    assert "BERT" in {node["name"] for node in taken["nodes"].json()}
    other = f"/api/v1/bases/{admin.post('/api/v1/bases', json={'name': 'Copy'}).json()['id']}/graph"
    files = {kind: (f"kg_{kind}.json", taken[kind].content) for kind in ("nodes", "edges")}
    seen = admin.post(f"{other}/files", files=files, data={"preview": "true"}).json()
    count = len(taken["nodes"].json())
    assert (seen["imported"], seen["new"], admin.get(other).json()["entities"]) == (False, count, 0)
    assert client_of(KeyScope.READ).post(f"{other}/files", files=files).status_code == 403
    assert admin.post(f"{other}/files", files=files).json()["imported"] is True
    assert admin.get(other).json()["entities"] == count
    wrong = admin.post(f"{other}/files", files={**files, "nodes": ("kg_nodes.json", b"[1]")})
    assert (wrong.status_code, wrong.headers["content-type"]) == (422, "application/problem+json")
    edits = {"edits": ("kg_edits.json", taken["edits"].content)}
    seen = admin.post(f"{other}/files/edits", files=edits, data={"preview": "true"}).json()
    assert seen == {"edits": len(taken["edits"].json()), "fitting": seen["edits"], "imported": False}
    assert admin.post(f"{other}/files/edits", files=edits).json()["imported"] is True
    assert len(admin.get(f"{other}/edits").json()) == seen["edits"] > 0
    admin.delete(other.removesuffix("/graph"))


def test_an_answer_is_judged_with_a_reason(admin: TestClient, client_of: Client, base: KnowledgeBase) -> None:
    run = admin.post("/api/v1/ask", json={"question": QUESTION, "base": base.id}).json()["run_id"]
    place = f"/api/v1/runs/{run}/feedback"
    assert admin.get(place).status_code == 404
    given = {"verdict": "down", "complaint": "source", "comment": "Another\n page."}
    assert admin.put(place, json=given).json() == {"run_id": run, **given, "comment": "Another page."}
    assert admin.get(place).json()["complaint"] == "source"
    assert admin.put(place, json={"verdict": "up", "complaint": "wrong"}).status_code == 422
    assert admin.put(place, json={"verdict": "up"}).json()["verdict"] == "up"
    assert client_of(KeyScope.READ).delete(place).status_code == 403
    assert admin.delete(place).status_code == 204
    assert admin.get(place).status_code == 404
    assert admin.put("/api/v1/runs/nothing/feedback", json={"verdict": "up"}).status_code == 404


def test_questions_are_evaluated_in_the_background_and_compared(
    admin: TestClient, client_of: Client, services: Services, base: KnowledgeBase, document: Document
) -> None:
    lines = f'{{"question": "{QUESTION}", "document": "models.pdf", "page": 1, "answer": "BERT"}}\n'.encode()
    kept = admin.post("/api/v1/question-lists", files={"file": ("on models.jsonl", lines)})
    assert (kept.status_code, kept.json()["name"], kept.json()["cases"]) == (201, "on models", 1)
    list_id = kept.json()["id"]
    assert admin.get(f"/api/v1/question-lists/{list_id}").json()["questions"][0]["page"] == 1
    wrong = admin.post("/api/v1/question-lists", files={"file": ("x.csv", b"nothing,here\n1,2")})
    assert wrong.status_code == 422
    new = {"list_id": list_id, "base": base.name}
    assert client_of(KeyScope.READ).post("/api/v1/evaluations", json=new).status_code == 403
    assert admin.post("/api/v1/evaluations", json={**new, "list_id": "nothing"}).status_code == 404
    ids = []
    for _ in range(2):
        begun = admin.post("/api/v1/evaluations", json=new)
        assert (begun.status_code, begun.json()["questions"]) == (202, 1)
        ids.append(begun.json()["id"])
        wait_until(lambda: admin.get(f"/api/v1/evaluations/{ids[-1]}").json()["status"] == "done")
    report = admin.get(f"/api/v1/evaluations/{ids[1]}").json()
    assert report["error"] == ""
    assert report["asked"] == 1
    assert report["figures"][0]["right_answers"] == {"some": 1, "all": 1}
    assert (report["compared_with"], report["results"][0]["change"]) == (ids[0], "same")
    assert services.runs.get(report["results"][0]["run_id"]).purpose is RunPurpose.EVALUATION
    assert admin.post(f"/api/v1/evaluations/{ids[1]}/stop").json()["status"] == "done"
    listed = admin.get(f"/api/v1/question-lists/{list_id}/evaluations").json()
    assert [each["id"] for each in listed] == ids[::-1]
    assert admin.delete(f"/api/v1/question-lists/{list_id}").status_code == 204
    assert admin.get(f"/api/v1/evaluations/{ids[0]}").status_code == 404


def test_an_answer_says_which_remembered_wishes_it_followed(
    admin: TestClient, services: Services, base: KnowledgeBase, document: Document
) -> None:
    plain = admin.post("/api/v1/ask", json={"question": QUESTION, "base": base.id}).json()
    assert plain["preferences"] == []
    followed = PreferencesFollowed((PreferredForm("m", AnswerForm.SHORTER),))
    assert answered(services.runs.get(plain["run_id"]), [followed]).preferences == ["shorter"]


def test_an_answer_says_whether_vectors_were_still_being_made(
    admin: TestClient, services: Services, base: KnowledgeBase, document: Document
) -> None:
    asked = {"question": QUESTION, "base": base.id}
    assert admin.post("/api/v1/ask", json=asked).json()["search_unfinished"] is True
    while services.search.vector_builder.build(base.id):
        pass
    assert admin.post("/api/v1/ask", json=asked).json()["search_unfinished"] is False


def test_an_accepted_proposal_replaces_what_it_contradicts(admin: TestClient, services: Services) -> None:
    older, newer = (new_memory(f"Locker: {number}", MemoryKind.FACT, 5) for number in (274, 319))
    services.memories.save(older)
    services.memories.save(replace(newer, status=MemoryStatus.PROPOSED, thread_id="t1"))
    assert admin.patch(f"/api/v1/memories/{newer.id}", json={"status": "active"}).json()["status"] == "active"
    assert services.memories.get(older.id).superseded_by == newer.id


def test_a_replaced_memory_that_is_put_in_force_replaces_and_outlives_its_successor(
    admin: TestClient, services: Services
) -> None:
    older, newer = (new_memory(f"The Petrel lies at berth {number}.", MemoryKind.FACT, 5) for number in (12, 31))
    services.memories.save(newer)
    services.memories.save(replace(older, status=MemoryStatus.SUPERSEDED, superseded_by=newer.id))
    assert admin.patch(f"/api/v1/memories/{older.id}", json={"status": "active"}).json()["status"] == "active"
    assert admin.get(f"/api/v1/memories/{newer.id}").json()["status"] == "superseded"
    assert admin.delete(f"/api/v1/memories/{newer.id}").status_code == 204
    assert admin.get(f"/api/v1/memories/{older.id}").json()["status"] == "active"


def test_memories_are_kept_found_changed_and_deleted(admin: TestClient) -> None:
    made = admin.post("/api/v1/memories", json={"text": "The reader likes tables.", "kind": "preference"})
    assert made.status_code == 201
    place = f"/api/v1/memories/{made.json()['id']}"
    assert [it["id"] for it in admin.get("/api/v1/memories", params={"query": "tables"}).json()] == [made.json()["id"]]
    assert admin.patch(place, json={"text": "The reader likes lists.", "pinned": True}).json()["pinned"] is True
    assert admin.get(place).json()["text"] == "The reader likes lists."
    assert admin.post("/api/v1/memories", json={"text": "x", "importance": 11}).status_code == 422
    assert admin.delete(place).status_code == 204
    assert admin.get(place).status_code == 404


def test_the_earlier_chat_shape_keeps_its_sessions_and_tells_its_telemetry(
    admin: TestClient, client_of: Client, services: Services
) -> None:
    asked = {"message": QUESTION, "knowledge_base_name": "Papers", "session_id": "mine", "unknown": 1}
    answer = admin.post("/agent/chat", json=asked).json()
    assert "BERT" in answer["answer"]
    assert answer["session_id"] == "mine"
    assert answer["user_language"] == "en"
    assert answer["is_out_of_scope"] is False
    assert answer["prompt_versions"]
    again = admin.post("/agent/chat", json={**asked, "message": "And Ada Lovelace?"}).json()
    threads = {services.runs.get(found["trace_id"]).thread_id for found in (answer, again)}
    assert len(threads) == 1
    other = client_of(KeyScope.WRITE).post("/agent/chat", json=asked).json()
    assert services.runs.get(other["trace_id"]).thread_id not in threads
    events = told(admin.post("/agent/chat", json={**asked, "workflow": "planner", "stream": True}).text)
    nodes = [data["node"] for name, data in events if name == "progress" and data["status"] == "finished"]
    assert nodes[0] == "guard"
    assert nodes[-1] == "telemetry"
    name, final = events[-1]
    assert name == "answer"
    assert final["intent"]
    assert final["used_tools"] == ["retrieve_documents"]


@pytest.mark.parametrize("workflow", list(workflows()))
def test_the_pieces_of_a_streamed_answer_are_the_answer(admin: TestClient, workflow: str) -> None:
    asked = {"message": QUESTION, "knowledge_base_name": "Papers", "workflow": workflow, "stream": True}
    answer = admin.post("/agent/chat", json=asked)
    events = told(answer.text)
    text = ""
    for name, data in events:
        text = "" if name == "reset" else text + data["text"] if name == "token" else text
    assert text == events[-1][1]["answer"] != ""
    assert events[-1][1]["trace_id"] == answer.headers["X-Run-Id"]


def test_a_program_that_leaves_the_stream_stops_the_run(
    server: str, services: Services, base: KnowledgeBase, secrets: dict[KeyScope, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []
    thread = services.threads.create("left", base.id, "adaptive").id
    begun = services.runs.start(RunRequest(QUESTION, base.id, thread_id=thread), thread, "m")
    services.runs.append(begun.id, [NodeStarted("guard", 1)])
    monkeypatch.setattr(services.worker, "stop", stopped.append)
    monkeypatch.setattr(services.worker, "start", lambda _: begun.id)
    headers = {"Authorization": f"Bearer {secrets[KeyScope.WRITE]}"}
    asked = {"message": QUESTION, "knowledge_base_name": "Papers", "stream": True}
    with httpx2.stream("POST", f"{server}/agent/chat", json=asked, headers=headers, timeout=60) as stream:
        pieces = stream.iter_text()
        assert "progress" in next(pieces)
        assert stopped == []
    wait_until(lambda: stopped == [begun.id])


def test_a_stream_about_what_was_deleted_ends_with_a_line_in_the_log(
    admin: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def gone(run_id: str) -> None:
        raise NotFoundError("error.run_missing")

    monkeypatch.setattr("core.interfaces.http.agent_chat.run_in_threadpool", lambda *_: to_thread(gone, ""))
    asked = {"message": QUESTION, "knowledge_base_name": "Papers", "stream": True}
    names = {name for name, _ in told(admin.post("/agent/chat", json=asked).text)}
    assert ("progress" in names, "answer" in names) == (True, False)
    assert "a stream ends early: That run is no longer in the log." in caplog.messages
    assert not any(record.exc_info for record in caplog.records)


def test_an_exported_graph_is_sent_while_it_is_read(
    server: str, secrets: dict[KeyScope, str], base: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrived = Arrival()

    def made(_: object, base_id: str) -> Iterator[str]:
        yield f'["{base_id}"'
        assert arrived.wait(20), "nothing was sent before all was read"
        yield "]"

    monkeypatch.setitem(EXPORTS, ExportFormat.EDGES, replace(EXPORTS[ExportFormat.EDGES], make=made))
    headers = {"Authorization": f"Bearer {secrets[KeyScope.ASK]}"}
    address = f"{server}/api/v1/bases/{base.id}/graph/files/edges"
    with httpx2.stream("GET", address, headers=headers, timeout=60) as stream:
        pieces = stream.iter_text()
        first = next(pieces)
        arrived.set()
        assert json.loads(first + "".join(pieces)) == [base.id]


def test_the_openapi_document_describes_every_route_and_the_events_of_a_run(admin: TestClient) -> None:
    document = admin.get("/api/v1/openapi.json").json()
    assert {"NodeFinished", "AnswerReady", "RunFinished"} <= set(document["components"]["schemas"])
    operations = [one for path in document["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(names) == len(set(names)) > 40
    open_ones = {"health", "ready"}
    assert {one["operationId"] for one in operations if "security" not in one} == open_ones


def test_figures_for_monitoring_are_in_prometheus_format_and_tell_of_no_contents(
    admin: TestClient, client_of: Client, base: KnowledgeBase
) -> None:
    answer = admin.get("/api/v1/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    figures = dict(re.findall(r'^(\w+(?:\{\w+="\w+"\})?) (\d+)$', answer.text, re.MULTILINE))
    assert len(figures) + 2 * answer.text.count("# HELP") == len(answer.text.splitlines())
    assert int(figures['graphtalk_documents{status="ready"}']) >= 1
    assert int(figures["graphtalk_knowledge_bases"]) >= 1
    assert base.name not in answer.text
    assert client_of(KeyScope.WRITE).get("/api/v1/metrics").status_code == 403
