"""What a real Open WebUI (0.12.4) sends for one question, field by field as recorded; the words are our own."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.app.services import Services
from core.documents.model import Document
from core.people.api_keys import KeyScope
from core.runs.model import RunRequest
from tests.interfaces.http.conftest import Client

QUESTION = "What did Google describe in 2018?"
TASK = """### Task:
{task}

### Guidelines:
- Use the language of the chat.

### Output:
JSON format: {form}

### Chat History:
<chat_history>
USER: What did Google describe in 2018?
ASSISTANT: {answer}
</chat_history>"""
TITLE = '{ "title": "your concise title here" }'
FOLLOW_UPS = '{ "follow_ups": ["Suggested next message 1", "Suggested next message 2"] }'
TAGS = '{ "tags": ["tag1", "tag2", "tag3"] }'
EMPTY: dict[str, Any] = {"properties": {}, "type": "object"}


@pytest.fixture
def program(client_of: Client, document: Document) -> TestClient:
    """Such a program is for several people: it needs to ask, and no more."""
    return client_of(KeyScope.ASK)


def chore(task: str, form: str, answer: str = "", **options: object) -> dict[str, object]:
    words = TASK.format(task=task, form=form, answer=answer)
    return {"model": "adaptive@Papers", "messages": [{"role": "user", "content": words}], "stream": False, **options}


def content(program: TestClient, body: dict[str, object]) -> Any:
    answer = program.post("/v1/chat/completions", json=body)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.json()["choices"][0]["message"]["content"])


def test_a_chat_with_its_title_follow_ups_and_tags(
    program: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "adaptive@Papers" in {model["id"] for model in program.get("/v1/models").json()["data"]}
    names = ("get_current_timestamp", "ask_user", "search_chats")
    tools = [{"type": "function", "function": {"name": it, "description": it, "parameters": EMPTY}} for it in names]
    asked = {"stream": True, "model": "adaptive@Papers", "messages": [{"role": "user", "content": QUESTION}]}
    streamed = program.post("/v1/chat/completions", json={**asked, "tools": tools})
    lines = [line.removeprefix("data: ") for line in streamed.text.splitlines() if line]
    chunks = [json.loads(line) for line in lines if line.startswith("{")]
    text = "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])
    assert "BERT" in text
    assert "models.pdf" in text
    assert lines[-1] == "[DONE]"

    begun: list[RunRequest] = []
    monkeypatch.setattr(services.worker, "start", begun.append)
    assert "Google" in content(program, chore("Write a title.", TITLE, max_tokens=1_000))["title"]
    assert content(program, chore("Say what may be asked next.", FOLLOW_UPS, text)) == {"follow_ups": []}
    assert content(program, chore("Choose tags.", TAGS, text)) == {"tags": []}
    assert begun == []
