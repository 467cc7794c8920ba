"""Which engine the settings ask for."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from pydantic import SecretStr

from core.app.lazy import Configuration
from core.app.local_model import OnThisMachine
from core.app.models import MAX_MODELS, endpoint_of, is_small_model, other_llms_of
from core.app.models import llm_of as from_settings
from core.models.chat import local_servers
from core.models.chat.dialect import Mode
from core.models.chat.llm import ChatLlm
from core.platform.errors import ConfigurationError
from core.platform.settings.settings import Settings, load_settings
from tests.fakes.models import FakeMeter
from tests.loopback.local_model_servers import ListingServer
from tests.models.chat.examples import REQUEST, WRITE, example_prompts
from tests.models.local.made_gguf import write_gguf

__all__ = ["example_prompts"]


@pytest.fixture(autouse=True)
def _time_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "SECONDS", 30.0)
    monkeypatch.setattr(local_servers, "SIZE_SECONDS", 30.0)


def settings(**values: str) -> Settings:
    names: dict[str, Any] = dict(values)
    return Settings(_env_file=None, **names)  # type: ignore[call-arg]


@pytest.mark.parametrize(("output", "mode"), [("auto", None), ("function", Mode.FUNCTION), ("", None)])
def test_the_form_of_output_is_found_out_or_set(output: str, mode: Mode | None) -> None:
    config = endpoint_of(settings(openai_api_key="sk-o", **({"llm_output": output} if output else {})))
    assert config is not None
    assert config.output is mode


def test_an_unknown_form_of_output_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_OUTPUT", "xml")
    with pytest.raises(ConfigurationError, match="LLM_OUTPUT"):
        load_settings()


def test_nothing_configured_is_the_built_in_engine() -> None:
    assert from_settings(settings()).engine == "built-in"


@pytest.mark.parametrize(
    ("values", "address", "model", "key"),
    [
        ({"openai_api_key": "sk-o"}, "https://api.openai.com/v1", "gpt-4.1-mini", "sk-o"),
        ({"openai_api_key": "sk-o", "llm_model": "m"}, "https://api.openai.com/v1", "m", "sk-o"),
        ({"llm_api_key": "sk-l"}, "https://api.openai.com/v1", "gpt-4.1-mini", "sk-l"),
        ({"deepseek_api_key": "sk-d"}, "https://api.deepseek.com/v1", "deepseek-chat", "sk-d"),
        (
            {"deepseek_api_key": "sk-d", "openai_api_key": "sk-o", "llm_model": "deepseek-reasoner"},
            "https://api.deepseek.com/v1",
            "deepseek-reasoner",
            "sk-d",
        ),
        ({"llm_base_url": "http://localhost:11434/v1/", "llm_model": "q"}, "http://localhost:11434/v1", "q", ""),
        (
            {"llm_base_url": "http://box:8000/v1/chat/completions", "llm_model": "q", "openai_api_key": "sk-o"},
            "http://box:8000/v1",
            "q",
            "",
        ),
    ],
)
def test_a_key_goes_to_its_own_endpoint(values: dict[str, str], address: str, model: str, key: str) -> None:
    config = endpoint_of(settings(**values))
    assert config is not None
    assert (config.base_url, config.model, config.api_key) == (address, model, key)
    assert from_settings(settings(**values)).engine == model


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"llm_model": "m"}, "llm.no_endpoint"),
        ({"llm_base_url": "http://localhost:1234/v1"}, "llm.no_model"),
        ({"llm_base_url": "localhost:1234", "llm_model": "m"}, "llm.address_unusable"),
        ({"llm_base_url": "file:///etc/passwd", "llm_model": "m"}, "llm.address_unusable"),
        ({"llm_base_url": "http://", "llm_model": "m"}, "llm.address_unusable"),
        ({"llm_base_url": "http://[oops/v1", "llm_model": "m"}, "llm.address_unusable"),
        ({"llm_base_url": "http://host:99999/v1", "llm_model": "m"}, "llm.address_unusable"),
        ({"openai_api_key": "sk-“copied”"}, "llm.key_unusable"),
        ({"openai_api_key": "sk-a\nb"}, "llm.key_unusable"),
    ],
)
def test_settings_that_cannot_work_say_what_to_set(values: dict[str, str], key: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        from_settings(settings(**values))
    assert caught.value.key == key


def test_the_key_is_not_shown() -> None:
    config = endpoint_of(settings(openai_api_key="sk-very-secret"))
    assert "sk-very-secret" not in repr(config)
    assert "sk-very-secret" not in repr(settings(openai_api_key="sk-very-secret"))
    assert isinstance(settings(openai_api_key="x").openai_api_key, SecretStr)


def test_further_models_are_of_the_same_endpoint() -> None:
    there = {"llm_base_url": "http://box:8000/v1", "llm_model": "q", "llm_api_key": "sk-l"}
    found = other_llms_of(settings(**there, llm_other_models=" a, q ,,b,a"))
    assert list(found) == ["a", "b"]
    configs = [llm.config for llm in found.values() if isinstance(llm, ChatLlm)]
    assert {(config.base_url, config.api_key) for config in configs} == {("http://box:8000/v1", "sk-l")}
    assert other_llms_of(settings(llm_other_models="a")) == {}
    assert len(other_llms_of(settings(**there, llm_other_models=",".join(map(str, range(99)))))) == MAX_MODELS


def test_the_size_of_a_further_model_is_that_of_its_own_name() -> None:
    there = {"llm_base_url": "http://box:8000/v1", "llm_model": "qwen3:1.7b"}
    found = other_llms_of(settings(**there, llm_other_models="qwen3:8b, qwen3:4b"))
    assert {name: is_small_model(llm) for name, llm in found.items()} == {"qwen3:8b": False, "qwen3:4b": True}


@pytest.mark.parametrize(
    ("local_model", "key"),
    [("~/gone.gguf", "local_model.no_file"), ("qwen-typo", "local_model.unknown")],
)
def test_a_model_on_this_machine_that_is_gone_fails_a_question_and_not_the_app(local_model: str, key: str) -> None:
    asked = settings(local_model=local_model)
    here, meter = OnThisMachine(Configuration(asked)), FakeMeter()
    llm = from_settings(asked, here)
    "".join(llm.stream(WRITE, REQUEST, meter))
    assert meter.degradations == [("example_write", key)]


def test_the_pace_of_a_file_of_ones_own_follows_from_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_gguf(tmp_path / "own.gguf")
    paces = [
        OnThisMachine(Configuration(settings(local_model=path))).pace()
        for path in (f"{tmp_path}/own.gguf", "~/own.gguf", "~/gone.gguf")
    ]
    assert paces[0] == paces[1]
    assert paces[1].read_speed > paces[2].read_speed


@pytest.mark.parametrize(
    ("model", "small"),
    [
        ("qwen2.5:1.5b", True),
        ("Qwen3-4B-Instruct-2507", True),
        ("gemma-3-270m-it", False),
        ("llama3.1:8b", False),
        ("mixtral-8x7b", False),
        ("Qwen3-30B-A3B", False),
        ("gpt-4.1-mini", False),
        ("deepseek-chat", False),
    ],
)
def test_a_name_may_say_that_a_model_is_small(model: str, small: bool) -> None:
    assert is_small_model(from_settings(settings(llm_base_url="http://box:8000/v1", llm_model=model))) is small


@pytest.mark.parametrize(
    ("body", "small"),
    [
        (b'{"data": [{"id": "local", "meta": {"n_params": 1777088000}}]}', True),
        (b'{"data": [{"id": "/models/some.gguf", "meta": {"n_params": 1777088000}}]}', True),
        (b'{"data": [{"id": "local", "meta": {"n_params": 32000000000}}]}', False),
        (b'{"data": [{"id": "a", "meta": {"n_params": 9}}, {"id": "b", "meta": {"n_params": 9}}]}', False),
        (b'{"models": [{"name": "local:latest", "details": {"parameter_size": "3.2B"}}]}', True),
        (b'{"models": [{"name": "local:latest", "details": {"parameter_size": "70.6B"}}]}', False),
        (b'{"models": [{"name": "local:latest", "details": {"parameter_size": "a lot"}}]}', False),
        (b'{"data": [{"id": "local"}]}', False),
        (b'{"data": [{"id": "local", "meta": "much"}]}', False),
        (b'{"data": [7]}', False),
        (b"not JSON", False),
    ],
)
def test_a_server_on_this_machine_is_asked_where_the_name_says_nothing(body: bytes, small: bool) -> None:
    with ListingServer(body) as server:
        llm = from_settings(settings(llm_base_url=server.base_url, llm_model="local"))
        assert is_small_model(llm) is small
        asked = len(server.requests)
        assert is_small_model(llm) is small
        assert len(server.requests) == asked <= 2, "once, and of Ollama where the protocol of OpenAI does not tell"


@pytest.mark.parametrize(("body", "status"), [(b'{"data": [{"id": "local", "meta": null}]}', 200), (b"{}", 503)])
def test_a_server_that_cannot_say_yet_is_asked_again(body: bytes, status: int) -> None:
    with ListingServer(body, status) as server:
        llm = from_settings(settings(llm_base_url=server.base_url, llm_model="local"))
        assert not is_small_model(llm)
        with patch.object(local_servers, "parameters_of", return_value=1_500_000_000):
            assert is_small_model(llm)
        assert is_small_model(llm)
