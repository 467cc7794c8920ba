"""Settings from the Settings page, the environment or a .env file, in this order. All optional.

Keys are never printed.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.platform.errors import ConfigurationError
from core.platform.settings.parsers import BUILT_IN_PARSER, default_parsers, known_parser, parsers
from core.platform.settings.preferences import PRICES_FILE, TERMS_FILE, FilePreferences, read_list

_LOG = logging.getLogger(__name__)
SQL_FILE, QUEUE_FILE = "graphtalk.sqlite", "dbos.sqlite"
"""Databases in the data folder."""


class Settings(BaseSettings):
    """Each is set by the environment variable of its name; its bounds and choices are those of the Settings page."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, env_ignore_empty=True
    )

    data: Path = Field(default=Path("data"), validation_alias=AliasChoices("GRAPHTALK_DATA"))
    """Data folder: everything the app writes."""
    database_url: str = ""
    """SQLAlchemy URL; if empty, SQLite in the data folder."""
    chroma_url: str = ""
    files_url: str = ""
    """`s3://bucket/prefix` or `file:///folder`: where processes with data folders of their own share files."""
    settings_key: SecretStr = SecretStr("")
    """Encrypts the keys that such processes share in the database."""
    lease_seconds: float = Field(default=20, ge=2, le=600)
    """Silence of such a process after which others take over its work."""
    drain_seconds: float = Field(default=30, ge=0, le=3600)
    """Time for running questions after the app was told to end."""

    llm_base_url: str = ""
    llm_api_key: SecretStr = SecretStr("")
    llm_model: str = ""
    llm_other_models: str = ""
    """Further models of the same endpoint, separated by commas; a question can be asked of each."""
    openai_api_key: SecretStr = SecretStr("")
    deepseek_api_key: SecretStr = SecretStr("")

    local_model: str = ""
    """Model on this machine, preferred to an endpoint: name of a fetched one, or path of a GGUF file."""
    local_model_context: int = Field(default=8_192, ge=1_024, le=131_072)
    """Context length in tokens, if the model supports it."""
    local_model_threads: int = Field(default=0, ge=0, le=256)
    """0 for a number that suits the machine."""
    local_model_idle_minutes: int = Field(default=10, ge=1, le=1_440)
    """Time without a question after which its memory is freed."""

    llm_temperature: float = Field(default=0.0, ge=0, le=2)
    llm_output: Literal["auto", "json_schema", "function", "json_object"] = "auto"
    """How structured output is requested; `auto` detects what the endpoint supports."""
    llm_call_seconds: float = Field(default=60, ge=1, le=600)
    """Longest silence in a structured answer; in all it may take ten times as long, as a streamed one may."""
    llm_answer_seconds: float = Field(default=180, ge=1, le=1800)
    """Longest silence in a streamed answer."""

    max_model_calls: int = Field(default=24, ge=1, le=500)
    max_tokens: int = Field(default=60_000, ge=1_000, le=10_000_000)
    max_seconds: float = Field(default=180, ge=5, le=3600)
    max_tool_calls: int = Field(default=16, ge=1, le=500)
    """Per question, like the three above."""
    max_corrections: int = Field(default=2, ge=0, le=5)
    """Further attempts at a question after a rejected answer or an empty search."""
    max_tool_rounds: int = Field(default=5, ge=1, le=20)
    """Rounds of an agent per question; a round may call several tools."""

    api_requests_per_minute: int = Field(default=120, ge=1, le=100_000)
    """Limit of a key, or of all keys of a person, in each process of the app."""
    person_questions_per_day: int = Field(default=0, ge=0, le=100_000)
    """How many questions each person may ask in 24 hours, where people sign in. 0 for any number."""
    person_tokens_per_day: int = Field(default=0, ge=0, le=1_000_000_000)
    """How many tokens of a model the questions of a person may take in 24 hours. 0 for any number."""
    admins: str = ""
    """Verified e-mail addresses or subjects of the administrators, separated by commas, where people sign in."""
    log_format: Literal["text", "json"] = "text"
    """Format of messages on standard error."""
    keep_run_texts_days: int = Field(default=90, ge=0, le=3650)
    """Days after which the texts that a run's steps read and wrote are removed. 0 keeps them."""

    parser: Annotated[str, AfterValidator(known_parser)] = BUILT_IN_PARSER
    """Default parser for uploads."""
    ocr: Literal["auto", "off"] = "auto"
    """Whether the built-in parser reads scanned pages and pictures."""
    extraction: Literal["built-in", "model"] = "built-in"
    ingest_max_tokens: int = Field(default=500_000, ge=0, le=100_000_000)
    """Model tokens per document; one with a higher estimate waits for approval. 0 means no limit."""
    ingest_calls_at_once: int = Field(default=8, ge=1, le=64)
    """Concurrent model calls during ingestion, over all documents."""

    embedding_base_url: str = ""
    embedding_api_key: SecretStr = SecretStr("")
    embedding_model: str = ""

    tavily_api_key: SecretStr = SecretStr("")
    tavily_base_url: str = ""
    web_ask_first: bool = True
    """Whether to ask the user before the first web query of a conversation."""
    mineru_api_token: SecretStr = SecretStr("")
    mineru_base_url: str = ""
    mineru_self_hosted_url: str = ""

    langfuse_public_key: str = ""
    langfuse_secret_key: SecretStr = SecretStr("")
    langfuse_base_url: str = Field(default="", validation_alias=AliasChoices("LANGFUSE_BASE_URL", "LANGFUSE_HOST"))

    shared_prices: str | None = Field(default=None, validation_alias=PRICES_FILE)
    shared_terms: str | None = Field(default=None, validation_alias=TERMS_FILE)
    """What is in a file of this name on a single desk. No environment variable has such a name."""

    @property
    def sql_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data.resolve() / SQL_FILE}"

    @property
    def queue_url(self) -> str:
        """Database of the ingestion workflows: the main one with Postgres, otherwise a separate SQLite file."""
        is_file = self.sql_url.startswith("sqlite")
        return f"sqlite:///{self.data.resolve() / QUEUE_FILE}" if is_file else self.sql_url

    @property
    def is_shared(self) -> bool:
        """Whether processes with data folders of their own work together; they follow each other in the database."""
        return bool(self.files_url)

    @property
    def files(self) -> Path:
        """Uploaded files by content hash."""
        return self.data / "files"

    @property
    def sensitive_terms(self) -> tuple[str, ...] | None:
        """One per line of the list; None without one. An empty list allows everything."""
        content = self.shared_terms if self.is_shared else read_list(self.data, TERMS_FILE)
        if content is None:
            return None
        lines = (line.strip() for line in content.splitlines())
        return tuple(line for line in lines if line and not line.startswith("#"))

    @property
    def prices(self) -> str | None:
        """The table of prices as JSON; None without one."""
        return self.shared_prices if self.is_shared else read_list(self.data, PRICES_FILE)


