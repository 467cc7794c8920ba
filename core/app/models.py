"""Which model answers, and which embedder makes vectors: what the settings ask for, or the built-in ones."""

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.app.lazy import Area, Configuration, configured, lazy
from core.app.local_model import OnThisMachine, local_name
from core.memory.contradictions import StatementMeanings
from core.models.chat.dialect import Mode
from core.models.chat.endpoint_config import EndpointConfig
from core.models.embedding.encoder import sentence_encoder
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.embedding.fallback import FallbackEmbedder
from core.models.embedding.hashed import HashedEmbedder
from core.models.embedding.passages.passage_encoder import PassageEncoder
from core.models.offline_llm import OfflineLlm
from core.models.ports import BUILT_IN, CrossEncoder, Embedder, EntityTagger, Llm, Pace, PassageEmbedder
from core.models.ranking.cross_encoder import OnnxCrossEncoder
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.models.tokens import SMALL_MODEL_READS, SMALL_PARAMETERS
from core.platform.errors import AppError, ConfigurationError, ServiceError
from core.platform.http.address import check_address
from core.platform.language.detect import detect_language
from core.platform.settings.settings import Settings
from core.rulebook.classifiers import (
    AnswerForms,
    GraphQuestions,
    Intents,
    Introductions,
    PersonalQuestions,
    Replies,
    SelfStatements,
)
from core.rulebook.vocabulary import other_words

if TYPE_CHECKING:
    from core.models.chat.llm import ChatLlm

TRY_SECONDS = 20.0
SMALL_BYTES = 3_000_000_000
"""Size of a file with about SMALL_PARAMETERS."""
_BILLIONS = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)
MAX_MODELS = 8
"""Limit of further models."""
OPENAI = ("https://api.openai.com/v1", "gpt-4.1-mini")
DEEPSEEK = ("https://api.deepseek.com/v1", "deepseek-chat")


def llm_of(settings: Settings, here: OnThisMachine | None = None) -> Llm:
    """Raises ConfigurationError when the settings contradict each other."""
    config = _local_endpoint(settings, here) or endpoint_of(settings)
    return _client()(config) if config else OfflineLlm()


def other_llms_of(settings: Settings) -> dict[str, Llm]:
    """By engine; none without an endpoint. Raises ConfigurationError as llm_of() does."""
    config = None if settings.local_model.strip() else endpoint_of(settings)
    names = (name.strip() for name in settings.llm_other_models.split(","))
    models = [name for name in dict.fromkeys(names) if name][:MAX_MODELS] if config else []
    made = [
        _client()(replace(config, model=name, small=_small_by_name(name)))
        for name in models
        if config and name != config.model
    ]
    return {llm.engine: llm for llm in made}


def tried_llm(settings: Settings, here: OnThisMachine | None = None) -> tuple[str, float]:
    """The engine's name and the seconds of one short call; no time for the rules. Raises AppError with the remedy."""
    config = _local_endpoint(settings, here) or endpoint_of(settings)
    if config is None:
        return OfflineLlm().engine, 0.0
    llm = _client()(replace(config, call_seconds=min(config.call_seconds, TRY_SECONDS), retries=0))
    try:
        return llm.engine, llm.probe()
    finally:
        llm.close()


def _client() -> "type[ChatLlm]":
    """Class of the client, loaded only for a model."""
    from core.models.chat.llm import ChatLlm

    return ChatLlm


def endpoint_of(settings: Settings) -> EndpointConfig | None:
    """The endpoint that the settings name besides a model on this machine; a key goes to no other one than its own."""
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


def _local_endpoint(
    settings: Settings, here: OnThisMachine | None, in_background: bool = False
) -> EndpointConfig | None:
    """Endpoint of the engine on this machine, if the settings have one; its address is looked up for each request."""
    if here is None or not settings.local_model.strip():
        return None
    from core.models.local.engine_client import BASE_URL, asking, one_at_a_time, open_engine_client

    turn = (one_at_a_time if in_background else asking)(settings.data / "engine")
    found = _at(settings, BASE_URL, local_name(settings), "")
    small = _is_small_file(here, settings.local_model.strip())
    client = partial(open_engine_client, here.engine, turn)
    return replace(
        found, small=small, passage_tokens=SMALL_MODEL_READS, pace=here.pace(), tells_progress=True, open_http=client
    )


def _is_small_file(here: OnThisMachine, model: str) -> bool:
    try:
        return here.store.file_of(model).stat().st_size < SMALL_BYTES
    except (AppError, OSError):
        return True


def is_small_model(llm: Llm) -> bool:
    if llm.engine == BUILT_IN:
        return False

    return isinstance(llm, _client()) and llm.is_small


