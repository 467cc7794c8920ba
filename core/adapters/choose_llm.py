"""Which engine the settings ask for: a model's endpoint, or the built-in rules where none is configured."""

from dataclasses import replace
from urllib.parse import urlsplit

from core.adapters.chat_llm import ChatLlm
from core.adapters.offline_llm import OfflineLlm
from core.errors import ConfigurationError
from core.llm.dialect import Mode
from core.llm.endpoint_config import EndpointConfig
from core.ports import Llm
from core.settings import Settings

TRY_SECONDS = 20.0
OPENAI = ("https://api.openai.com/v1", "gpt-4.1-mini")
DEEPSEEK = ("https://api.deepseek.com/v1", "deepseek-chat")


def from_settings(settings: Settings) -> Llm:
    """Raises ConfigurationError when the settings contradict each other."""
    config = endpoint_of(settings)
    return ChatLlm(config) if config else OfflineLlm()


def tried(settings: Settings) -> tuple[str, float]:
    """The engine's name and the seconds of one short call; no time for the rules. Raises AppError with the remedy."""
    config = endpoint_of(settings)
    if config is None:
        return OfflineLlm().engine, 0.0
    llm = ChatLlm(replace(config, call_seconds=min(config.call_seconds, TRY_SECONDS), retries=0))
    try:
        return llm.engine, llm.probe()
    finally:
        llm.close()


def endpoint_of(settings: Settings) -> EndpointConfig | None:
    """The endpoint that the settings name; a key goes to no other endpoint than its own."""
    key, model = settings.llm_api_key.get_secret_value().strip(), settings.llm_model.strip()
    if settings.llm_base_url.strip():
        return _at(settings, _checked(settings.llm_base_url), model, key)
    openai_key = key or settings.openai_api_key.get_secret_value().strip()
    deepseek_key = settings.deepseek_api_key.get_secret_value().strip()
    if deepseek_key and (not openai_key or (not key and model.startswith("deepseek"))):
        return _at(settings, DEEPSEEK[0], model or DEEPSEEK[1], deepseek_key)
    if openai_key:
        return _at(settings, OPENAI[0], model or OPENAI[1], openai_key)
    if model:
        raise ConfigurationError("llm.no_endpoint", model=model)
    return None


def _at(settings: Settings, base_url: str, model: str, api_key: str) -> EndpointConfig:
    if not model:
        raise ConfigurationError("llm.no_model")
    if not api_key.isascii() or not api_key.isprintable():
        raise ConfigurationError("llm.key_unusable")
    return EndpointConfig(
        base_url,
        model,
        api_key,
        temperature=settings.llm_temperature,
        output=None if settings.llm_output == "auto" else Mode(settings.llm_output),
        call_seconds=settings.llm_call_seconds,
        stream_seconds=settings.llm_answer_seconds,
    )


def _checked(base_url: str) -> str:
    """The address as the client needs it: http or https, a host, no path of a single endpoint."""
    address = base_url.strip().rstrip("/").removesuffix("/chat/completions")
    try:
        parts = urlsplit(address)
        port_is_number = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_number = urlsplit(""), False
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_number:
        raise ConfigurationError("llm.address_unusable")
    return address
