"""The graph as tables: what the filters leave, a selected row fills the panel, several rows are edited at once."""

import csv
import json
from io import StringIO

import pytest
from streamlit.testing.v1 import AppTest

from core.graph.edits import EditKind
from core.graph.files.network_files import entities_csv, relations_csv
from core.graph.model import Entity, Relation
from pages.components.graph import tables
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, document, entity_id

KELPNET, SEALOOM = entity_id("KelpNet"), entity_id("SeaLoom")


@pytest.fixture(autouse=True)
def _with_a_document(opened: FakeServices) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()


def actions() -> None:
    """Runs as a script: what can be done with the two rows of these entities."""
    from pages.components.graph.bulk import entity_actions
    from pages.components.shell.services import services
    from tests.pages.marlow import BASE, entity_id

    entity_actions(BASE.id, [services().graph.entity(entity_id(name)) for name in ("KelpNet", "SeaLoom")])


def test_entities_are_listed_with_their_counts_and_narrowed_by_type_and_name(
    opened: FakeServices, open_page: OpenPage
) -> None:
    app = open_page("graph", view="entities")
    assert not app.exception
    assert list(app.dataframe[0].value.columns) == [
        "Name",
        "Type",
        "Mentions",
        "Connections",
        "Stated relations",
        "Centrality, %",
        "Documents",
        "Also known as",
    ]
    assert len(app.dataframe[0].value) == len(opened.graph.entities)
    app.text_input(key="graph-table-filter").set_value("kelp").run()
    assert list(app.dataframe[0].value["Name"]) == ["KelpNet"]
    app = open_page("graph", view="entities", types="PERSON")
    assert set(app.dataframe[0].value["Type"]) == {"Person"}


def test_names_keep_their_width_in_both_tables(open_page: OpenPage) -> None:
    for view, column in (("entities", "Name"), ("relations", "From")):
        columns = json.loads(open_page("graph", view=view).dataframe[0].proto.columns)
        assert columns[column]["width"] == tables.NAME_WIDTH


def test_relations_are_listed_stated_ones_with_their_words(opened: FakeServices, open_page: OpenPage) -> None:
    opened.graph.relations.append(Relation(KELPNET, SEALOOM, "reads from", 0.9, (("d-handbook.pdf", 2),)))
    app = open_page("graph", view="relations")
    assert set(app.dataframe[0].value["Relation"]) == {"mentioned together", "reads from"}
    app = open_page("graph", view="relations", show="stated")
    assert app.dataframe[0].value.to_dict("list")["From"] == ["KelpNet"]
    assert f"1 of {len(opened.graph.relations)} relations" in captions(app)


def test_stated_relations_are_listed_however_seldom_their_ends_are_mentioned(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "RELATED", 1)
    opened.graph.relations.append(Relation(KELPNET, SEALOOM, "reads from", 0.9, (("d-handbook.pdf", 2),)))
    app = open_page("graph", view="relations", show="stated")
    assert app.dataframe[0].value.to_dict("list")["Relation"] == ["reads from"]
    assert "most mentioned" not in captions(app)
    assert "Relations between the 1 most mentioned" in captions(open_page("graph", view="relations"))


def test_a_table_that_is_narrowed_by_type_leaves_out_a_centre_of_another_type(open_page: OpenPage) -> None:
    app = open_page("graph", view="entities", entity=KELPNET, types="PERSON")
    assert set(app.dataframe[0].value["Type"]) == {"Person"}


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("COMPANY -own-> ?", "No type and no name here is like COMPANY."),
        ("foo -> bar", "This is not a pattern."),
        ("-own->", "This is not a pattern."),
        ("? -own-> ?", "No stated relation fits this pattern."),
    ],
)
def test_it_is_said_why_no_relation_fits(open_page: OpenPage, query: str, told: str) -> None:
    assert told in captions(open_page("graph", view="relations", find=query))


def test_what_is_looked_at_elsewhere_stands_first_in_the_tables_and_is_marked(
    opened: FakeServices, open_page: OpenPage
) -> None:
    opened.graph.relations.append(Relation(KELPNET, SEALOOM, "reads from", 0.01))
    least = opened.graph.every(BASE.id)[-1]
    app = open_page("graph", view="entities", entity=least.id)
    assert app.dataframe[0].value["Name"][0] == least.name
    assert "graph-bulk-delete" in {button.key for button in app.button}
    app = open_page("graph", view="relations", edge=f"{SEALOOM},{KELPNET}")
    assert set(app.dataframe[0].value.loc[0, ["From", "To"]]) == {"KelpNet", "SeaLoom"}


def test_relations_of_what_is_searched_for_are_listed_whatever_their_other_end(
    opened: FakeServices, open_page: OpenPage
) -> None:
    app = open_page("graph", view="relations", find="kelp")
    ends = app.dataframe[0].value[["From", "To"]].to_numpy().tolist()
    near = opened.graph.neighbours(KELPNET, 1, 99)
    assert {name for pair in ends for name in pair} == {"KelpNet", *(each.entity.name for each in near)}
    assert all("KelpNet" in pair for pair in ends)