def configured_parsers(settings: Settings, reads_pictures: bool) -> list[str]:
    """Names of the parsers that are configured, in a fixed order."""
    set_up = (entry for entry in parsers().values() if not entry.needs or _is_set(getattr(settings, entry.needs)))
    return [entry.name for entry in set_up if reads_pictures or not entry.every_page_read]


def bounds(name: str) -> tuple[int, int]:
    """Smallest and largest value of a number."""
    held = Settings.model_fields[name].metadata
    least, most = (next(int(getattr(each, key)) for each in held if hasattr(each, key)) for key in ("ge", "le"))
    return least, most


def choices(name: str) -> tuple[str, ...]:
    """Values of a setting that is one of several."""
    return get_args(Settings.model_fields[name].annotation)


def load_settings(data: Path | None = None) -> Settings:
    """`data`, if given, overrides GRAPHTALK_DATA. Raises ConfigurationError for an invalid value."""
    folder = data or _checked({}).data
    return settings_with(folder, FilePreferences(folder).read())


def settings_with(data: Path, kept: Mapping[str, str], changes: Mapping[str, str | None] | None = None) -> Settings:
    """The settings of the environment, overridden by these. Raises ConfigurationError for an invalid value.

    changes: None restores the environment's value. A parser that is kept and has been uninstalled since is left out, so
    that the app opens.
    """
    usable: dict[str, str | None] = dict(kept)
    if (parser := kept.get("PARSER", BUILT_IN_PARSER)) != BUILT_IN_PARSER and parser not in default_parsers():
        _LOG.warning("The parser %s is not installed any more. The default is used.", usable.pop("PARSER"))
    usable |= {**(changes or {}), "GRAPHTALK_DATA": str(data)}
    return _checked({name: value for name, value in usable.items() if value is not None})


def _checked(values: Mapping[str, str]) -> Settings:
    try:
        return Settings(**{_field(name): value for name, value in values.items()})  # type: ignore[arg-type]
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        name = str(found["loc"][0]).upper() if found["loc"] else ""
        raise ConfigurationError("settings.unusable", name=name, reason=found["msg"]) from None  # it holds the value


def _is_set(value: SecretStr | str) -> bool:
    return bool((value.get_secret_value() if isinstance(value, SecretStr) else value).strip())


def _field(name: str) -> str:
    """Name of the field for the name of an environment variable; aliases stay as they are."""
    return name.lower() if name.lower() in Settings.model_fields and name.lower() not in _ALIASED else name


_ALIASED = {name for name, field in Settings.model_fields.items() if field.validation_alias}
