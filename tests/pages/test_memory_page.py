"""The Memory page: what it lists, and what its buttons do to the store."""

from dataclasses import replace
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from core.memory.files import MAX_TEXT
from core.memory.keeping import new_memory
from core.memory.model import Found, Memory, MemoryKind, MemoryStatus, MemoryUse
from core.platform.errors import InputError, ServiceError
from core.platform.ids import content_id
from pages.components.memory.list import Filter, shown
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, NOW


def memory(name: str, text: str = "", **changes: object) -> Memory:
    made = Memory(name, text or f"text of {name}", MemoryKind.FACT, 5, 0.9, MemoryStatus.ACTIVE, NOW, NOW)
    return replace(made, **changes)  # type: ignore[arg-type]


def keep(opened: FakeServices, *memories: Memory) -> None:
    for one in memories:
        opened.memories.save(one)


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def save_button(app: AppTest) -> Button:
    return next(button for button in app.button if button.label == "Save" and "form-a" in str(button.proto.form_id))


def test_an_empty_memory_teaches_what_it_is_for(open_page: OpenPage) -> None:
    app = open_page("memory")
    assert not app.exception
    assert "No memories yet" in html(app)


def test_memories_are_listed_with_their_facts(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "The buoys drift.", uses=3, kind=MemoryKind.CONCLUSION))
    page = html(open_page("memory"))
    assert "The buoys drift." in page
    assert "Conclusion" in page
    assert "used 3×" in page


def test_words_of_a_memory_are_never_markup(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "<script>alert(1)</script><img src=http://evil.example/x>"))
    page = html(open_page("memory"))
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_search_and_status_narrow_the_list(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "buoys"), memory("b", "ships", status=MemoryStatus.PROPOSED))
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("ships").run()
    assert "text of" not in html(app)
    assert "ships" in html(app)
    app.selectbox(key="memory-status").set_value(MemoryStatus.ACTIVE).run()
    assert "ships" not in html(app)


def test_a_browser_is_told_that_the_filters_are_cleared(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "buoys"))
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("ships").run()
    next(button for button in app.button if button.label == "Clear the search and the filters").click().run()
    assert "buoys" in html(app)
    fields = [app.text_input(key="memory-query"), app.selectbox(key="memory-status")]
    assert all(field.proto.set_value for field in fields)


def test_what_is_over_is_counted_only_where_it_is_listed(opened: FakeServices, open_page: OpenPage) -> None:
    over = {"status": MemoryStatus.SUPERSEDED, "superseded_by": "a"}
    keep(opened, memory("a", "Dog: Bixby"), memory("b", "ships"), memory("c", status=MemoryStatus.PROPOSED))
    keep(opened, memory("d", "Dog: Pixel", **over), memory("e", status=MemoryStatus.REJECTED))
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("ships").run()
    assert "Memories: 1 of 3" in [caption.value for caption in app.main.caption]
    app.text_input(key="memory-query").set_value("").run()
    app.selectbox(key="memory-status").set_value(MemoryStatus.SUPERSEDED).run()
    assert "Memories: 1 of 1" in [caption.value for caption in app.main.caption]


def test_search_shows_what_is_relevant_best_first(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "buoys drift"), memory("b", "ships sail"), memory("c", "far away"))
    opened.memories.nearest = {"a": 0.1, "b": 0.4, "c": 0.95}
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("buoys").run()
    page = html(app)
    assert page.index("buoys drift") < page.index("ships sail")
    assert "far away" not in page


def test_where_nothing_is_found_the_nearest_in_meaning_are_shown_and_called_so(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(opened, *(memory(name) for name in "abcde"), memory("f", status=MemoryStatus.REJECTED))
    monkeypatch.setattr(type(opened.memories), "search", lambda *_: [])
    opened.memories.nearest = {"f": 0.1, "d": 0.4, "b": 0.5, "a": 0.6, "c": 0.7}
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("kid").run()
    page = html(app)
    assert "Nearest in meaning:" in [caption.value for caption in app.main.caption]
    assert page.index("text of d") < page.index("text of b") < page.index("text of a")
    assert "text of c" not in page
    assert "text of f" not in page, "it is declined"


@pytest.mark.parametrize("status", [MemoryStatus.EXPIRED, MemoryStatus.REJECTED, MemoryStatus.SUPERSEDED])
def test_what_is_over_is_listed_among_all(opened: FakeServices, open_page: OpenPage, status: MemoryStatus) -> None:
    keep(opened, memory("a"), memory("b", status=status))
    app = open_page("memory")
    assert "text of b" not in html(app)
    app.selectbox(key="memory-status").set_value("every").run()
    assert "text of a" in html(app)
    assert "text of b" in html(app)
    assert "Memories: 2 of 2" in [caption.value for caption in app.main.caption]


def test_a_search_by_meaning_that_fails_says_so_and_keeps_the_words(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "buoys drift"))
    opened.memories.failure = ServiceError("error.run_missing")
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("buoys").run()
    assert "buoys drift" in html(app)
    assert any("Searched by words only" in caption.value for caption in app.main.caption)


