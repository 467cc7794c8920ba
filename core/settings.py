"""Settings from the Settings page, the environment or a .env file, in this order; all optional, keys never printed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from core.errors import ConfigurationError
from core.preferences import TERMS_FILE, read_preferences


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True, env_ignore_empty=True
    )

    data: Path = Field(default=Path("data"), validation_alias=AliasChoices("GRAPHTALK_DATA"))
    """Folder of everything the app writes."""
    database_url: str = Field(default="", validation_alias=AliasChoices("DATABASE_URL"))
    """SQLAlchemy URL; empty is SQLite in the data folder."""
    chroma_url: str = Field(default="", validation_alias=AliasChoices("CHROMA_URL"))

    llm_base_url: str = Field(default="", validation_alias=AliasChoices("LLM_BASE_URL"))
    llm_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("LLM_API_KEY"))
    llm_model: str = Field(default="", validation_alias=AliasChoices("LLM_MODEL"))
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("OPENAI_API_KEY"))
    deepseek_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("DEEPSEEK_API_KEY"))

    llm_temperature: float = Field(default=0.0, ge=0, le=2, validation_alias=AliasChoices("LLM_TEMPERATURE"))
    llm_output: Literal["auto", "json_schema", "function", "json_object"] = Field(
        default="auto", validation_alias=AliasChoices("LLM_OUTPUT")
    )
    """How the model is asked for structured answers; auto finds out what its endpoint takes."""
    llm_call_seconds: float = Field(default=60, ge=1, le=600, validation_alias=AliasChoices("LLM_CALL_SECONDS"))
    """For a structured answer."""
    llm_answer_seconds: float = Field(default=180, ge=1, le=1800, validation_alias=AliasChoices("LLM_ANSWER_SECONDS"))
    """For a streamed answer, to its last token."""

    max_model_calls: int = Field(default=24, ge=1, le=500, validation_alias=AliasChoices("MAX_MODEL_CALLS"))
    max_tokens: int = Field(default=60_000, ge=1_000, le=10_000_000, validation_alias=AliasChoices("MAX_TOKENS"))
    max_seconds: float = Field(default=180, ge=5, le=3600, validation_alias=AliasChoices("MAX_SECONDS"))
    max_tool_calls: int = Field(default=16, ge=1, le=500, validation_alias=AliasChoices("MAX_TOOL_CALLS"))
    """Of one question, as the three above."""
    max_corrections: int = Field(default=2, ge=0, le=5, validation_alias=AliasChoices("MAX_CORRECTIONS"))
    """Further tries of one question, after a rejected answer or an empty search."""
    max_tool_rounds: int = Field(default=5, ge=1, le=20, validation_alias=AliasChoices("MAX_TOOL_ROUNDS"))
    """Of an agent, for one question; a round may call several tools."""

    parser: Literal["built-in", "mineru-cloud", "mineru-server"] = Field(
        default="built-in", validation_alias=AliasChoices("PARSER")
    )
    """For uploads that name no other."""
    extraction: Literal["built-in", "model"] = Field(default="built-in", validation_alias=AliasChoices("EXTRACTION"))
    ingest_max_tokens: int = Field(default=500_000, ge=0, validation_alias=AliasChoices("INGEST_MAX_TOKENS"))
    """Of the model for one document; one that is estimated above it waits for a person's word. 0 is no limit."""
    ingest_calls_at_once: int = Field(default=8, ge=1, le=64, validation_alias=AliasChoices("INGEST_CALLS_AT_ONCE"))
    """Of a model, by all documents together that are being read."""

    embedding_base_url: str = Field(default="", validation_alias=AliasChoices("EMBEDDING_BASE_URL"))
    embedding_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("EMBEDDING_API_KEY"))
    embedding_model: str = Field(default="", validation_alias=AliasChoices("EMBEDDING_MODEL"))

    tavily_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("TAVILY_API_KEY"))
    tavily_base_url: str = Field(default="", validation_alias=AliasChoices("TAVILY_BASE_URL"))
    web_ask_first: bool = Field(default=True, validation_alias=AliasChoices("WEB_ASK_FIRST"))
    """Whether a person is asked before the first query of a thread leaves for the web."""
    mineru_api_token: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("MINERU_API_TOKEN"))
    mineru_base_url: str = Field(default="", validation_alias=AliasChoices("MINERU_BASE_URL"))
    mineru_self_hosted_url: str = Field(default="", validation_alias=AliasChoices("MINERU_SELF_HOSTED_URL"))

    langfuse_public_key: str = Field(default="", validation_alias=AliasChoices("LANGFUSE_PUBLIC_KEY"))
    langfuse_secret_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("LANGFUSE_SECRET_KEY"))
    langfuse_base_url: str = Field(default="", validation_alias=AliasChoices("LANGFUSE_BASE_URL", "LANGFUSE_HOST"))

    @property
    def sql_url(self) -> str:
        return self.database_url or f"sqlite:///{self.data.resolve() / 'graphtalk.sqlite'}"

    @property
    def queue_url(self) -> str:
        """Where ingestion keeps its workflows: beside the truth in Postgres, else a SQLite file of its own."""
        is_file = self.sql_url.startswith("sqlite")
        return f"sqlite:///{self.data.resolve() / 'dbos.sqlite'}" if is_file else self.sql_url

    @property
    def files(self) -> Path:
        """Uploaded files by content hash."""
        return self.data / "files"

    @property
    def sensitive_terms(self) -> tuple[str, ...] | None:
        """One a line in sensitive_terms.txt of the data folder; None without that file. An empty file allows all."""
        path = self.data / TERMS_FILE
        if not path.is_file():
            return None
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        return tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))


def load_settings(data: Path | None = None) -> Settings:
    """data, where given, wins over GRAPHTALK_DATA. Raises ConfigurationError when a value cannot be used."""
    return changed_settings(data or _checked({}).data, {})


def changed_settings(data: Path, changes: Mapping[str, str | None]) -> Settings:
    """The settings as they would be after the changes; None is the environment's value."""
    changed = {**read_preferences(data), **changes}
    return _checked(
        {name: value for name, value in changed.items() if value is not None} | {"GRAPHTALK_DATA": str(data)}
    )


def _checked(values: Mapping[str, str]) -> Settings:
    try:
        return Settings(**values)  # type: ignore[arg-type]  # set by alias
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)[0]
        name = str(found["loc"][0]) if found["loc"] else ""
        raise ConfigurationError("settings.unusable", name=name, reason=found["msg"]) from None  # it holds the value
