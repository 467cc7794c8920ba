"""Settings from the environment or a .env file, all optional; keys are never printed."""

from pathlib import Path

from pydantic import AliasChoices, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", frozen=True)

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

    embedding_base_url: str = Field(default="", validation_alias=AliasChoices("EMBEDDING_BASE_URL"))
    embedding_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("EMBEDDING_API_KEY"))
    embedding_model: str = Field(default="", validation_alias=AliasChoices("EMBEDDING_MODEL"))

    tavily_api_key: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("TAVILY_API_KEY"))
    tavily_base_url: str = Field(default="", validation_alias=AliasChoices("TAVILY_BASE_URL"))
    mineru_api_token: SecretStr = Field(default=SecretStr(""), validation_alias=AliasChoices("MINERU_API_TOKEN"))
    mineru_base_url: str = Field(default="", validation_alias=AliasChoices("MINERU_BASE_URL"))
    mineru_self_hosted_url: str = Field(default="", validation_alias=AliasChoices("MINERU_SELF_HOSTED_URL"))

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
        path = self.data / "sensitive_terms.txt"
        if not path.is_file():
            return None
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        return tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))


def load_settings(data: Path | None = None) -> Settings:
    """Settings of the environment; data, where given, wins over GRAPHTALK_DATA."""
    return Settings(GRAPHTALK_DATA=data) if data else Settings()  # type: ignore[call-arg]  # set by alias
