"""The Settings page over the real services: an engine is tried, kept, and used without a restart; no key is shown."""

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from core.app.search import SearchParts
from core.models.chat import local_servers
from core.models.providers import LocalServer
from core.people.api_keys import KeyScope
from core.platform.errors import InputError, ServiceError
from core.platform.settings.preferences import PRICES_FILE, FilePreferences
from core.platform.settings.settings import load_settings
from core.runs.history.prices import Price, checked_prices, cost_of, load_prices, prices_text
from core.runs.history.view import RunView
from core.runs.model import Usage
from pages.components.run.run_html import run_parts
from pages.components.shell.services import close_services, services
from tests.loopback.local_model_servers import OllamaServer, at, tagged
from tests.loopback.mineru_server import MineruServer
from tests.loopback.openai_server import OpenAiServer
from tests.pages.conftest import OpenPage, settings_at

SECRET = "sk-very-secret-1234"


@pytest.fixture
def opened(request: pytest.FixtureRequest) -> Iterator[None]:
    """The real services; the page's other tests bring services in memory."""
    services.clear()
    yield
    close_services()
    services.clear()


@pytest.fixture
def server() -> Iterator[OpenAiServer]:
    with OpenAiServer() as running:
        yield running


def press(app: AppTest, label: str, form: str = "") -> AppTest:
    return next(one for one in app.button if one.label == label and form in _form(one)).click().run()


def _form(button: Button) -> str:
    return str(button.proto.form_id)


def fill(app: AppTest, url: str, model: str, key: str = "") -> None:
    app.text_input(key="settings-llm-url").set_value(url)
    app.text_input(key="settings-llm-model").set_value(model)
    app.text_input(key="settings-llm-key").set_value(key)


def said(app: AppTest) -> str:
    return " ".join(element.value for element in [*app.success, *app.error]).replace("\\", "")


def test_a_model_is_tried_before_it_is_kept(open_page: OpenPage, server: OpenAiServer) -> None:
    app = open_page("settings")
    fill(app, server.base_url, "small-model")
    press(app, "Test", "model")
    assert "answered after" in said(app)
    assert services().llm.engine == "built-in"


def test_a_kept_model_answers_from_then_on_and_can_be_given_up(open_page: OpenPage, server: OpenAiServer) -> None:
    app = open_page("settings")
    fill(app, server.base_url, "small-model", SECRET)
    press(app, "Save", "model")
    assert not app.exception
    assert services().llm.engine == "small-model"
    press(app, "Restore the environment's values")
    assert services().llm.engine == "built-in"


def test_an_endpoint_that_is_not_there_is_a_sentence_and_nothing_is_kept(open_page: OpenPage) -> None:
    app = open_page("settings")
    fill(app, "http://127.0.0.1:9/v1", "m")
    press(app, "Test", "model")
    assert "cannot be reached" in said(app)
    assert FilePreferences(load_settings().data).read() == {}


@pytest.mark.parametrize("button", ["Test", "Save"])
def test_half_an_endpoint_is_said_and_not_kept(open_page: OpenPage, button: str) -> None:
    app = open_page("settings")
    fill(app, "http://127.0.0.1:9/v1", "")
    press(app, button, "model")
    assert "LLM_MODEL" in said(app)
    assert FilePreferences(load_settings().data).read() == {}
    assert not app.run().error


def test_a_key_that_is_kept_is_on_no_part_of_the_page(open_page: OpenPage, server: OpenAiServer) -> None:
    app = open_page("settings")
    fill(app, server.base_url, "small-model", SECRET)
    press(app, "Save", "model")
    assert SECRET not in str(app.run())
    assert "A key is set" in app.text_input(key="settings-llm-key").placeholder


def test_a_key_does_not_follow_to_another_address(open_page: OpenPage, server: OpenAiServer) -> None:
    app = open_page("settings")
    fill(app, server.base_url, "small-model", SECRET)
    press(app, "Save", "model")
    fill(app, "http://127.0.0.1:9/v1", "small-model")
    press(app, "Save", "model")
    assert services().settings.llm_api_key.get_secret_value() == ""


@pytest.mark.parametrize(
    ("tab", "form", "key"),
    [
        ("Model", "model", "settings-llm-key"),
        ("Documents", "documents", "settings-mineru-token"),
        ("Web", "web", "settings-tavily-key"),
    ],
)
def test_a_browser_is_told_to_forget_a_key_that_was_kept(
    open_page: OpenPage, server: OpenAiServer, tab: str, form: str, key: str
) -> None:
    app = settings_at(open_page, tab)
    fill(app, server.base_url, "small-model")
    app.text_input(key=key).set_value(SECRET)
    press(app, "Save", form)
    field = app.text_input(key=key).proto
    assert (field.set_value, field.value) == (True, "")


def test_a_key_that_could_not_be_kept_stays_in_its_field(open_page: OpenPage) -> None:
    app = open_page("settings")
    fill(app, "http://127.0.0.1:9/v1", "", SECRET)
    press(app, "Save", "model")
    assert "LLM_MODEL" in said(app)
    assert app.run().text_input(key="settings-llm-key").value == SECRET


