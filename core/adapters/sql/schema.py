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
    false,
    text,
)

from core.adapters.sql import kinds
from core.adapters.sql.columns import UtcTime, Words
from core.adapters.sql.evaluation_tables import (
    arena_votes,
    evaluation_cases,
    evaluation_results,
    evaluations,
    question_lists,
)
from core.adapters.sql.kinds import METADATA

__all__ = ["METADATA", "arena_votes", "evaluation_cases", "evaluation_results", "evaluations", "question_lists"]
"""Those made in other files."""
REVISION = "0010"
"""The migration that makes exactly these tables."""

knowledge_bases = Table(
    "knowledge_bases",
    METADATA,
    kinds.id(),
    kinds.words("name"),
    Column("name_norm", Words, nullable=False, unique=True),
    kinds.time("created_at"),
    kinds.integer("index_version"),
    Column("entity_types", JSON, nullable=False, server_default="[]"),  # empty: the standard ones
    Column("graph_version", Integer, nullable=False, server_default="0"),  # rises with every edit of the graph
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
    Index(None, "base_id", "position"),
)

memories = Table(
    "memories",
    METADATA,
    kinds.position(),
    Column("id", String, nullable=False, unique=True),
    kinds.words("text"),
    kinds.words("text_norm"),
    kinds.string("kind"),
    kinds.integer("importance"),
    kinds.number("confidence"),
    kinds.string("status"),
    kinds.time("created_at"),
    kinds.time("last_used_at"),
    kinds.string("base_id"),
    kinds.integer("index_version"),
    kinds.string("thread_id"),
    kinds.string("run_id"),
    kinds.integer("uses"),
    kinds.flag("pinned"),
    kinds.string("embedder"),  # embedder of the vector; empty if there is none
    Column("vector", LargeBinary),
    Column("expires_at", UtcTime),
    Column("superseded_by", String, nullable=False, server_default=text("''")),
    Column("in_thread_only", Boolean, nullable=False, server_default=false()),
    Column("reason", Words, nullable=False, server_default=text("''")),
    Index(None, "status", "base_id"),
)

memory_changes = Table(
    "memory_changes",
    METADATA,
    kinds.position(),
    kinds.owner("memory_id", "memories"),
    kinds.time("changed_at"),
    kinds.string("change"),
    kinds.words("text"),  # before the change
    Index(None, "memory_id"),
)

threads = Table(
    "threads",
    METADATA,
    kinds.position(),
    Column("id", String, nullable=False, unique=True),
    kinds.words("title"),
    kinds.words("title_norm"),
    kinds.string("base_id"),
    kinds.string("workflow"),
    kinds.time("created_at"),
    kinds.time("updated_at"),
    Column("web_allowed", Boolean),  # None: not asked yet
    Column(
        "leaf_id", String, nullable=False, server_default=text("''")
    ),  # the run at the end of the branch that is shown
    Column("pinned", Boolean, nullable=False, server_default=false()),
    Column("folder", Words, nullable=False, server_default=text("''")),
    Column("deleted_at", UtcTime),  # put away, and restored or deleted for good later
    Column("purpose", String, nullable=False, server_default="chat"),
    Index(None, "updated_at"),
)

runs = Table(
    "runs",
    METADATA,
    kinds.position(),
    Column("id", String, nullable=False, unique=True),
    kinds.owner("thread_id", "threads"),
    kinds.string("base_id"),
    kinds.words("question"),
    kinds.words("question_norm"),
    kinds.string("workflow"),
    kinds.words("engine"),
    kinds.string("status"),
    kinds.time("started_at"),
    kinds.string("outcome"),
    kinds.words("answer"),
    kinds.json("citations"),
    kinds.integer("model_calls"),
    kinds.integer("prompt_tokens"),
    kinds.integer("completion_tokens"),
    kinds.flag("tokens_estimated"),
    kinds.number("seconds"),
    kinds.words("error"),
    Column("parent_id", String, nullable=False, server_default=text("''")),  # the run that it follows
    Column("options", JSON, nullable=False, server_default="{}"),
    Column("purpose", String, nullable=False, server_default="chat"),
    Index(None, "thread_id"),
    Index(None, "status"),
    Index(
        "ix_runs_figures",  # all that lists and charts count, so that they read no answers
        "purpose",
        "started_at",
        "workflow",
        "engine",
        "status",
        "outcome",
        "base_id",
        "seconds",
        "prompt_tokens",
        "completion_tokens",
        "tokens_estimated",
        "thread_id",
    ),
)

question_vectors = Table(
    "question_vectors",  # derived: what the runs' questions mean
    METADATA,
    kinds.owner("run_id", "runs", primary_key=True),
    kinds.string("embedder"),
    Column("vector", LargeBinary, nullable=False),
)

feedback = Table(
    "feedback",
    METADATA,
    kinds.owner("run_id", "runs", primary_key=True),
    kinds.string("verdict"),
    kinds.string("complaint"),
    kinds.words("comment"),
    kinds.time("given_at"),
)

memory_uses = Table(
    "memory_uses",  # which answers say what a memory says
    METADATA,
    kinds.owner("memory_id", "memories", primary_key=True),
    kinds.owner("run_id", "runs", primary_key=True),
    kinds.time("used_at"),
    Index(None, "run_id"),
)

preferences = Table("preferences", METADATA, Column("name", String, primary_key=True), kinds.json("value"))

messages = Table(
    "messages",
    METADATA,
    kinds.position(),
    kinds.owner("thread_id", "threads"),
    kinds.owner("run_id", "runs"),
    kinds.string("role"),
    kinds.words("text"),
    Index(None, "thread_id"),
    Index(None, "run_id"),
)

run_events = Table(
    "run_events",
    METADATA,
    kinds.owner("run_id", "runs", primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    kinds.string("type"),
    kinds.json("payload"),
)

data_folder = Table("data_folder", METADATA, kinds.id(), kinds.words("place"), kinds.time("claimed_at"))
"""At most one row: the folder that the database belongs to, where the database is not in the folder itself."""