def test_several_rows_are_merged_typed_or_deleted_at_once(opened: FakeServices) -> None:
    app = AppTest.from_function(actions).run()
    assert "Merging keeps the name “KelpNet” and the type “Product or technology”." in captions(app)
    app.button(key="graph-bulk-merge").click().run()
    next(each for each in app.selectbox if each.label == "Type").set_value("CONCEPT").run()
    app.button(key="graph-bulk-delete").click().run()
    assert not app.exception
    edits = [each.edit for each in opened.graph_edits.logged]
    assert [edit.kind for edit in edits] == [EditKind.MERGE, EditKind.RETYPE, EditKind.DELETE]
    assert {tuple(entity.name for entity in edit.entities) for edit in edits} == {("KelpNet", "SeaLoom")}
    assert edits[1].text == "CONCEPT"


def relation_rows() -> None:
    """Runs as a script: what can be done with a stated row and a counted one."""
    from core.graph.model import Relation
    from pages.components.graph.bulk import relation_actions
    from pages.components.shell.services import services
    from tests.pages.marlow import BASE, entity_id

    two = entity_id("KelpNet"), entity_id("SeaLoom")
    ends = {id: services().graph.entity(id) for id in two}
    pages = (("d-handbook.pdf", 2),)
    rows = [Relation(*two, "reads from", 0.9, pages), Relation(*two, "CO_OCCURS_IN", 0.5, pages)]
    relation_actions(BASE.id, rows, ends)


def captions(app: AppTest) -> str:
    return " ".join(each.value for each in app.caption)


def told(opened: FakeServices) -> list[tuple[EditKind, str, str]]:
    """Kind, words and first entity of the edits that were made."""
    edits = [each.edit for each in opened.graph_edits.logged]
    return [(edit.kind, edit.text, edit.entities[0].name) for edit in edits]


def test_rows_are_related_in_one_step(opened: FakeServices) -> None:
    app = AppTest.from_function(actions).run()
    app.text_input(key="graph-bulk-relate-words").set_value("reads from")
    app.segmented_control(key="graph-bulk-relate-direction").set_value("back")
    next(each for each in app.button if each.label == "State the relation").click().run()
    assert not app.exception
    assert told(opened) == [(EditKind.STATE, "reads from", "SeaLoom")]


def test_relations_are_reworded_reversed_and_removed(opened: FakeServices) -> None:
    app = AppTest.from_function(relation_rows).run()
    app.button(key="graph-bulk-reverse").click().run()
    assert told(opened) == [(EditKind.DENY, "reads from", "KelpNet"), (EditKind.STATE, "reads from", "SeaLoom")]
    assert app.session_state["graph-notice"] == "Reversed: SeaLoom — reads from → KelpNet"
    app.text_input[0].set_value("uses").run()
    assert told(opened)[2:] == [(EditKind.DENY, "reads from", "KelpNet"), (EditKind.STATE, "uses", "KelpNet")]
    assert opened.graph_edits.logged[3].edit.pages == (("d-handbook.pdf", 2),)
    assert app.session_state["graph-notice"] == "Reworded: KelpNet — uses → SeaLoom"
    app.button(key="graph-bulk-remove").click().run()
    assert not app.exception
    removed = told(opened)[4:]
    assert removed[0] == (EditKind.DENY, "reads from", "KelpNet")
    assert {kind for kind, *_ in removed[1:]} == {EditKind.REJECT}


def test_a_counted_relation_is_removed_even_if_its_passages_are_not_used(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.graph, "shared_chunks", lambda *_, unused=False: ["c"] if unused else [])
    AppTest.from_function(relation_rows).run().button(key="graph-bulk-remove").click().run()
    assert [each.edit.chunk_id for each in opened.graph_edits.logged] == ["", "c"]


def test_an_action_that_changes_nothing_says_so(opened: FakeServices) -> None:
    app = AppTest.from_function(relation_rows).run()
    app.text_input[0].set_value("reads from").run()
    assert opened.graph_edits.logged == []
    assert app.session_state["graph-notice"] == "Nothing was changed"


def test_the_view_is_part_of_the_address(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph")
    app.segmented_control(key="graph-view").set_value("relations").run()
    assert app.query_params["view"] == "relations"


def test_files_hold_what_a_spreadsheet_would_run_as_text() -> None:
    evil = Entity("e", BASE.id, "=1+1", "CONCEPT", ("@SUM(A1)",), 1, 1)
    rows = list(csv.reader(StringIO(entities_csv([evil]).decode("utf-8-sig"))))
    assert rows[1] == ["e", "'=1+1", "CONCEPT", "'@SUM(A1)", "1", "1"]
    written = relations_csv([Relation("e", "f", "-x", 0.5)], {"e": "=1+1", "f": "F"}).decode("utf-8-sig")
    assert list(csv.reader(StringIO(written)))[1] == ["e", "'=1+1", "'-x", "f", "F", "0.5", "0"]


def ticks() -> None:
    """Runs as a script: rows ticked one after another in a table whose first row was marked, and what is looked at."""
    import streamlit as st

    from pages.components.graph.state import graph_state, select
    from pages.components.graph.tables import FIRST, _take
    from pages.components.shell.services import services
    from tests.pages.marlow import BASE

    shown = services().graph.every(BASE.id)
    st.session_state[FIRST + "entity"] = shown[0].id
    for rows in ([0, 2], [0, 1, 2], [1, 2], [2]):
        st.session_state["table"] = {"selection": {"rows": rows}}
        _take("entity", [entity.id for entity in shown], select, "table")
        st.text(str([entity.id for entity in shown].index(graph_state().selected)))


def test_the_row_that_was_ticked_last_is_looked_at(opened: FakeServices) -> None:
    app = AppTest.from_function(ticks).run()
    assert not app.exception
    assert [text.value for text in app.text] == ["2", "1", "1", "2"]