def test_the_fields_follow_a_model_that_is_given_up(open_page: OpenPage, server: OpenAiServer) -> None:
    app = open_page("settings")
    fill(app, server.base_url, "small-model", SECRET)
    press(app, "Save", "model")
    press(app, "Restore the environment's values")
    assert app.text_input(key="settings-llm-url").value == app.text_input(key="settings-llm-model").value == ""
    press(app, "Save", "model")
    assert services().llm.engine == "built-in"
    assert "LLM_API_KEY" not in services().configuration.kept()


def test_a_provider_fills_the_address_in(open_page: OpenPage) -> None:
    app = press(open_page("settings"), "DeepSeek")
    assert app.text_input(key="settings-llm-url").value == "https://api.deepseek.com/v1"


def test_a_model_on_this_machine_is_found_filled_in_and_tested(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OllamaServer([tagged("qwen3:8b"), tagged("gemma4:[x](y)")]) as server:
        there, nobody = at(server, "Ollama", "/api/tags"), LocalServer("vLLM", 9)
        monkeypatch.setattr(local_servers, "LOCAL_SERVERS", (there, nobody))
        monkeypatch.setattr(local_servers, "SECONDS", 30.0)
        monkeypatch.setattr(local_servers, "SIZE_SECONDS", 30.0)
        app = open_page("settings")
        assert server.requests == []
        press(app, "Look for models on this machine")
        shown = " ".join(element.value for element in app.markdown).replace("\\", "")
        assert f"`{there.address}` answers; models: 2" in shown
        assert "`127.0.0.1:9` no response" in shown
        app.selectbox(key=f"settings-local-{there.port}").set_value("gemma4:[x](y)").run()
        press(app, "Use and test")
        assert app.text_input(key="settings-llm-url").value == there.base_url
        assert app.text_input(key="settings-llm-model").value == "gemma4:[x](y)"
        assert "answered after" in said(app)
        assert server.chats[-1]["model"] == "gemma4:[x](y)"
    assert not app.exception
    assert FilePreferences(load_settings().data).read() == {}


def test_the_form_of_output_is_kept_and_tried(open_page: OpenPage) -> None:
    with OpenAiServer(refuses=["json_schema"]) as server:
        app = open_page("settings")
        fill(app, server.base_url, "small-model")
        form = next(one for one in app.selectbox if one.label == "Output format")
        assert form.value == "auto"
        form.set_value("json_schema")
        press(app, "Test", "model")
        assert "LLM_OUTPUT" in said(app)
        next(one for one in app.selectbox if one.label == "Output format").set_value("function")
        press(app, "Test", "model")
        assert "answered after" in said(app)
        press(app, "Save", "model")
    assert services().settings.llm_output == "function"


def test_the_budget_of_a_question_is_changed(open_page: OpenPage) -> None:
    app = settings_at(open_page, "Budget")
    wanted = {
        "Model calls": 7,
        "Tokens": 9_000,
        "Seconds": 60,
        "Tool calls": 5,
        "Retries after a rejected answer": 1,
        "Tool rounds of an agent": 3,
    }
    for field in app.number_input:
        if field.label in wanted:
            field.set_value(wanted[field.label])
    press(app, "Save", "limits")
    kept = services().settings
    assert (kept.max_model_calls, kept.max_tokens, kept.max_seconds) == (7, 9_000, 60)
    assert (kept.max_tool_calls, kept.max_corrections, kept.max_tool_rounds) == (5, 1, 3)


def test_the_audit_log_is_told_of_settings_that_changed_alone(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[str] = []
    monkeypatch.setattr("pages.components.settings.fields.note_change", lambda _, *names: noted.extend(names))
    app = settings_at(open_page, "Budget")
    next(field for field in app.number_input if field.label == "Seconds").set_value(60)
    press(app, "Save", "limits")
    assert noted == ["MAX_SECONDS"]


def test_the_rule_for_old_runs_is_shown_and_can_be_changed(open_page: OpenPage) -> None:
    app = settings_at(open_page, "This installation")
    assert any("Questions, answers, sources" in each.value for each in app.markdown)
    days = next(field for field in app.number_input if field.label.startswith("Days until"))
    assert days.value == 90
    days.set_value(0)
    press(app, "Save", "keeping")
    assert services().settings.keep_run_texts_days == 0


def test_an_index_that_cannot_be_rebuilt_leaves_no_bar_behind(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ServiceError("storage.read_only", folder="/srv/data")

    app = settings_at(open_page, "This installation")
    services().library.bases.create("Papers")
    monkeypatch.setattr(SearchParts, "rebuild", refuse)
    app.button(key="settings-rebuild").click().run()
    assert "cannot be written to" in said(app)
    assert not app.get("progress")


def test_a_section_is_drawn_once_it_was_opened_and_from_then_on(open_page: OpenPage) -> None:
    assert not settings_at(open_page).text_area
    assert settings_at(open_page, "Sensitive terms").text_area
    assert settings_at(open_page, "Sensitive terms", "Model").text_area


def test_sensitive_terms_are_kept_one_a_line_and_given_back(open_page: OpenPage) -> None:
    app = settings_at(open_page, "Sensitive terms")
    app.text_area[0].set_value("forbidden\n\n  another   one \nforbidden")
    press(app, "Save", "terms")
    assert load_settings().sensitive_terms == ("forbidden", "another one")
    app.text_area[0].set_value("forbidden\nsecret")
    press(app, "Save", "terms")
    assert load_settings().sensitive_terms == ("forbidden", "secret")
    assert "Saved" in said(app)
    press(app, "Restore the built-in list", "terms")
    assert load_settings().sensitive_terms is None
    assert not str(app.text_area[0].value).endswith("secret")


def test_web_search_without_a_key_says_so_and_sends_nothing(open_page: OpenPage) -> None:
    app = press(settings_at(open_page, "Web"), "Test: search for “GraphTalk”", "web")
    assert "TAVILY_API_KEY" in said(app)


def test_a_mineru_server_is_tried_and_kept(open_page: OpenPage) -> None:
    with MineruServer(3) as server:
        app = settings_at(open_page, "Documents")
        next(field for field in app.text_input if "your own MinerU server" in field.label).set_value(server.url)
        press(app, "Test the server", "documents")
        assert "MinerU 3.4.5" in said(app)
        press(app, "Save", "documents")
    assert services().settings.mineru_self_hosted_url == server.url


def test_reading_by_a_model_says_what_one_on_this_machine_adds_and_that_texts_stay_here(open_page: OpenPage) -> None:
    def choice() -> str:
        app = settings_at(open_page, "Documents")
        return next(str(one.options[-1]) for one in app.radio if one.label == "Entity extraction")

    assert "sent to its endpoint" in choice()
    services().configuration.keep({"LOCAL_MODEL": "qwen2.5-coder-1.5b"})
    assert "nothing leaves this machine" in choice()


def test_the_cloud_is_not_asked_without_a_token(open_page: OpenPage) -> None:
    app = press(settings_at(open_page, "Documents"), "Test the cloud", "documents")
    assert "MINERU_API_TOKEN" in said(app)


def keep_prices(*prices: Price) -> None:
    services().configuration.keep({PRICES_FILE: prices_text(prices)})


class TestPrices:
    def test_a_run_costs_what_the_table_says(self) -> None:
        prices = (Price("m", 0.5, 2.0, "USD"),)
        cost = cost_of(Usage(3, 1_000_000, 500_000), "m", prices)
        assert cost is not None
        assert (cost.amount, cost.currency) == (1.5, "USD")
        assert cost_of(Usage(3, 1, 1), "other", prices) is None

    @pytest.mark.usefixtures("opened")
    def test_a_runs_head_tells_what_it_cost_by_the_table_as_it_is_now(self) -> None:
        view = RunView(workflow="planner", engine="m", seconds=1.0, usage=Usage(2, 5_000, 100))
        keep_prices(Price("m", 1_000, 0, "CNY"))
        assert "5.0000" in dict(run_parts(view))["head"]
        keep_prices(Price("m", 2_000, 0, "CNY"))
        assert "10.0000" in dict(run_parts(view))["head"]
        keep_prices()
        assert "CNY" not in dict(run_parts(view))["head"]

    @pytest.mark.usefixtures("opened")
    def test_they_are_kept(self) -> None:
        keep_prices(Price("m", 0.5, 2.0, "CNY"))
        assert load_prices(load_settings()) == (Price("m", 0.5, 2.0, "CNY"),)

    @pytest.mark.parametrize(
        "rows",
        [
            [{"model": "", "input": 1, "output": 1}],
            [{"model": "m", "input": -1, "output": 1}],
            [{"model": "m", "input": float("nan"), "output": 1}],
            [{"model": "m", "input": "x", "output": 1}],
            [{"model": "m", "input": 1, "output": 1}] * 2,
            [{"model": str(number), "input": 1, "output": 1} for number in range(201)],
            {"model": "m"},
        ],
    )
    def test_what_is_no_price_is_refused(self, rows: object) -> None:
        with pytest.raises(InputError):
            checked_prices(rows)


def test_a_key_for_programs_is_shown_once_and_can_be_revoked(open_page: OpenPage) -> None:
    app = settings_at(open_page, "API")
    app.text_input(key="settings-api-name").set_value("My *script*")
    app.radio(key="settings-api-scope").set_value(KeyScope.WRITE)
    app.button(key="settings-api-make").click().run()
    secret = next(code.value for code in app.code if code.value.startswith("gtk_"))
    key = services().storage.access.api_keys.known(secret)
    assert key is not None
    assert (key.name, key.scope) == ("My *script*", KeyScope.WRITE)
    assert secret not in str(app.run())
    app.button(key=f"settings-api-revoke-{key.id}").click().run()
    assert not app.exception
    assert services().storage.access.api_keys.known(secret) is None
    app.button(key="settings-api-make").click().run()
    assert "needs a name" in said(app)
