"""The tables. Statuses and co-occurrence are derived; only what happened is stored."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
    false,
    text,
)

from core.platform.sql import column_types as kinds
from core.platform.sql import conversation_tables, installation_tables  # noqa: F401  # METADATA has all tables with these
from core.platform.sql.columns import UtcTime, Words

METADATA = kinds.METADATA
REVISION = "0023"
"""The migration that makes exactly these tables."""

knowledge_bases = Table(
    "knowledge_bases",
    METADATA,
    kinds.id(),
    kinds.words("name"),
    Column("name_norm", Words, nullable=False),
    kinds.time("created_at"),
    kinds.integer("index_version"),
    Column("entity_types", JSON, nullable=False, server_default="[]"),  # empty: the standard ones
    Column("graph_version", Integer, nullable=False, server_default="0"),  # rises with every edit of the graph
    kinds.person(),
    UniqueConstraint("owner_id", "name_norm"),
)

documents = Table(
    "documents",
    METADATA,
    kinds.id(),
    kinds.owner("base_id", "knowledge_bases"),
    kinds.words("name"),
    kinds.string("sha256"),
    Column("size", BigInteger, nullable=False),
    kinds.words("media_type"),
    kinds.time("added_at"),
    Column("ready_at", UtcTime),
    kinds.flag("cancelled"),
    kinds.string("error_key"),
    kinds.json("error_params"),
    kinds.words("parser"),
    kinds.string("language"),
    kinds.words("title"),
    kinds.integer("pages"),
    kinds.integer("chunks"),
    kinds.integer("entities"),
    kinds.json("notes"),
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
    kinds.owner("document_id", "documents", primary_key=True),
    Column("stage", String, primary_key=True),
    kinds.string("status"),
    kinds.integer("done"),
    kinds.integer("total"),
    kinds.string("unit"),
    kinds.number("seconds"),
    kinds.words("note"),
)

blocks = Table(
    "blocks",
    METADATA,
    kinds.owner("document_id", "documents", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    kinds.integer("page"),
    kinds.string("type"),
    kinds.integer("level"),
    Column("box", JSON(none_as_null=True)),
    kinds.words("text"),
    kinds.words("html"),
    Column("confidence", Float),
    Index(None, "document_id", "page"),
)

chunks = Table(
    "chunks",
    METADATA,
    kinds.id(),
    kinds.owner("document_id", "documents"),
    kinds.integer("position"),
    kinds.integer("page"),
    kinds.flag("enabled"),
    kinds.json("section"),
    kinds.words("text"),
    kinds.json("spans"),
    Column("original", Words),  # the original text of an edited chunk
    Index(None, "document_id", "position"),
)

summaries = Table(
    "summaries",
    METADATA,
    kinds.id(),
    kinds.owner("document_id", "documents"),
    kinds.integer("position"),
    kinds.json("section"),
    kinds.words("text"),
    Index(None, "document_id", "position"),
)

entry_vectors = Table(
    "entry_vectors",  # derived: which chunks and summaries have vectors in the index
    METADATA,
    Column("entry_id", String, primary_key=True),
    kinds.owner("document_id", "documents"),
    kinds.string("level"),
    kinds.string("embedder"),
    kinds.string("digest"),  # of what the vectors were made of
    Column("sentences", LargeBinary, nullable=False),
    kinds.flag("unspaced"),  # written without spaces between words
    Index(None, "document_id"),
)

entities = Table(
    "entities",
    METADATA,
    kinds.id(),
    kinds.owner("base_id", "knowledge_bases"),
    kinds.words("name"),
    kinds.string("type"),
    kinds.integer("mentions"),
    kinds.integer("documents"),
    Index(None, "base_id", "mentions"),
)

entity_names = Table(
    "entity_names",
    METADATA,
    kinds.owner("entity_id", "entities", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),  # 0 is the name, then come aliases
    kinds.owner("document_id", "documents", primary_key=True),
    kinds.string("base_id"),
    kinds.words("name"),
    kinds.words("norm"),
    Index(None, "base_id", "norm", "entity_id"),
    Index(None, "document_id"),
)

mentions = Table(
    "mentions",
    METADATA,
    kinds.id(),
    kinds.owner("entity_id", "entities"),
    kinds.owner("document_id", "documents"),
    kinds.owner("chunk_id", "chunks"),
    kinds.integer("position"),  # in the document
    kinds.integer("page"),
    kinds.integer("start_offset"),
    kinds.integer("end_offset"),
    kinds.words("surface"),
    kinds.number("confidence"),
    Column("origin", JSON(none_as_null=True)),  # of an imported graph
    Index(None, "entity_id", "chunk_id"),
    Index(None, "chunk_id", "entity_id"),
    Index(None, "document_id"),
)

incidences = Table(
    "incidences",  # which entities share which chunks: a document's mentions in the form in which the graph is read
    METADATA,
    kinds.owner("document_id", "documents", primary_key=True),
    kinds.json("packed"),
)

relations = Table(
    "relations",
    METADATA,
    kinds.owner("document_id", "documents", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    kinds.owner("source_id", "entities"),
    kinds.owner("target_id", "entities"),
    kinds.words("relation"),
    kinds.number("weight"),
    kinds.json("pages"),
    Index(None, "source_id"),
    Index(None, "target_id"),
)

graph_edits = Table(
    "graph_edits",  # what people changed: a log that is replayed over what the documents give
    METADATA,
    kinds.position(),
    kinds.owner("base_id", "knowledge_bases"),
    kinds.integer("batch"),  # position of the first edit made at the same moment
    kinds.time("made_at"),
    kinds.string("kind"),
    kinds.json("payload"),
    kinds.integer("undone"),  # 0, or the graph_version that undid it: what was undone last is redone first
    Column("actor", Words, nullable=False, server_default=text("''")),  # empty: the only person there is
    Index(None, "base_id", "position"),
)

graph_events = Table(
    "graph_events",  # when and by whom documents came and went, and edits were undone, redone or brought in
    METADATA,
    kinds.position(),
    kinds.owner("base_id", "knowledge_bases"),
    kinds.time("made_at"),
    kinds.string("kind"),
    kinds.string("subject"),  # id of the document, position of the edit
    kinds.words("actor"),
    kinds.words("name"),
    Index(None, "base_id", "position"),
)

data_folder = Table("data_folder", METADATA, kinds.id(), kinds.words("place"), kinds.time("claimed_at"))
"""Folder that the database belongs to, if it is not in the folder itself; at most one row."""
