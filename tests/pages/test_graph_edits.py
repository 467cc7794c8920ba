"""Editing on the Graph page: what a reader changes is recorded, told, listed and taken back."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.graph import naming
from core.graph.edits import EditKind
from core.graph.files.file_rows import json_blocks
from core.graph.files.json_files import edit_rows
from core.graph.model import Entity
from core.graph.resolution import editing
from core.search.model import Passage
from pages.components.graph import edit_dialog
from pages.components.shell.widgets import Body
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, chunks_of, document, entity_id

KELPNET, SEALOOM = entity_id("KelpNet"), entity_id("SeaLoom")


@pytest.fixture(autouse=True)
def _with_a_document(opened: FakeServices) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()


def kinds(opened: FakeServices) -> list[tuple[EditKind, tuple[str, ...], str]]:
    edits = [each.edit for each in opened.graph_edits.logged]
    return [(edit.kind, tuple(entity.name for entity in edit.entities), edit.text) for edit in edits]


def form() -> None:
    """Runs as a script: what the dialog shows of KelpNet."""
    from pages.components.graph.edit_dialog import edit_form
    from pages.components.shell.services import services
    from tests.pages.marlow import entity_id

    edit_form(services().graph.entity(entity_id("KelpNet")))


def duplicates() -> None:
    """Runs as a script: what the dialog shows."""
    from pages.components.graph.duplicates import duplicates_list
    from tests.pages.marlow import BASE

    duplicates_list(BASE.id)


def captions(app: AppTest) -> list[str]:
    return [each.value for each in app.caption]


def labelled(elements: Iterable[Any], label: str) -> Any:
    return next(each for each in elements if each.label == label)


def test_name_type_and_alias_are_saved_as_one_change(opened: FakeServices) -> None:
    app = AppTest.from_function(form).run()
    labelled(app.text_input, "Name").set_value("Kelp Net")
    labelled(app.selectbox, "Type").set_value("CONCEPT")
    labelled(app.text_input, "Another name for it").set_value("海藻网")
    labelled(app.button, "Save").click().run()
    assert not app.exception
    assert kinds(opened) == [
        (EditKind.RENAME, ("KelpNet",), "Kelp Net"),
        (EditKind.RETYPE, ("KelpNet",), "CONCEPT"),
        (EditKind.ALIAS, ("KelpNet",), "海藻网"),
    ]
    assert len({each.batch for each in opened.graph_edits.logged}) == 1


def test_a_type_that_is_offered_is_taken_as_it_is_written(opened: FakeServices) -> None:
    opened.graph.entities["e-2"] = Entity("e-2", BASE.id, "p53", "Gene/protein", (), 1, 1)
    app = AppTest.from_function(form).run()
    labelled(app.selectbox, "Type").set_value("Gene/protein")
    labelled(app.button, "Save").click().run()
    assert kinds(opened) == [(EditKind.RETYPE, ("KelpNet",), "Gene/protein")]


def test_a_refused_change_is_told_and_not_recorded(opened: FakeServices) -> None:
    app = AppTest.from_function(form).run()
    labelled(app.text_input, "Name").set_value("\u200b")
    labelled(app.button, "Save").click().run()
    assert "needs at least one visible character" in app.error[0].value
    assert opened.graph_edits.logged == []


def test_another_entity_is_found_and_merged_or_related(opened: FakeServices) -> None:
    app = AppTest.from_function(form).run()
    app.text_input(key="graph-edit-find").set_value("sealoom").run()
    app.text_input(key="graph-edit-state-words").set_value("reads from")
    labelled(app.button, "State the relation").click().run()
    assert "Merging keeps the name “KelpNet” and the type “Product or technology”." in captions(app)
    app.button(key="graph-edit-merge").click().run()
    assert kinds(opened) == [
        (EditKind.STATE, ("KelpNet", "SeaLoom"), "reads from"),
        (EditKind.MERGE, ("KelpNet", "SeaLoom"), ""),
    ]


def test_the_entity_that_is_looked_at_opens_for_editing_and_is_deleted(
    opened: FakeServices, open_page: OpenPage
) -> None:
    app = open_page("graph", entity=KELPNET)
    app.button(key="graph-edit").click().run()
    assert labelled(app.text_input, "Name").value == "KelpNet"
    app = AppTest.from_function(form).run()
    app.button(key="graph-edit-delete").click().run()
    assert kinds(opened) == [(EditKind.DELETE, ("KelpNet",), "")]


@pytest.mark.parametrize(("gone", "centre"), [("e-1", ()), ("e-2", ("e-1",))])
def test_what_is_left_is_no_longer_in_the_middle_of_the_drawing(gone: str, centre: tuple[str, ...]) -> None:
    def after(gone: str) -> None:
        import streamlit as st

        from pages.components.graph.state import graph_state, leave, select, walk_to

        walk_to("e-1")
        select(gone)
        leave(gone)
        st.session_state["left"] = graph_state()

    state = AppTest.from_function(after, args=(gone,)).run().session_state["left"]
    assert (state.selected, state.scope.centre) == ("", centre)


def test_changes_are_listed_with_undo_and_redo(opened: FakeServices, open_page: OpenPage) -> None:
    entity = opened.graph.entities[KELPNET]
    opened.graph_edits.record(BASE.id, [editing.rename(entity, "<b>Kelp</b>")])
    app = open_page("graph")
    listed = [piece.proto.body for piece in app.get("html") if "gt-change" in piece.proto.body]
    assert "KelpNet renamed to &lt;b&gt;Kelp&lt;/b&gt;" in listed[0]
    app.button(key="graph-undo").click().run()
    assert [each.undone for each in opened.graph_edits.logged] == [True]
    app.button(key="graph-log-1").click().run()
    assert [each.undone for each in opened.graph_edits.logged] == [False]


def test_suggested_duplicates_are_merged_or_kept_apart(opened: FakeServices, open_page: OpenPage) -> None:
    opened.graph.entities["e-2"] = Entity("e-2", BASE.id, "Kelp-Net", "TECHNOLOGY", (), 1, 1)
    opened.graph.entities["e-3"] = Entity("e-3", BASE.id, "kelp net", "TECHNOLOGY", (), 1, 1)
    opened.graph_edits.existing = list(opened.graph.entities)
    app = AppTest.from_function(duplicates).run()
    assert "same letters" in app.pills(key="graph-duplicates-reason").options[0]
    together = app.button(key="graph-duplicates-all")
    assert "Merge the 2 below" in together.label
    assert together.disabled
    labelled(app.checkbox, "I have looked at these").check().run()
    assert not app.button(key="graph-duplicates-all").disabled
    assert "Merging keeps the name “KelpNet” and the type “Product or technology”." in captions(app)
    app.button(key=f"apart-{'-'.join(sorted([KELPNET, 'e-2']))}").click().run()
    app.button(key=f"merge-{'-'.join(sorted([KELPNET, 'e-3']))}").click().run()
    assert kinds(opened) == [
        (EditKind.APART, ("KelpNet", "Kelp-Net"), ""),
        (EditKind.MERGE, ("KelpNet", "kelp net"), ""),
    ]


def test_all_forms_of_a_persons_name_are_one_suggestion(opened: FakeServices) -> None:
    forms = {"e-2": "Lena Vogt", "e-3": "L. Lena Vogt", "e-4": "Vogt", "e-5": "Chair Lena Vogt"}
    for id, name in forms.items():
        opened.graph.entities[id] = Entity(id, BASE.id, name, "PERSON", (), 9 if id == "e-2" else 1, 1)
    opened.graph_edits.existing = list(opened.graph.entities)
    app = AppTest.from_function(duplicates).run()
    app.button(key="merge-e-2-e-3-e-4-e-5").click().run()
    ((kind, names, _),) = kinds(opened)
    assert (kind, names[0], set(names)) == (EditKind.MERGE, "Lena Vogt", {*forms.values()})


def test_the_surest_duplicates_come_first_and_a_reason_narrows_them(opened: FakeServices) -> None:
    for id, name in (("e-2", "Kelp-Net"), ("e-3", "KN")):
        aliases = ("SeaLoom",) if id == "e-3" else ()
        opened.graph.entities[id] = Entity(id, BASE.id, name, "TECHNOLOGY", aliases, 1, 1)
    app = AppTest.from_function(duplicates).run()
    reasons = ["same letters without case, space, hyphen", "name of one is alias of the other"]
    assert [each for each in captions(app) if each in reasons] == reasons
    app.pills(key="graph-duplicates-reason").set_value("alias").run()
    assert [each for each in captions(app) if each in reasons] == reasons[1:]


def test_two_entities_that_are_looked_at_are_related_in_one_step(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", edge=f"{KELPNET},{SEALOOM}")
    app.text_input(key="graph-edge-relate-words").set_value("reads from")
    labelled(app.button, "State the relation").click().run()
    assert not app.exception
    assert kinds(opened) == [(EditKind.STATE, ("KelpNet", "SeaLoom"), "reads from")]


def test_names_are_words_in_the_direction_of_a_relation_and_above_the_form(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.graph.entities[SEALOOM] = replace(opened.graph.entities[SEALOOM], name="*Loom* ![x](/y)")
    app = open_page("graph", entity=SEALOOM, edge=f"{KELPNET},{SEALOOM}")
    ways = app.segmented_control(key="graph-edge-relate-direction").options
    assert ways[0] == "KelpNet → \\*Loom\\* \\!\\[x\\]\\(\\/y\\)"
    titles: list[str] = []

    def titled(title: str, **_: str) -> Callable[[Body], Body]:
        titles.append(title)
        return lambda body: body

    monkeypatch.setattr(edit_dialog, "dialog", titled)
    app = open_page("graph", entity=SEALOOM)
    app.button(key="graph-edit").click().run()
    assert titles == ["Edit \\*Loom\\* \\!\\[x\\]\\(\\/y\\)"]


def preview() -> None:
    """Runs as a script: the import of a file."""
    from pages.components.graph.history import bring_in
    from tests.pages.marlow import BASE

    bring_in(BASE.id)


def file_of_edits(opened: FakeServices) -> BytesIO:
    file = BytesIO("".join(json_blocks(edit_rows(opened.graph_edits.logged))).encode())
    file.name = "kg_edits.json"
    return file


def test_an_undone_change_in_a_file_is_not_said_to_take_effect(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = naming.entity_id(BASE.id, "Ada", "PERSON")
    opened.graph.entities[id] = ada = Entity(id, BASE.id, "Ada", "PERSON", (), 1, 1)
    for name in ("Ada B.", "Ada C."):
        opened.graph_edits.record(BASE.id, [editing.rename(ada, name)])
    opened.graph_edits.set_undone(BASE.id, [opened.graph_edits.logged[-1].number], True)
    file = file_of_edits(opened)
    monkeypatch.setattr("streamlit.file_uploader", lambda *_, **__: file)
    told = AppTest.from_function(preview).run().caption[0].value
    assert "in the file: 2. Ready to take effect: 1. " in told
    assert told.endswith("Undone: 1.")


def test_a_change_in_a_file_to_what_was_merged_does_not_wait(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = ((naming.entity_id(BASE.id, name, "PERSON"), name) for name in ("Ada", "Ida"))
    whole, part = (Entity(id, BASE.id, name, "PERSON", (), 1, 1) for id, name in people)
    opened.graph.entities[whole.id] = whole
    opened.graph_edits.existing = [whole.id, part.id]
    opened.graph_edits.record(BASE.id, [editing.merge(whole, [part])])
    file = file_of_edits(opened)
    monkeypatch.setattr("streamlit.file_uploader", lambda *_, **__: file)
    assert "Ready to take effect: 1." in AppTest.from_function(preview).run().caption[0].value


def test_a_passage_is_rejected_as_evidence(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk = chunks_of("d-handbook.pdf")[4]
    monkeypatch.setattr(opened.graph, "shared_chunks", lambda one, other, limit: [chunk.id])
    monkeypatch.setattr(opened.library.passages, "get", lambda ids: [Passage(chunk, "handbook.pdf", 1.0)])
    app = open_page("graph", entity=KELPNET)
    app.session_state["graph"] = replace(app.session_state["graph"], edge=(SEALOOM, KELPNET))
    app.run()
    app.button(key=f"evidence-reject-{chunk.id}").click().run()
    (logged,) = opened.graph_edits.logged
    assert (logged.edit.kind, logged.edit.chunk_id) == (EditKind.REJECT, chunk.id)
