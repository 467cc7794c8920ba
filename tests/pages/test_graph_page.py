"""The Graph page: it opens on something, a choice fills the panel, links bring back what was looked at."""

import json
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from streamlit.runtime.state.query_params import QueryParams
from streamlit.testing.v1 import AppTest

from core.documents.model import DocumentStatus
from core.graph.edits import LoggedEdit
from core.graph.model import CommunitySentence, Entity, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.ports import PastGraph
from core.graph.resolution import editing
from core.platform.ids import content_id
from core.runs.events import Event, NodeFinished, NodeStarted, PassagesGraded, RunFinished, Scored
from core.runs.model import RunRequest, Usage
from core.search.model import Passage
from pages.components.graph import history, page, panel, search
from pages.components.graph import route as graph_route
from tests.fakes.graph import FakeGraph, FakeWholeGraphs
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, chunks_of, document, entity_id, html_of_page, sample_graph

KELPNET, SEALOOM = entity_id("KelpNet"), entity_id("SeaLoom")


@pytest.fixture(autouse=True)
def _with_a_document(opened: FakeServices) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()


def chips(app: AppTest, start: str = "chip-") -> list[str]:
    return [button.label for button in app.button if (button.key or "").startswith(start)]


def drawn(app: AppTest) -> str:
    """The page of the drawing that is shown."""
    source = json.loads(app.get("bidi_component")[0].proto.json)["source"]
    return str(graph_route.drawings().get(source.rsplit("/", 1)[1]) or "")


def nodes(app: AppTest) -> list[dict[str, Any]]:
    found = re.search(r'id="nodes">(.*?)</script>', drawn(app), re.DOTALL)
    read: list[dict[str, Any]] = json.loads(found.group(1)) if found else []
    return read


def words(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info))