def _small_by_name(model: str) -> bool | None:
    """Whether the name says that it has at most SMALL_PARAMETERS ("qwen3:1.7b"); None where it says nothing."""
    billions = [float(count) for count in _BILLIONS.findall(model)]
    return 0 < max(billions) * 1e9 <= SMALL_PARAMETERS if billions else None


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
        small=_small_by_name(model),
        output=None if settings.llm_output == "auto" else Mode(settings.llm_output),
        call_seconds=settings.llm_call_seconds,
        stream_seconds=settings.llm_answer_seconds,
        pace=Pace(in_flight=settings.ingest_calls_at_once),
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
    check_address(address)
    return address


def embedder_of(settings: Settings) -> PassageEmbedder:
    """Raises ConfigurationError when the settings name half an endpoint."""
    base_url, model = settings.embedding_base_url.strip(), settings.embedding_model.strip()
    key = settings.embedding_api_key.get_secret_value().strip()
    if base_url or model:
        return _remote_embedder(base_url, key, model, settings)
    if not sentence_encoder.is_installed():  # then no meanings are compared anywhere, as `doctor` says
        return HashedEmbedder()
    return FallbackEmbedder(PassageEncoder(), HashedEmbedder())


def encoder_or_words(settings: Settings) -> Embedder:
    """The sentence encoder; hashed words if it is not installed or cannot be loaded, which `doctor` reports."""
    words = HashedEmbedder()
    if not sentence_encoder.is_installed():
        return words
    return FallbackEmbedder(UniversalSentenceEncoder(settings.data / "cache"), words)


def faults_of(*embedders: Embedder) -> list[ServiceError]:
    """Errors that say why hashed words replace an encoder, with the remedy."""
    faults = [embedder.fault for embedder in embedders if isinstance(embedder, FallbackEmbedder)]
    return [fault for fault in faults if fault]


def _remote_embedder(base_url: str, key: str, model: str, settings: Settings) -> PassageEmbedder:
    """OpenAI's own endpoint where only a model and a key are given; a key goes to no other endpoint than its own."""
    from core.models.embedding.remote import RemoteEmbedder

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


class Models(Area):
    def __init__(self, configuration: Configuration) -> None:
        super().__init__(configuration)
        self.here = OnThisMachine(configuration)

    @configured
    def llm(self) -> Llm:
        return llm_of(self.settings, self.here)

    @configured
    def other_llms(self) -> dict[str, Llm]:
        """By engine: further models of the endpoint."""
        return other_llms_of(self.settings)

    @property
    def engines(self) -> tuple[str, ...]:
        """Engines that can answer; the first one does unless a question says otherwise."""
        return tuple(dict.fromkeys((self.llm.engine, *self.other_llms, BUILT_IN)))

    def llm_named(self, engine: str) -> Llm:
        """The one of the settings where there is none of this name."""
        return OfflineLlm() if engine == BUILT_IN else self.other_llms.get(engine, self.llm)

    @configured
    def document_llm(self) -> Llm:
        """The model for reading documents, with a limit of concurrent calls over all of them.

        The model on this machine has one call at a time, which gives way to questions.
        """
        from core.app.extractors import document_llm

        own = _local_endpoint(self.settings, self.here, in_background=True)
        return document_llm(_client()(own), self.here.is_asked) if own else document_llm(self.llm)

    @lazy
    def embedder(self) -> PassageEmbedder:
        return embedder_of(self.settings)

    @lazy
    def encoder(self) -> Embedder:
        """Encoder of short messages, sentences and memories on this machine, whichever embedder the search uses."""
        return encoder_or_words(self.settings)

    @lazy
    def cross_encoder(self) -> CrossEncoder:
        return OnnxCrossEncoder()

    @lazy
    def entity_tagger(self) -> EntityTagger:
        return OnnxEntityTagger()

    @lazy
    def answer_forms(self) -> AnswerForms:
        return AnswerForms(self.encoder)

    @lazy
    def meanings(self) -> StatementMeanings:
        of_self, replies = SelfStatements(self.encoder), Replies(self.encoder)
        asked, names = PersonalQuestions(self.encoder), Introductions(self.entity_tagger)
        return StatementMeanings(
            self.answer_forms.of, of_self.margin, of_self.request, replies.of, asked.margin, names.facts
        )

    @lazy
    def intents(self) -> Intents:
        return Intents(self.encoder)

    @lazy
    def graph_questions(self) -> GraphQuestions:
        return GraphQuestions(self.encoder)

    def warm(self) -> None:
        """Loads the client of a configured model, the cross-encoder, the intents, the synonyms, language detection."""
        if isinstance(self.llm, _client()):
            self.llm.warm()
        self.intents.warm()
        if self.encoder.semantic:  # without it the cross-encoder is not asked
            self.cross_encoder.scores("GraphTalk", [("", "GraphTalk")])
        other_words("")
        detect_language("這是什麼語言？")
