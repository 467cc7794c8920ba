"""Which embedder the settings ask for: an endpoint, a model's files in the data folder, or the embedded default."""

from core.adapters.choose_llm import OPENAI
from core.adapters.embedding_hashed import HashedEmbedder
from core.errors import ConfigurationError
from core.ports import Embedder
from core.settings import Settings


def from_settings(settings: Settings) -> Embedder:
    """Raises ConfigurationError when the settings name half an endpoint, or files that cannot be used."""
    base_url, model = settings.embedding_base_url.strip(), settings.embedding_model.strip()
    key = settings.embedding_api_key.get_secret_value().strip()
    if base_url or model:
        return _remote(base_url, key, model, settings)
    folder = settings.data / "models" / "minilm"
    if folder.is_dir():
        from core.adapters.embedding_minilm import MiniLmEmbedder, is_present

        if is_present(folder):
            return MiniLmEmbedder(folder)
    return HashedEmbedder()


def _remote(base_url: str, key: str, model: str, settings: Settings) -> Embedder:
    """OpenAI's own endpoint where only a model and a key are given; a key goes to no other endpoint than its own."""
    from core.adapters.embedding_remote import RemoteEmbedder

    if not model:
        raise ConfigurationError("retrieval.embedding_no_model")
    if not base_url:
        key = key or settings.openai_api_key.get_secret_value().strip()
        if not key:
            raise ConfigurationError("retrieval.embedding_no_endpoint", model=model)
        base_url = OPENAI[0]
    if not base_url.startswith(("http://", "https://")):
        raise ConfigurationError("retrieval.embedding_address")
    if not (key.isascii() and (key.isprintable())):
        raise ConfigurationError("retrieval.embedding_key_refused")
    return RemoteEmbedder(base_url, key, model)
