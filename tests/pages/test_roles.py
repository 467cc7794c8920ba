"""What is drawn for somebody who may only read a shared knowledge base, or change but not own it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from streamlit.testing.v1 import AppTest

from core.documents.model import DocumentStatus
from core.graph.resolution import editing
from core.platform.identity import Role
from pages.components.documents import base_menu
from pages.components.shell import identity
from pages.components.shell.widgets import Body
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, document, entity_id
from tests.pages.test_documents_page import DocumentServices
from tests.pages.test_documents_page import opened as opened

HANDBOOK = "d-handbook.pdf"
READ_ONLY = "You may read this knowledge base, not change it."


@dataclass
class FakeShares:
    """Every base is shared in one role."""

    given: Role

    def role(self, base_id: str) -> Role:
        return self.given


@pytest.fixture
def role(request: pytest.FixtureRequest, opened: DocumentServices, monkeypatch: pytest.MonkeyPatch) -> Role:
    given: Role = request.param
    monkeypatch.setattr(opened.storage.access, "shares", FakeShares(given), raising=False)
    monkeypatch.setattr(identity, "sign_in_configured", lambda: True)
    monkeypatch.setattr(base_menu, "sign_in_configured", lambda: True)
    failed = replace(document(), id="d-failed", name="failed.pdf", status=DocumentStatus.FAILED)
    opened.library.documents.kept |= {"d-failed": failed}
    file = opened.storage.files.path(document().sha256)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"%PDF")
    opened.graph_edits.record(document().base_id, [editing.rename(opened.graph.entity(entity_id("KelpNet")), "Kelp")])
    return given


def keys(app: AppTest) -> set[str]:
    """Of everything that can be pressed or filled."""
    return {str(each.key) for each in (*app.button, *app.toggle, *app.checkbox, *app.file_uploader, *app.text_area)}


def chunks_of_the_handbook(open_page: OpenPage) -> AppTest:
    app = open_page("documents", document=HANDBOOK)
    app.session_state[f"document-tabs-{HANDBOOK}"] = "Passages"
    return app.run()


CHANGES = {
    "documents": {"delete", "delete-d-failed", "retry-d-failed", "select", "documents-upload-0"},
    "document": {"document-delete", "edit-0", "again-do", "form"},
    "graph": {"graph-edit", "graph-duplicates", "graph-undo", "graph-redo", "graph-log-1"},
}


@pytest.mark.parametrize("role", [Role.READER, Role.EDITOR], indirect=True)
def test_a_reader_sees_no_control_that_would_be_refused(role: Role, opened: FakeServices, open_page: OpenPage) -> None:
    pages = {
        "documents": open_page("documents"),
        "document": chunks_of_the_handbook(open_page),
        "graph": open_page("graph", entity=entity_id("KelpNet")),
    }
    for name, app in pages.items():
        assert not app.exception, name
        found = {each for each in CHANGES[name] if any(key.startswith(each) for key in keys(app))}
        said = READ_ONLY in " ".join(element.value for element in app.caption)
        assert (found, said) == ((set(), True) if role is Role.READER else (CHANGES[name], False)), name


def test_the_name_of_a_shared_base_is_no_link_in_the_title_of_the_dialog(monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []

    def noted(title: str) -> Callable[[Body], Body]:
        titles.append(title)
        return lambda _: lambda _base: None

    monkeypatch.setattr(base_menu, "dialog", noted)
    base_menu.ask("share", replace(BASE, name="[Sign in](https://x)"))
    assert "\\[Sign in\\]" in titles[0]


def test_only_an_owner_is_offered_to_delete_a_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base_menu, "sign_in_configured", lambda: True)
    assert {role: base_menu._offered(role) for role in Role} == {
        Role.READER: ("create", "share"),
        Role.EDITOR: ("create", "rename", "classes", "share"),
        Role.OWNER: ("create", "rename", "classes", "share", "delete"),
    }