def test_what_a_search_finds_is_forgotten_together_and_comes_back_together(
    opened: FakeServices, open_page: OpenPage
) -> None:
    older = memory("c", "Name: Ann", status=MemoryStatus.SUPERSEDED, superseded_by="a")
    keep(opened, memory("a", "Name: Anna"), memory("b", "buoys drift"), older)
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("anna").run()
    app.button(key="forget").click().run()
    assert any("already replaced" in caption.value for caption in app.caption)
    assert app.checkbox(key="forget-a").value, "it has the words of the search"
    app.button(key="forget-do").click().run()
    assert set(opened.memories.kept) == {"b"}
    app.button(key="undo").click().run()
    assert set(opened.memories.kept) == {"a", "b", "c"}


def test_what_is_only_near_what_was_searched_is_not_chosen_to_be_forgotten(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = memory("b", "I prefer short answers")
    keep(opened, near)
    monkeypatch.setattr(type(opened.memories), "search", lambda *_: [Found(near, 0.9)])
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("my name").run()
    assert app.button(key="forget").label == "Forget some of these …"
    app.button(key="forget").click().run()
    assert not app.checkbox(key="forget-b").value
    assert app.button(key="forget-do").disabled


def test_the_button_to_forget_counts_what_the_chat_would_name(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [memory("a", "Name: Anna"), memory("b", "My name is Anna"), memory("c", "I prefer short answers")]
    keep(opened, *found)
    monkeypatch.setattr(type(opened.memories), "search", lambda *_: [Found(each, 0.9) for each in found])
    app = open_page("memory")
    app.text_input(key="memory-query").set_value("my name").run()
    assert app.button(key="forget").label == "Forget these (2) …"
    app.button(key="forget").click().run()
    assert [app.checkbox(key=f"forget-{name}").value for name in "abc"] == [True, True, False]


def test_what_is_known_is_not_added_again(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", "I like brief replies"))
    app = open_page("memory")
    app.text_area(key="text-new").set_value("I like brief replies.")
    next(one for one in app.button if one.label == "Save").click().run()
    assert set(opened.memories.kept) == {"a"}
    assert any("already" in error.value for error in app.error)


def test_a_deleted_memory_comes_back_with_undo(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a"))
    app = open_page("memory")
    app.button(key="delete-a").click().run()
    assert opened.memories.find() == []
    app.button(key="undo").click().run()
    assert [one.id for one in opened.memories.find()] == ["a"]
    assert not app.exception


def test_what_rests_on_a_memory_is_shown_before_it_is_deleted(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a"), memory("b", status=MemoryStatus.SUPERSEDED, superseded_by="a"))
    used = opened.memories.used_by["b"] = [MemoryUse("r1", "t1", "How often?", NOW)]
    app = open_page("memory")
    app.button(key="delete-a").click().run()
    assert any("already replaced" in caption.value and "text of b" in caption.value for caption in app.caption)
    assert {one.id for one in opened.memories.find()} == {"a", "b"}
    app.button(key="forget-do").click().run()
    assert opened.memories.find() == []
    app.button(key="undo").click().run()
    assert {one.id for one in opened.memories.find()} == {"a", "b"}
    assert opened.memories.uses("b") == used
    assert not app.exception


def test_what_came_back_in_another_way_is_not_said_to_be_gone(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a"), memory("b", status=MemoryStatus.PROPOSED))
    app = open_page("memory")
    app.button(key="delete-a").click().run()
    app.button(key="reject-chosen").click().run()
    assert any("Declined: text of b" in caption.value for caption in app.caption)
    app.selectbox(key="memory-status").set_value(MemoryStatus.REJECTED).run()
    app.button(key="accept-b").click().run()
    assert any("Deleted: text of a" in caption.value for caption in app.caption)
    app.button(key="undo").click().run()
    assert {one.id: one.status for one in opened.memories.find()} == dict.fromkeys("ab", MemoryStatus.ACTIVE)
    assert not [button for button in app.button if button.key == "undo"]


@pytest.mark.parametrize("button", ["pin-a", "accept-chosen", "reject-chosen", "first-a-c", "second-a-c"])
def test_a_click_brings_nothing_back_that_was_deleted_in_another_window(
    opened: FakeServices, open_page: OpenPage, button: str
) -> None:
    keep(opened, memory("a"), memory("b", status=MemoryStatus.PROPOSED), memory("c"))
    opened.memories.pairs = [("a", "c")]
    app = open_page("memory")
    for name in "ab":
        opened.memories.delete(name)
    app.button(key=button).click().run()
    assert not app.exception
    assert [(one.id, one.status) for one in opened.memories.find()] == [("c", MemoryStatus.ACTIVE)]


def test_a_proposal_becomes_active_when_accepted(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", status=MemoryStatus.PROPOSED))
    app = open_page("memory")
    app.selectbox(key="memory-status").set_value(MemoryStatus.PROPOSED).run()
    app.button(key="accept-a").click().run()
    assert opened.memories.get("a").status is MemoryStatus.ACTIVE


def test_what_an_accepted_proposal_replaces_is_said_before_and_after_and_can_be_undone(
    opened: FakeServices, open_page: OpenPage
) -> None:
    told = memory("new", "Name: Sam", status=MemoryStatus.PROPOSED, reason="You said so", thread_id="t1")
    keep(opened, memory("old", "Name: Alex"), told)
    app = open_page("memory")
    label = "Name\\: Sam — *You said so* — *It would replace\\: Name\\: Alex*"
    assert label in [box.label for box in app.checkbox]
    app.button(key="accept-chosen").click().run()
    assert opened.memories.get("old").superseded_by == "new"
    assert any("Replaced: Name\\: Alex" in caption.value for caption in app.caption)
    app.button(key="undo").click().run()
    assert opened.memories.get("old").status is MemoryStatus.ACTIVE


def test_of_proposals_that_say_otherwise_the_one_said_last_stands(opened: FakeServices, open_page: OpenPage) -> None:
    waits = {"status": MemoryStatus.PROPOSED, "thread_id": "t1"}
    nora = memory("nora", "Sister: Nora", **waits)
    clara = memory("clara", "Sister: Clara", created_at=NOW + timedelta(minutes=1), **waits)
    keep(opened, clara, nora)
    app = open_page("memory")
    app.button(key="accept-chosen").click().run()
    assert [one.id for one in opened.memories.find(MemoryStatus.ACTIVE)] == ["clara"]
    assert opened.memories.get("nora").superseded_by == "clara"


def test_a_proposal_goes_when_one_said_later_is_accepted(opened: FakeServices, open_page: OpenPage) -> None:
    waits = {"status": MemoryStatus.PROPOSED, "thread_id": "t1"}
    lulu = memory("lulu", "Cat: Lulu", created_at=NOW + timedelta(minutes=1), **waits)
    keep(opened, memory("momo", "Cat: Momo", **waits), lulu)
    app = open_page("memory")
    app.checkbox(key="choose-momo").set_value(False).run()
    app.button(key="accept-chosen").click().run()
    assert [one.id for one in opened.memories.find(MemoryStatus.ACTIVE)] == ["lulu"]
    assert opened.memories.find(MemoryStatus.PROPOSED) == []
    app.button(key="undo").click().run()
    assert opened.memories.get("momo").status is MemoryStatus.PROPOSED
    assert not app.checkbox(key="choose-momo").value, "what it would replace was said later"


def test_pinning_and_editing_in_place_are_saved(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a"))
    app = open_page("memory")
    app.button(key="pin-a").click().run()
    app.button(key="edit-a").click().run()
    app.text_area(key="text-a").set_value("New words")
    app.selectbox(key="kind-a").set_value(MemoryKind.PREFERENCE)
    app.slider(key="importance-a").set_value(9)
    save_button(app).click().run()
    saved = opened.memories.get("a")
    assert (saved.text, saved.kind, saved.importance, saved.pinned) == ("New words", MemoryKind.PREFERENCE, 9, True)


def test_an_empty_text_is_refused_in_a_sentence(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a"))
    app = open_page("memory")
    app.button(key="edit-a").click().run()
    app.text_area(key="text-a").set_value("   ")
    save_button(app).click().run()
    assert "cannot be empty" in app.error[0].value
    assert opened.memories.get("a").text == "text of a"


def test_a_memory_links_to_the_turn_it_came_from(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", thread_id="t1", run_id="r1"))
    links = [link.proto.query_string for link in open_page("memory").get("page_link")]
    assert "thread=t1&run=r1" in links


def test_a_long_list_comes_in_pages(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, *(memory(f"m{number}") for number in range(45)))
    assert html(open_page("memory")).count('class="gt-memory') == 20


def test_proposals_stand_first_and_then_the_pinned() -> None:
    listed = [memory("a"), memory("b", pinned=True), memory("c", status=MemoryStatus.PROPOSED)]
    assert [one.id for one in shown(listed, Filter())] == ["c", "b", "a"]


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (MAX_TEXT + 1)])
def test_a_memory_needs_words_and_not_too_many(text: str) -> None:
    with pytest.raises(InputError):
        new_memory(text, MemoryKind.FACT, 5)


def test_a_memory_added_by_hand_is_active_at_once() -> None:
    made = new_memory("  I prefer \n short answers ", MemoryKind.PREFERENCE, 7, lambda: NOW)
    assert (made.text, made.status, made.created_at) == ("I prefer short answers", MemoryStatus.ACTIVE, NOW)


def test_a_knowledge_base_shows_its_own_memories_and_those_that_hold_everywhere(
    opened: FakeServices, open_page: OpenPage
) -> None:
    opened.library.bases.kept["b2"] = replace(BASE, id="b2", name="Ships <b>")
    keep(opened, memory("a", "holds everywhere"), memory("b", "of the first", base_id=BASE.id))
    keep(opened, memory("c", "of the second", base_id="b2"), memory("d", "of a deleted one", base_id="gone"))
    app = open_page("memory")
    assert all(words in html(app) for words in ("holds everywhere", "of the first", "of a deleted one"))
    assert "of the second" not in html(app)
    app.selectbox(key=f"base-picker-{BASE.id}-{content_id(BASE.name)}").set_value("b2").run()
    assert "of the first" not in html(app)
    assert "of the second" in html(app)
    assert "only in Ships &lt;b&gt;" in html(app)


def test_proposals_are_accepted_and_declined_in_one_go(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, *(memory(name, status=MemoryStatus.PROPOSED, reason="memory.why.documents") for name in "abc"))
    app = open_page("memory")
    assert "several documents say so" in app.checkbox(key="choose-a").label
    app.checkbox(key="choose-a").set_value(False).run()
    app.button(key="accept-chosen").click().run()
    assert {one.id for one in opened.memories.find(status="active")} == {"b", "c"}
    app.selectbox(key="reject-reason").set_value("untrue").run()
    app.checkbox(key="choose-a").set_value(True).run()
    app.button(key="reject-chosen").click().run()
    declined = opened.memories.get("a")
    assert (declined.status, declined.reason) == (MemoryStatus.REJECTED, "memory.rejected.untrue")
    assert "text of a" not in html(app)
    app.button(key="undo").click().run()
    assert opened.memories.get("a").status is MemoryStatus.PROPOSED


def test_of_two_that_say_the_same_one_stays(opened: FakeServices, open_page: OpenPage) -> None:
    keep(
        opened, memory("a", "buoys drift"), memory("b", "the buoys drift"), memory("c", "ships"), memory("d", "a ship")
    )
    opened.memories.pairs = [("a", "b"), ("c", "d")]
    app = open_page("memory")
    app.button(key="both-c-d").click().run()
    app.button(key="second-a-b").click().run()
    assert (opened.memories.get("a").status, opened.memories.get("a").superseded_by) == (MemoryStatus.SUPERSEDED, "b")
    assert not any((button.key or "").startswith(("first-", "second-")) for button in open_page("memory").button)


def test_the_answers_that_used_a_memory_are_a_click_away(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a", uses=1))
    opened.memories.used_by = {"a": [MemoryUse("r1", "t1", "How often?", NOW)]}
    app = open_page("memory")
    app.button(key="story-a").click().run()
    assert "thread=t1&run=r1" in [link.proto.query_string for link in app.get("page_link")]


def test_scope_narrows_the_list(opened: FakeServices, open_page: OpenPage) -> None:
    keep(opened, memory("a"), memory("b", in_thread_only=True, thread_id="t1"))
    app = open_page("memory")
    app.selectbox(key="memory-scope").set_value("thread").run()
    assert "text of b" in html(app)
    assert "text of a" not in html(app)