def test_it_opens_on_the_most_connected_part(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph")
    assert not app.exception
    assert "10 of 10 entities" in words(app)
    assert '"label": "KelpNet"' in drawn(app)
    assert any("KelpNet" in chip for chip in chips(app))


def test_searching_suggests_and_a_choice_walks_there(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph")
    app.text_input(key="graph-search").set_value("kelp").run()
    assert [label for label in chips(app, "found-") if "KelpNet" in label]
    app.button(key=f"found-{KELPNET}").click().run()
    assert "".join(app.query_params["entity"]) == KELPNET
    assert any("KelpNet" in title.value for title in app.markdown if title.value.startswith("## "))


def test_a_search_that_finds_few_names_asks_for_their_meaning_too(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = [opened.graph.entities[KELPNET], opened.graph.entities[SEALOOM]]
    monkeypatch.setattr(opened.graph, "alike", lambda *_, **__: near)
    app = open_page("graph")
    app.text_input(key="graph-search").set_value("kelpn").run()
    assert [label.split(" :")[0][-7:] for label in chips(app, "found-")] == ["KelpNet", "SeaLoom"]
    assert "Similar in meaning:" in words(app)
    assert "No name has these letters" not in words(app)


def test_a_search_that_finds_nothing_says_so(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph")
    app.text_input(key="graph-search").set_value("no such thing").run()
    assert "No entity has that name here" in words(app)


def test_a_mention_in_a_passage_that_is_switched_off_says_so(opened: FakeServices, open_page: OpenPage) -> None:
    first, *others = opened.graph.sentences[KELPNET]
    opened.graph.sentences[KELPNET] = [replace(first, used=False), *others]
    assert words(open_page("graph", entity=KELPNET)).count("Passage switched off") == 1


def test_a_link_opens_an_entity_with_its_mentions_and_neighbours(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity=KELPNET)
    assert not app.exception
    assert "3 mentions in 1 document" in " ".join(html_of_page(app))
    sentences = [piece for piece in html_of_page(app) if "gt-sentence" in piece]
    assert any('<mark>KelpNet</mark> estimates <a class="gt-name" href="graph?entity=' in each for each in sentences)
    assert any("handbook.pdf, page 1" in piece for piece in html_of_page(app))
    assert any("chlorophyll" in chip for chip in chips(app, "chip-hop-1"))


def test_a_neighbour_is_walked_to(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity=KELPNET)
    app.button(key=f"chip-hop-1-{SEALOOM}").click().run()
    assert "".join(app.query_params["entity"]) == SEALOOM


def test_a_broken_pattern_is_told_whatever_is_similar_in_meaning(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.graph, "alike", lambda *_, **__: [opened.graph.entities[KELPNET]])
    app = open_page("graph")
    app.text_input(key="graph-search").set_value("kelpnet -> ?").run()
    assert "This is not a pattern." in words(app)
    assert not chips(app, "found-")


def test_more_hops_reach_more(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity=SEALOOM)
    near = drawn(app).count('"label"')
    app.segmented_control(key="graph-hops").set_value(3).run()
    assert drawn(app).count('"label"') > near


def test_a_type_narrows_the_drawing_and_says_what_is_shown(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph")
    app.pills(key="graph-types").set_value(["PERSON"]).run()
    assert '"label": "KelpNet"' not in drawn(app)
    assert "2 of 2 entities that fit the filters" in words(app)


def test_relations_of_the_drawing_are_told_from_those_of_the_whole_graph(
    opened: FakeServices, open_page: OpenPage
) -> None:
    opened.graph.relations = [
        Relation(KELPNET, SEALOOM, "reads from", 0.9),
        Relation(KELPNET, entity_id("Lumen buoys"), CO_OCCURS, 0.9),
    ]
    assert "2 relations between them" in words(open_page("graph"))
    app = open_page("graph", entities=f"{KELPNET},{SEALOOM}")
    assert "1 relation between them" in words(app)
    assert "2 of 2 relations" in words(open_page("graph", view="relations"))


def test_filters_that_leave_nothing_are_named_as_what_does_so(opened: FakeServices, open_page: OpenPage) -> None:
    assert "The filters leave no entities here." in words(open_page("graph", mentions="99"))


def test_of_several_types_each_has_its_best_name_among_the_suggestions(
    opened: FakeServices, open_page: OpenPage
) -> None:
    for number in range(search.SUGGESTIONS):
        id = f"e-kelp-{number}"
        opened.graph.entities[id] = Entity(id, BASE.id, f"Kelp {number}", "CONCEPT", (), 9, 1)
    app = open_page("graph", types="CONCEPT,TECHNOLOGY")
    app.text_input(key="graph-search").set_value("kelp").run()
    assert len(chips(app, "found-")) == search.SUGGESTIONS
    assert any("KelpNet" in label for label in chips(app, "found-"))


def test_a_hop_with_more_neighbours_than_are_read_says_so(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Hop 1 · 6 " in words(open_page("graph", entity=KELPNET, hops="2"))
    monkeypatch.setattr(panel, "NEIGHBOURS_READ", 2)
    assert "Hop 1 · 2+" in words(open_page("graph", entity=KELPNET, hops="2"))


def test_a_link_opens_the_base_of_an_entity_that_is_left(opened: FakeServices, open_page: OpenPage) -> None:
    other = replace(BASE, id="b2", name="Elsewhere")
    opened.library.bases.kept[other.id] = other
    opened.graph.entities["e-2"] = Entity("e-2", other.id, "Auster", "PERSON", (), 1, 1)
    app = open_page("graph", entities="e-gone,e-2")
    assert '"label": "Auster"' in drawn(app)
    assert app.query_params["base"] == other.id


def test_waiting_ends_where_reading_found_nothing(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.graph.entities.clear()
    answers = iter((True, False))
    monkeypatch.setattr(page, "_is_reading", lambda _: next(answers, False))
    assert "being processed" not in words(open_page("graph"))


@pytest.mark.parametrize(("size", "told"), [("mentions", True), ("links", False)])
def test_sizes_are_not_explained_as_what_they_do_not_show(open_page: OpenPage, size: str, told: bool) -> None:
    help = next(each.help for each in open_page("graph", size=size).caption if "of 10 entities" in each.value)
    assert ("number of mentions" in help, "Line width" in help) == (told, True)


def test_a_run_shows_exactly_what_it_touched(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entities=f"{KELPNET},{SEALOOM},gone")
    assert "Only these 2 entities" in words(app)
    assert drawn(app).count('"label"') == 2
    app.button(key="graph-whole").click().run()
    assert "10 of 10 entities" in words(app)
    assert "entities" not in app.query_params


def test_an_entity_that_is_gone_is_said_to_be_gone(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity="e-gone")
    assert not app.exception
    assert "no longer exists" in words(app)


def test_ask_about_this_takes_the_question_to_the_chat(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity=KELPNET)
    app.button(key="graph-ask").click().run()
    assert app.chat_input[0].proto.value == "What do the documents say about KelpNet?"


def test_the_search_takes_a_pattern_of_a_relation_and_draws_what_fits(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.graph.relations.append(Relation(KELPNET, SEALOOM, "reads from", 0.9))
    app = open_page("graph")
    app.text_input(key="graph-search").set_value("TECHNOLOGY -read-> ?").run()
    assert "KelpNet — reads from → SeaLoom" in {button.label for button in app.button}
    app.button(key="found-all").click().run()
    assert app.query_params["entities"] == f"{KELPNET},{SEALOOM}"
    monkeypatch.setattr(search, "MAX_LINKED", 1)
    app.text_input(key="graph-search").set_value("TECHNOLOGY -read-> ?").run()
    assert app.button(key="found-all").label == "Draw 0 of the 1 stated relations that fit"
    app = open_page("graph", view="relations", find="? -read-> sea")
    assert app.dataframe[0].value["From"].to_list() == ["KelpNet"]


def test_the_address_names_the_knowledge_base_before_anything_is_chosen(open_page: OpenPage) -> None:
    assert dict(open_page("graph").query_params) == {"base": BASE.id}


def test_a_link_opens_the_knowledge_base_of_its_entity(opened: FakeServices, open_page: OpenPage) -> None:
    other = opened.library.bases.create("Other")
    opened.graph.entities["e-other"] = Entity("e-other", other.id, "Elsewhere", "LOCATION", (), 1, 1)
    app = open_page("graph", entity="e-other")
    assert app.session_state["base"] == other.id


def test_another_knowledge_base_starts_with_its_own_picture(opened: FakeServices, open_page: OpenPage) -> None:
    other = opened.library.bases.create("Other")
    opened.graph.entities["e-other"] = Entity("e-other", other.id, "Elsewhere", "LOCATION", (), 1, 1)
    app = open_page("graph", entity=KELPNET)
    app.selectbox(key=f"base-picker-{BASE.id}-{content_id(BASE.name)}").set_value(other.id).run()
    assert '"label": "Elsewhere"' in drawn(app)
    assert "entity" not in app.query_params


def test_another_knowledge_base_starts_without_the_filters_of_the_last(
    opened: FakeServices, open_page: OpenPage
) -> None:
    other = opened.library.bases.create("Other")
    opened.graph.entities["e-other"] = Entity("e-other", other.id, "Somebody", "PERSON", (), 1, 1)
    app = open_page("graph")
    app.pills(key="graph-types").set_value(["PERSON"]).run()
    app.selectbox(key=f"base-picker-{BASE.id}-{content_id(BASE.name)}").set_value(other.id).run()
    assert app.pills(key="graph-types").value == []


def test_hostile_names_are_shown_as_they_are(opened: FakeServices, open_page: OpenPage) -> None:
    evil = "</script><img src=x onerror=alert(1)> [x](http://evil.example) :material/home: $x$"
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, evil, "<b>odd</b>", (evil,), 9, 1)
    app = open_page("graph", entity="e-evil")
    assert not app.exception
    assert all("<img" not in piece for piece in html_of_page(app) if "/files/page/" not in piece)
    shown = [title.value for title in app.markdown if title.value.startswith("## ")]
    assert "\\[x\\]\\(http" in shown[0]
    assert "<img src=x" not in drawn(app)


def test_without_a_knowledge_base_the_page_teaches(opened: FakeServices, open_page: OpenPage) -> None:
    opened.library.bases.kept.clear()
    app = open_page("graph")
    assert not app.exception
    assert "The graph is built from documents" in words(app)


def test_while_documents_are_read_the_page_waits(opened: FakeServices, open_page: OpenPage) -> None:
    opened.graph = FakeGraph()
    opened.library.documents.kept["d-handbook.pdf"] = document(status=DocumentStatus.RUNNING)
    assert "being processed" in words(open_page("graph"))


def choose(choice: object) -> None:
    """Runs as a script: the frame sends `choice`."""
    import streamlit as st

    from pages.components.graph.drawing import take
    from pages.components.graph.state import graph_state
    from tests.pages.marlow import BASE, sample_graph

    take(choice, sample_graph().view(BASE.id, (), 1, 5))
    state = graph_state()
    st.write(f"{state.selected}|{','.join(state.scope.centre)}|{state.edge}")


CHOICES: list[tuple[object, str]] = [
    ({"type": "select", "id": KELPNET, "from": "", "to": ""}, f"{KELPNET}||None"),
    ({"type": "focus", "id": KELPNET}, f"{KELPNET}|{KELPNET}|None"),
    ({"type": "edge", "from": KELPNET, "to": entity_id("Lumen buoys")}, f"||('{KELPNET}', 'e-lumen-buoys')"),
    ({"type": "select", "id": "e-not-in-this-view"}, "||None"),
    ({"type": "select", "id": {"$ne": ""}}, "||None"),
    ({"type": "navigate", "id": KELPNET}, "||None"),
    ("select", "||None"),
    (None, "||None"),
]


@pytest.mark.parametrize(("choice", "state"), CHOICES)
def test_the_frame_is_believed_only_about_entities_of_its_own_view(choice: object, state: str) -> None:
    app = AppTest.from_function(choose, kwargs={"choice": choice}).run()
    assert not app.exception
    assert app.markdown[0].value.replace("\\", "") == state


def test_an_edge_shows_the_passages_that_mention_both(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = chunks_of("d-handbook.pdf")[4]
    monkeypatch.setattr(opened.graph, "shared_chunks", lambda one, other, limit: [chunk.id])
    monkeypatch.setattr(opened.library.passages, "get", lambda ids: [Passage(chunk, "handbook.pdf", 1.0)])
    app = open_page("graph", entity=KELPNET)
    app.session_state["graph"] = replace(app.session_state["graph"], edge=(SEALOOM, KELPNET))
    app.run()
    assert "Named together in" in words(app)
    (quote,) = [piece for piece in html_of_page(app) if "gt-sentence" in piece]
    assert re.sub("</?a[^>]*>", "", quote) == (
        '<p class="gt-sentence"><mark>SeaLoom</mark> stores the raw spectra that <mark>KelpNet</mark> reads.</p>'
    )
    assert quote.count('class="gt-name"') == 1
    assert any('class="gt-strip"' in piece for piece in html_of_page(app))


def test_an_edge_says_which_way_a_stated_relation_goes_and_where_it_stands(
    opened: FakeServices, open_page: OpenPage
) -> None:
    opened.graph.relations = [Relation(KELPNET, SEALOOM, "reads *from*", 0.9, (("d-handbook.pdf", 2),))]
    app = open_page("graph", entity=KELPNET)
    app.button(key="stated-0").click().run()
    said = words(app).replace("\\", "")
    assert "Stated: KelpNet — reads *from* → SeaLoom (handbook.pdf, page 3)." in said


def test_an_edge_says_what_was_stated_by_hand_and_what_rests_on_passages_that_are_not_used(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.graph, "shared_chunks", lambda *_: [])
    opened.graph.relations.append(Relation(KELPNET, SEALOOM, "reads from", 0.9))
    said = words(open_page("graph", edge=f"{KELPNET},{SEALOOM}")).replace("\\", "")
    assert "Stated by hand: KelpNet — reads from → SeaLoom." in said
    assert "only in passages that are not used" in said


def test_an_edge_does_not_deny_a_sentence_where_one_states_a_relation(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.graph, "shared_chunks", lambda *_: ["c"])
    pages = (("d-handbook.pdf", 2),)
    opened.graph.relations = [
        Relation(KELPNET, SEALOOM, "reads from", 1.0, pages, by_hand=True),
        Relation(KELPNET, SEALOOM, CO_OCCURS, 0.1, pages, near=False),
    ]
    said = words(open_page("graph", edge=f"{KELPNET},{SEALOOM}")).replace("\\", "")
    assert "Stated by hand: KelpNet — reads from → SeaLoom; it rests on handbook.pdf, page 3." in said
    assert "Named together in 1 passage" in said
    assert "No sentence" not in said


def test_an_edge_whose_ends_were_merged_is_said_to_be_gone_and_can_be_closed(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.graph, "entity", lambda id: opened.graph.entities[KELPNET])
    app = open_page("graph", edge=f"{KELPNET},{SEALOOM}")
    assert not app.exception
    assert "no longer exists" in words(app)
    app.button(key="graph-edge-close").click().run()
    assert "edge" not in app.query_params


def stops(app: AppTest) -> list[str]:
    return [button.key for button in app.button if button.key and button.key.startswith("stop-")]


def test_a_path_of_three_shows_the_one_between_once_and_may_pass_others_twice(
    opened: FakeServices, open_page: OpenPage
) -> None:
    far = next(each.entity.id for each in opened.graph.neighbours(SEALOOM, 3, 99) if each.hop == 2)
    app = open_page("graph", path=f"{KELPNET},{far},{SEALOOM}")
    assert not app.exception
    assert not app.error
    shown = [key.split("-", 2)[2] for key in stops(app)]
    assert (shown[0], shown[-1], shown.count(far)) == (KELPNET, SEALOOM, 1)


def test_a_path_shows_every_step_and_a_link_brings_it_back(opened: FakeServices, open_page: OpenPage) -> None:
    far = next(each.entity.id for each in opened.graph.neighbours(SEALOOM, 3, 99) if each.hop == 2)
    app = open_page("graph", path=f"{SEALOOM},{far}", by="strength")
    assert not app.exception
    assert stops(app)[0] == f"stop-0-{SEALOOM}"
    assert sum("All passages" in button.label for button in app.button) == 2
    assert drawn(app).count('"label"') == 3
    told = json.loads(app.get("bidi_component")[0].proto.json)
    assert [(leg[0], leg[-1], len(leg)) for leg in told["way"]] == [(SEALOOM, far, 3)]
    at = {each["id"]: each["x"] for each in nodes(app)}
    assert [at[id] for id in told["way"][0]] == sorted(at.values())
    assert dict(app.query_params)["path"] == f"{SEALOOM},{far}"
    app.button(key="graph-path-close").click().run()
    assert "path" not in app.query_params


def test_an_open_path_is_continued(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", path=f"{SEALOOM},{KELPNET}")
    app.button(key="graph-path").click().run()
    assert not app.exception
    assert app.text_input(key="graph-path-find")


def test_how_two_are_connected_is_taken_to_the_chat(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", path=f"{SEALOOM},{KELPNET}")
    app.button(key="graph-ask").click().run()
    assert app.chat_input[0].proto.value == "How are SeaLoom and KelpNet connected?"


def test_a_link_brings_back_filters_and_colours(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page(
        "graph", types="PERSON,CONCEPT", colour="community", mentions="2", limit="50", show="counted", hops="x"
    )
    assert not app.exception
    state = app.session_state["graph"]
    assert (state.scope.types, state.scope.mentions, state.scope.limit) == (("PERSON", "CONCEPT"), 2, 50)
    assert (state.communities, state.scope.relations, state.scope.hops) == (True, "counted", 1)
    assert "Communities in the drawing" in words(app)
    app.segmented_control(key="graph-colour").set_value("type").run()
    assert "colour" not in app.query_params
    assert dict(app.query_params)["mentions"] == "2"


def past(opened: FakeServices, *left_out: str) -> PastGraph:
    """The sample's graph without some of its entities."""
    graph = sample_graph()
    for entity in left_out:
        del graph.entities[entity]
    graph.relations = [each for each in graph.relations if not {each.source_id, each.target_id} & set(left_out)]
    library: Any = opened.library
    return PastGraph(graph, FakeWholeGraphs(graph), opened.communities, opened.graph_edits, library, ("lost.pdf",))


def test_a_day_in_the_past_is_shown_as_it_was_and_cannot_be_edited(opened: FakeServices, open_page: OpenPage) -> None:
    midnight = datetime(2026, 5, 4, tzinfo=UTC)
    opened.past_graphs.kept[midnight] = past(opened, SEALOOM)
    app = open_page("graph", entity=KELPNET, until="2026-05-03")
    assert not app.exception
    assert "as it was at the end of" in words(app)
    assert "lost" in words(app)
    assert "SeaLoom" not in drawn(app)
    assert not [button for button in app.button if button.key in ("graph-edit", "graph-duplicates")]
    app.button(key="graph-past-back").click().run()
    assert "until" not in app.query_params
    assert "SeaLoom" in drawn(app)


def test_going_back_to_a_day_undoes_the_edits_since(opened: FakeServices, open_page: OpenPage) -> None:
    kelpnet = opened.graph.entities[KELPNET]
    opened.graph_edits.record(BASE.id, [editing.rename(kelpnet, "Kelp Net")])
    opened.past_graphs.kept[datetime(2020, 5, 4, tzinfo=UTC)] = past(opened)
    app = open_page("graph", until="2020-05-03")
    app.button(key="graph-past-restore").click().run()
    assert not app.exception
    assert [each.undone for each in opened.graph_edits.logged] == [True]


def test_a_day_that_cannot_be_shown_says_why_and_leads_back(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", until="2026-05-03")
    assert not app.exception
    assert "too large" in " ".join(each.value for each in app.error)
    app.button(key="graph-past-back").click().run()
    assert "KelpNet" in drawn(app)


def test_what_changed_between_two_days_is_told_with_who_did_it(opened: FakeServices, open_page: OpenPage) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    opened.past_graphs.kept[today - timedelta(days=7)] = past(opened, KELPNET)
    opened.past_graphs.kept[today + timedelta(days=1)] = past(opened, SEALOOM)
    edit = editing.alias(opened.graph.entities[KELPNET], "K")
    opened.graph_edits.logged.append(LoggedEdit(1, 1, today, edit, actor="Ada"))
    app = open_page("graph")
    app.toggle(key="graph-history").set_value(True).run()
    assert not app.exception
    assert [button.label for button in app.button if button.key == f"chip-new-{KELPNET}"]
    gone = next(each.value for each in app.markdown if "SeaLoom" in each.value and each.value.startswith("-"))
    assert gone == "- SeaLoom"
    assert any("Ada" in each.value for each in app.markdown)
    app.button(key="graph-history-draw").click().run()
    assert [node["id"] for node in nodes(app)] == [KELPNET]


def test_what_changed_is_said_to_be_drawn_in_part_where_it_is_too_much(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    opened.past_graphs.kept[today - timedelta(days=7)] = past(opened, KELPNET, SEALOOM)
    opened.past_graphs.kept[today + timedelta(days=1)] = past(opened)
    monkeypatch.setattr(history, "MAX_LINKED", 1)
    app = open_page("graph")
    app.toggle(key="graph-history").set_value(True).run()
    assert app.button(key="graph-history-draw").label == "Draw the first 1 of 2 new and changed entities"


def test_a_day_that_no_field_takes_is_today(opened: FakeServices, open_page: OpenPage) -> None:
    for day in ("2999-01-01", "0001-01-01"):
        app = open_page("graph", until=day, since=day)
        assert not app.exception
        assert "KelpNet" in drawn(app)


@pytest.mark.parametrize("zone", ["XXX-24", "XXX+24"])
def test_a_day_is_one_of_utc_wherever_the_server_is(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    today = datetime.now(UTC).date()
    with monkeypatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        app = open_page("graph", since=today.isoformat())
    time.tzset()
    assert not app.exception
    assert (app.date_input(key="graph-since").value, app.date_input(key="graph-since").max) == (today, today)


def test_a_community_is_told_in_sentences_of_the_documents_and_by_the_model_on_request(
    opened: FakeServices, open_page: OpenPage
) -> None:
    sentence = "KelpNet <b>feeds</b> SeaLoom."
    opened.communities.sentences = (CommunitySentence(sentence, "c1", "log.md", 2, ("KelpNet", "SeaLoom")),)
    app = open_page("graph", colour="community")
    assert not app.exception
    shown = " ".join(html_of_page(app))
    assert "<mark>KelpNet</mark> &lt;b&gt;feeds&lt;/b&gt;" in shown
    assert '<span class="gt-quiet">log.md</span>' in shown
    assert not [button for button in app.button if (button.key or "").startswith("summary-")]

    opened.llm.engine = "a-model"
    app = open_page("graph", colour="community")
    next(button for button in app.button if (button.key or "").startswith("summary-")).click().run()
    assert not app.exception
    assert "written by a-model" in " ".join(html_of_page(app))


def test_a_link_brings_back_an_open_edge_and_what_the_tables_are_searched_for(
    opened: FakeServices, open_page: OpenPage
) -> None:
    app = open_page("graph", entity=KELPNET, edge=f"{SEALOOM},{KELPNET}")
    assert app.session_state["graph"].edge == (SEALOOM, KELPNET)
    assert "graph-edge-close" in {button.key for button in app.button}
    app.button(key="graph-edge-close").click().run()
    assert dict(app.query_params) == {"entity": KELPNET, "base": BASE.id}
    path = f"{SEALOOM},{KELPNET}"
    for looked in ({"edge": path}, {"entity": KELPNET}):
        app = open_page("graph", path=path, **looked)
        assert dict(app.query_params) == {"path": path, "base": BASE.id, **looked}
        assert drawn(app).count('"label"') == 2
    app = open_page("graph", view="entities", find="kelp")
    assert list(app.dataframe[0].value["Name"]) == ["KelpNet"]
    app.text_input(key="graph-table-filter").set_value("").run()
    assert dict(app.query_params) == {"view": "entities", "base": BASE.id}


def test_a_change_of_several_parameters_is_one_step_back_in_the_browser(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("graph", path=f"{SEALOOM},{KELPNET}", by="strength", hops="2")
    sent: list[str] = []
    monkeypatch.setattr(QueryParams, "_send_query_param_msg", lambda self: sent.append(str(dict(self))))
    app.button(key="graph-path-close").click().run()
    assert sent == [str({"base": BASE.id, "hops": "2"})]


def test_the_steps_of_a_run_are_counted_as_they_are_drawn(opened: FakeServices, open_page: OpenPage) -> None:
    run_id = opened.worker.start(RunRequest("What is SeaLoom?", BASE.id, interface_language="en"))
    told: list[Event] = []
    for node, place in (("grade", 0), ("rerank", 4)):
        weighed = Scored(chunks_of("d-handbook.pdf")[place].id, "handbook.pdf", 0, "x", 0.2, (), "")
        told += [NodeStarted(node, 1), PassagesGraded(node, (), (weighed,)), NodeFinished(node, 1, 0.1, "")]
    opened.worker.end(run_id, [*told, RunFinished("not_found", 0.1, Usage())])
    weighed_ids = [chunks_of("d-handbook.pdf")[place].id for place in (0, 4)]
    one, other = ({it.id for it in opened.graph.of_chunks([id])[id]} for id in weighed_ids)
    assert one
    assert other - one
    app = open_page("graph", run=run_id, step="2", entities=",".join(sorted(other)), limit="50")
    assert f"Only these {len(other)} entities" in words(app)
    assert f"Entities of this step: {len(other)}; not looked at by an earlier step: {len(other - one)}." in words(app)
    app.select_slider(key="graph-run-step").set_value(0).run()
    assert f"Only these {len(one | other)} entities" in words(app)
    assert f"Entities of all steps: {len(one | other)}." in words(app)
    app = open_page("graph", run=run_id, entities=SEALOOM)
    assert f"Only these {len(one | other)} entities" in words(app)
    app = open_page("graph", run=run_id, path=f"{SEALOOM},{KELPNET}")
    assert "graph-run-step" not in {slider.key for slider in app.select_slider}


def test_types_and_the_panel_follow_the_filters(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.graph, "mentioned", lambda base_id, where: {KELPNET})
    app = open_page("graph", document="d-handbook.pdf", types="PERSON", view="whole")
    kelpnet = opened.graph.entities[KELPNET]
    shown = {name.split(" :small")[0].split("] ")[1]: name for name in app.pills(key="graph-types").options}
    assert len(shown) == 2
    assert "gray[0]" in shown["Person"]
    app.pills(key="graph-types").set_value([]).run()
    assert chips(app) == [button.label for button in app.button if button.key == f"chip-start-{kelpnet.type}-{KELPNET}"]


def test_a_filter_by_a_document_that_is_not_listed_is_shown_and_can_be_cleared(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.library.documents, "ready_names", lambda base_id, limit: {})
    for document_id, name in (("d-handbook.pdf", "handbook.pdf"), ("d-gone.pdf", "A document that was deleted")):
        app = open_page("graph", document=document_id)
        field = app.selectbox(key="graph-document")
        assert (field.value, field.options) == (document_id, ["All documents", name])
        field.set_value("").run()
        assert "document" not in app.query_params


def test_pages_that_are_none_are_refused_with_what_is_expected(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", pages="2")
    app.text_input(key="graph-pages").set_value("abc").run()
    assert "3-7" in app.error[0].value
    assert app.text_input(key="graph-pages").value == "abc"
    assert app.query_params["pages"] == "2"
    app.text_input(key="graph-pages").set_value("3").run()
    assert not app.error
    assert app.query_params["pages"] == "3"


def test_a_view_is_kept_under_a_name_opened_and_dropped(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity=KELPNET, hops="2", types="PERSON")
    app.text_input(key="graph-view-name").set_value(" *Lena's* circle ")
    app.button(key="view-save").click().run()
    again = open_page("graph")
    button = again.button(key="view-open-*Lena's* circle")
    assert button.label == "\\*Lena\\'s\\* circle"
    button.click().run()
    assert not again.exception
    assert (again.query_params["entity"], again.query_params["hops"]) == (KELPNET, "2")
    again.button(key="view-drop-*Lena's* circle").click().run()
    assert not [each for each in open_page("graph").button if (each.key or "").startswith("view-open-")]


def test_a_view_may_be_named_like_a_button(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", entity=KELPNET)
    for name in ("save", "drop-save"):
        app.text_input(key="graph-view-name").set_value(name)
        app.button(key="view-save").click().run()
    assert not app.exception
    assert [button.key for button in app.button if (button.key or "").startswith("view-open-")] == [
        "view-open-save",
        "view-open-drop-save",
    ]
