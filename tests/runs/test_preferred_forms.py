"""Which memories decide on the form of an answer."""

from datetime import timedelta

import pytest

from core.memory.model import AnswerForm, MemoryKind, PreferredForm
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.classifiers import AnswerForms
from core.runs.execution.preferred_forms import preferred_forms
from core.runs.model import Length, RunOptions, RunRequest
from tests.fakes import memory_of
from tests.fakes.memories import FakeMemories
from tests.fakes.samples import NOW

FORMS = AnswerForms(HashedEmbedder())
ASKED = RunRequest("Who developed KelpNet?", "base")
SHORT = PreferredForm("m-Answer briefly.", AnswerForm.SHORTER)
CHINESE = PreferredForm("m-Answer in Chinese.", AnswerForm.SIMPLIFIED_CHINESE)


@pytest.fixture
def memories() -> FakeMemories:
    found = FakeMemories()
    for days, words in enumerate(("Answer in detail.", "Answer briefly.", "Answer in Chinese.", "Use metric units.")):
        found.save(memory_of(words, MemoryKind.PREFERENCE, created_at=NOW + timedelta(days=days)))
    found.save(memory_of("Answer in English.", created_at=NOW + timedelta(days=9)))
    return found


def test_the_latest_preference_of_each_kind_holds_and_a_fact_is_none(memories: FakeMemories) -> None:
    assert preferred_forms(ASKED, memories, FORMS) == (SHORT, CHINESE)


def test_what_the_question_itself_asks_for_comes_first(memories: FakeMemories) -> None:
    longer = RunRequest("Why?", "base", options=RunOptions(length=Length.LONGER))
    assert preferred_forms(longer, memories, FORMS) == (CHINESE,)
    english = RunRequest("Why?", "base", options=RunOptions(language="en"))
    assert preferred_forms(english, memories, FORMS) == (SHORT,)


@pytest.mark.parametrize(
    ("said", "form"),
    [("请用繁体中文回答。", AnswerForm.TRADITIONAL_CHINESE), ("Answer in English.", AnswerForm.ENGLISH)],
)
def test_a_message_that_states_a_preference_is_answered_by_it(
    memories: FakeMemories, said: str, form: AnswerForm
) -> None:
    assert preferred_forms(RunRequest(said, "base"), memories, FORMS) == (SHORT, PreferredForm("", form))


def test_none_holds_where_memory_is_off(memories: FakeMemories) -> None:
    assert preferred_forms(RunRequest("Why?", "base", use_memory=False), memories, FORMS) == ()
