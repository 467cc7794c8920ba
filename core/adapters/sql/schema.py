"""The tables. Statuses and co-occurrence are derived; only what happened is stored."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    false,
)

from core.adapters.sql.columns import UtcTime, Words

REVISION = "0008"
"""The migration that makes exactly these tables."""

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> Column[str]:
    return Column("id", String, primary_key=True)


def _position() -> Column[int]:
    """Order of arrival, because clocks may stand still."""
    return Column("position", Integer, primary_key=True, autoincrement=True)


def _owner(name: str, table: str, primary_key: bool = False) -> Column[str]:
    """A reference whose row is deleted with its owner."""
    return Column(name, String, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False, primary_key=primary_key)


def _string(name: str) -> Column[str]:
    """Ids, types and statuses: short words chosen by us."""
    return Column(name, String, nullable=False)


def _words(name: str) -> Column[str]:
    """Text from outside, of any length."""
    return Column(name, Words, nullable=False)


def _integer(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _number(name: str) -> Column[float]:
    return Column(name, Float, nullable=False)


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def _time(name: str) -> Column[object]:
    return Column(name, UtcTime, nullable=False)


def _json(name: str) -> Column[object]:
    return Column(name, JSON, nullable=False)


knowledge_bases = Table(
    "knowledge_bases",
    METADATA,
    _id(),
    _words("name"),
    Column("name_norm", Words, nullable=False, unique=True),
    _time("created_at"),
    _integer("index_version"),
    Column("entity_types", JSON, nullable=False, server_default="[]"),  # empty: the standard ones
    Column("graph_version", Integer, nullable=False, server_default="0"),  # rises with every edit of the graph
)

documents = Table(
    "documents",
    METADATA,
    _id(),
    _owner("base_id", "knowledge_bases"),
    _words("name"),
    _string("sha256"),
    Column("size", BigInteger, nullable=False),
    _words("media_type"),
    _time("added_at"),
    Column("ready_at", UtcTime),
    _flag("cancelled"),
    _string("error_key"),
    _json("error_params"),
    _words("parser"),
    _string("language"),
    _words("title"),
    _integer("pages"),
    _integer("chunks"),
    _integer("entities"),
    _json("notes"),
    Column("form", Boolean, nullable=False, server_default=false()),
    Column("parser_choice", String),  # None: the default of the settings
    Column("paused", Boolean, nullable=False, server_default=false()),
    Column("replaces", String),  # document to delete when this one is ready
    Column("estimate", JSON(none_as_null=True)),
    Column("spent", JSON(none_as_null=True)),
    Index(None, "base_id", "added_at"),
)

stages = Table(
    "stages",
    METADATA,
    _owner("document_id", "documents", primary_key=True),
    Column("stage", String, primary_key=True),
    _string("status"),
    _integer("done"),
    _integer("total"),
    _string("unit"),
    _number("seconds"),
    _words("note"),
)

blocks = Table(
    "blocks",
    METADATA,
    _owner("document_id", "documents", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _integer("page"),
    _string("type"),
    _integer("level"),
    Column("box", JSON(none_as_null=True)),
    _words("text"),
    _words("html"),
    Column("confidence", Float),
    Index(None, "document_id", "page"),
)

chunks = Table(
    "chunks",
    METADATA,
    _id(),
    _owner("document_id", "documents"),
    _integer("position"),
    _integer("page"),
    _flag("enabled"),
    _json("section"),
    _words("text"),
    _json("spans"),
    Column("original", Words),  # the original text of an edited chunk
    Index(None, "document_id", "position"),
)

summaries = Table(
    "summaries",
    METADATA,
    _id(),
    _owner("document_id", "documents"),
    _integer("position"),
    _json("section"),
    _words("text"),
    Index(None, "document_id", "position"),
)

entry_vectors = Table(
    "entry_vectors",  # derived: which chunks and summaries have vectors in the index
    METADATA,
    Column("entry_id", String, primary_key=True),
    _owner("document_id", "documents"),
    _string("level"),
    _string("embedder"),
    _string("digest"),  # of what the vectors were made of
    Column("sentences", LargeBinary, nullable=False),
    _flag("unspaced"),  # written without spaces between words
    Index(None, "document_id"),
)

entities = Table(
    "entities",
    METADATA,
    _id(),
    _owner("base_id", "knowledge_bases"),
    _words("name"),
    _string("type"),
    _integer("mentions"),
    _integer("documents"),
    Index(None, "base_id", "mentions"),
)

entity_names = Table(
    "entity_names",
    METADATA,
    _owner("entity_id", "entities", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),  # 0 is the name, then come aliases
    _owner("document_id", "documents", primary_key=True),
    _string("base_id"),
    _words("name"),
    _words("norm"),
    Index(None, "base_id", "norm", "entity_id"),
    Index(None, "document_id"),
)

mentions = Table(
    "mentions",
    METADATA,
    _id(),
    _owner("entity_id", "entities"),
    _owner("document_id", "documents"),
    _owner("chunk_id", "chunks"),
    _integer("position"),  # in the document
    _integer("page"),
    _integer("start_offset"),
    _integer("end_offset"),
    _words("surface"),
    _number("confidence"),
    Column("origin", JSON(none_as_null=True)),  # of an imported graph
    Index(None, "entity_id", "chunk_id"),
    Index(None, "chunk_id", "entity_id"),
    Index(None, "document_id"),
)

incidences = Table(
    "incidences",  # which entities share which chunks: a document's mentions in the form in which the graph is read
    METADATA,
    _owner("document_id", "documents", primary_key=True),
    _json("packed"),
)

relations = Table(
    "relations",
    METADATA,
    _owner("document_id", "documents", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    _owner("source_id", "entities"),
    _owner("target_id", "entities"),
    _words("relation"),
    _number("weight"),
    _json("pages"),
    Index(None, "source_id"),
    Index(None, "target_id"),
)

graph_edits = Table(
    "graph_edits",  # what people changed: a log that is replayed over what the documents give
    METADATA,
    _position(),
    _owner("base_id", "knowledge_bases"),
    _integer("batch"),  # position of the first edit made at the same moment
    _time("made_at"),
    _string("kind"),
    _json("payload"),
    _integer("undone"),  # 0, or the graph_version that undid it: what was undone last is redone first
    Index(None, "base_id", "position"),
)

memories = Table(
    "memories",
    METADATA,
    _position(),
    Column("id", String, nullable=False, unique=True),
    _words("text"),
    _words("text_norm"),
    _string("kind"),
    _integer("importance"),
    _number("confidence"),
    _string("status"),
    _time("created_at"),
    _time("last_used_at"),
    _string("base_id"),
    _integer("index_version"),
    _string("thread_id"),
    _string("run_id"),
    _integer("uses"),
    _flag("pinned"),
    _string("embedder"),  # embedder of the vector; empty if there is none
    Column("vector", LargeBinary),
    Index(None, "status", "base_id"),
)

threads = Table(
    "threads",
    METADATA,
    _position(),
    Column("id", String, nullable=False, unique=True),
    _words("title"),
    _words("title_norm"),
    _string("base_id"),
    _string("workflow"),
    _time("created_at"),
    _time("updated_at"),
    Column("web_allowed", Boolean),  # None: not asked yet
    Index(None, "updated_at"),
)

runs = Table(
    "runs",
    METADATA,
    _position(),
    Column("id", String, nullable=False, unique=True),
    _owner("thread_id", "threads"),
    _string("base_id"),
    _words("question"),
    _words("question_norm"),
    _string("workflow"),
    _words("engine"),
    _string("status"),
    _time("started_at"),
    _string("outcome"),
    _words("answer"),
    _json("citations"),
    _integer("model_calls"),
    _integer("prompt_tokens"),
    _integer("completion_tokens"),
    _flag("tokens_estimated"),
    _number("seconds"),
    _words("error"),
    Index(None, "thread_id"),
    Index(None, "status"),
)

messages = Table(
    "messages",
    METADATA,
    _position(),
    _owner("thread_id", "threads"),
    _owner("run_id", "runs"),
    _string("role"),
    _words("text"),
    Index(None, "thread_id"),
    Index(None, "run_id"),
)

run_events = Table(
    "run_events",
    METADATA,
    _owner("run_id", "runs", primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    _string("type"),
    _json("payload"),
)

data_folder = Table("data_folder", METADATA, _id(), _words("place"), _time("claimed_at"))
"""At most one row: the folder that the database belongs to, where the database is not in the folder itself."""
