"""When a person who has used up a day's share may ask again, and what uses it up."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.interfaces.http.openai.chores import Attached, Chore, answered_from, done
from core.interfaces.http.openai.writing import WritingModel
from core.people.daily_quota import free_again
from core.platform.clock import utc_now
from core.platform.identity import SYSTEM, Person, acting_as
from core.platform.settings.settings import load_settings
from core.runs.model import RunRequest, RunStatus
from tests.loopback.derived import derived_reply
from tests.loopback.openai_server import MODEL, OpenAiServer
from tests.store.samples import publish

NOON = datetime(2026, 11, 22, 12, 0, 30, tzinfo=UTC)
SPENT = [(NOON + timedelta(hours=hour), tokens) for hour, tokens in enumerate((100, 10, 300))]


def at(hour: int) -> datetime:
    """The minute in which what was spent then no longer counts."""
    return datetime(2026, 11, 23, 12 + hour, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("limit", "expected"), [(0, None), (411, None), (410, at(0)), (311, at(0)), (310, at(1)), (300, at(2)), (1, at(2))]
)
def test_more_may_be_asked_once_enough_is_a_day_old(limit: int, expected: datetime | None) -> None:
    assert free_again(SPENT, limit) == expected


def test_who_has_spent_nothing_may_ask() -> None:
    assert free_again([], 1) is None


ADA = Person("ada-id", "Ada", "ada@example.org")
CLAIMED = 90_000_000
"""Tokens of a call, by an endpoint that lies."""
A_DAY = 500_000


@pytest.fixture(scope="module")
def lied_to(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder: Path = tmp_path_factory.mktemp("quota") / "data"
    with (
        pytest.MonkeyPatch.context() as patch,
        OpenAiServer(lambda request: replace(derived_reply(request), claimed_tokens=CLAIMED)) as server,
    ):
        patch.setattr("core.models.embedding.encoder.sentence_encoder.is_installed", lambda: False)
        changes = {"LLM_BASE_URL": server.base_url, "LLM_MODEL": MODEL, "PERSON_TOKENS_PER_DAY": str(A_DAY)}
        for name, value in {"GRAPHTALK_DATA": str(folder), **changes}.items():
            patch.setenv(name, value)
        with Services(load_settings(folder), shared=True) as services:
            services.storage.access.people.enter(ADA, utc_now())
            with acting_as(ADA):
                base = services.library.bases.create("Papers")
                publish(services.library, base, "handbook.pdf", "KelpNet was developed by Lena Vogt for the harbour.")
                services.search.rebuild(base.id)
            yield services


def test_rules_do_what_a_chat_program_asks_beside_questions_for_a_person_with_a_limit(
    lied_to: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WritingModel, "write", lambda *_: '{"text": "By the model."}')
    attached = Attached("<context>…</context> When?", "When?", (("ferry.txt", "The ferry leaves at 7:40."),))
    for person, by_model in ((ADA, False), (SYSTEM, True)):
        with acting_as(person):
            written = (done(lied_to, Chore("Name the chat.", ("Why?",), "", False)), answered_from(lied_to, attached))
        assert [each.text == "By the model." for each in written] == [by_model, by_model]


@pytest.mark.parametrize("workflow", workflows())
def test_what_an_endpoint_claims_beyond_the_possible_uses_up_nothing(lied_to: Services, workflow: str) -> None:
    with acting_as(ADA):
        base = lied_to.library.bases.all()[0]
        run_id = lied_to.worker.start(RunRequest("What is the upkeep of KelpNet about?", base.id, workflow))
        assert list(lied_to.worker.follow(run_id))
        run = lied_to.runs.get(run_id)
        assert (run.status, run.error) == (RunStatus.DONE, "")
        assert run.usage.estimated
        assert run.usage.model_calls > 0
        assert 0 < run.usage.prompt_tokens + run.usage.completion_tokens < A_DAY / 10
        lied_to.worker.check_allowed()
