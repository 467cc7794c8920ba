"""Every table of the first release."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    _create_knowledge_bases()
    _create_documents()
    _create_stages()
    _create_blocks()
    _create_chunks()
    _create_summaries()
    _create_entities()
    _create_entity_names()
    _create_mentions()
    _create_incidences()
    _create_relations()
    _create_threads()
    _create_runs()
    _create_messages()
    _create_run_events()
    _create_memories()


def _within(table: str, column: str, parent: str) -> sa.ForeignKeyConstraint:
    """The column names a row of the parent, with which the table's rows are deleted."""
    name = op.f(f"fk_{table}_{column}_{parent}")
    return sa.ForeignKeyConstraint([column], [f"{parent}.id"], name=name, ondelete="CASCADE")


def _create_knowledge_bases() -> None:
    op.create_table(
        "knowledge_bases",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_norm", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("index_version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_knowledge_bases")),
        sa.UniqueConstraint("name_norm", name=op.f("uq_knowledge_bases_name_norm")),
    )


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ready_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cancelled", sa.Boolean(), nullable=False),
        sa.Column("error_key", sa.String(), nullable=False),
        sa.Column("error_params", sa.JSON(), nullable=False),
        sa.Column("parser", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("entities", sa.Integer(), nullable=False),
        sa.Column("notes", sa.JSON(), nullable=False),
        _within("documents", "base_id", "knowledge_bases"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
    )
    op.create_index(op.f("ix_documents_base_id_added_at"), "documents", ["base_id", "added_at"])


def _create_stages() -> None:
    op.create_table(
        "stages",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        _within("stages", "document_id", "documents"),
        sa.PrimaryKeyConstraint("document_id", "stage", name=op.f("pk_stages")),
    )


def _create_blocks() -> None:
    op.create_table(
        "blocks",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("box", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("html", sa.Text(), nullable=False),
        _within("blocks", "document_id", "documents"),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_blocks")),
    )
    op.create_index(op.f("ix_blocks_document_id_page"), "blocks", ["document_id", "page"])


def _create_chunks() -> None:
    op.create_table(
        "chunks",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("section", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        _within("chunks", "document_id", "documents"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunks")),
    )
    op.create_index(op.f("ix_chunks_document_id_position"), "chunks", ["document_id", "position"])


def _create_summaries() -> None:
    op.create_table(
        "summaries",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("section", sa.JSON(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _within("summaries", "document_id", "documents"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summaries")),
    )
    op.create_index(op.f("ix_summaries_document_id_position"), "summaries", ["document_id", "position"])


def _create_entities() -> None:
    op.create_table(
        "entities",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("mentions", sa.Integer(), nullable=False),
        sa.Column("documents", sa.Integer(), nullable=False),
        _within("entities", "base_id", "knowledge_bases"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entities")),
    )
    op.create_index(op.f("ix_entities_base_id_mentions"), "entities", ["base_id", "mentions"])


def _create_entity_names() -> None:
    op.create_table(
        "entity_names",
        sa.Column("entity_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("norm", sa.Text(), nullable=False),
        _within("entity_names", "document_id", "documents"),
        _within("entity_names", "entity_id", "entities"),
        sa.PrimaryKeyConstraint("entity_id", "position", "document_id", name=op.f("pk_entity_names")),
    )
    op.create_index(op.f("ix_entity_names_base_id_norm_entity_id"), "entity_names", ["base_id", "norm", "entity_id"])
    op.create_index(op.f("ix_entity_names_document_id"), "entity_names", ["document_id"])


def _create_mentions() -> None:
    op.create_table(
        "mentions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("entity_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("chunk_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("start_offset", sa.Integer(), nullable=False),
        sa.Column("end_offset", sa.Integer(), nullable=False),
        sa.Column("surface", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        _within("mentions", "chunk_id", "chunks"),
        _within("mentions", "document_id", "documents"),
        _within("mentions", "entity_id", "entities"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mentions")),
    )
    op.create_index(op.f("ix_mentions_chunk_id_entity_id"), "mentions", ["chunk_id", "entity_id"])
    op.create_index(op.f("ix_mentions_document_id"), "mentions", ["document_id"])
    op.create_index(op.f("ix_mentions_entity_id_chunk_id"), "mentions", ["entity_id", "chunk_id"])


def _create_incidences() -> None:
    op.create_table(
        "incidences",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("packed", sa.JSON(), nullable=False),
        _within("incidences", "document_id", "documents"),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_incidences")),
    )


def _create_relations() -> None:
    op.create_table(
        "relations",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("target_id", sa.String(), nullable=False),
        sa.Column("relation", sa.Text(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("pages", sa.JSON(), nullable=False),
        _within("relations", "document_id", "documents"),
        _within("relations", "source_id", "entities"),
        _within("relations", "target_id", "entities"),
        sa.PrimaryKeyConstraint("document_id", "position", name=op.f("pk_relations")),
    )
    op.create_index(op.f("ix_relations_source_id"), "relations", ["source_id"])
    op.create_index(op.f("ix_relations_target_id"), "relations", ["target_id"])


def _create_threads() -> None:
    op.create_table(
        "threads",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_norm", sa.Text(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("workflow", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_threads")),
        sa.UniqueConstraint("id", name=op.f("uq_threads_id")),
    )
    op.create_index(op.f("ix_threads_updated_at"), "threads", ["updated_at"])


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("question_norm", sa.Text(), nullable=False),
        sa.Column("workflow", sa.String(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("citations", sa.JSON(), nullable=False),
        sa.Column("model_calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("tokens_estimated", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        _within("runs", "thread_id", "threads"),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_runs")),
        sa.UniqueConstraint("id", name=op.f("uq_runs_id")),
    )
    op.create_index(op.f("ix_runs_status"), "runs", ["status"])
    op.create_index(op.f("ix_runs_thread_id"), "runs", ["thread_id"])


def _create_messages() -> None:
    op.create_table(
        "messages",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        _within("messages", "run_id", "runs"),
        _within("messages", "thread_id", "threads"),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_messages")),
    )
    op.create_index(op.f("ix_messages_run_id"), "messages", ["run_id"])
    op.create_index(op.f("ix_messages_thread_id"), "messages", ["thread_id"])


def _create_run_events() -> None:
    op.create_table(
        "run_events",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        _within("run_events", "run_id", "runs"),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_run_events")),
    )


def _create_memories() -> None:
    op.create_table(
        "memories",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("text_norm", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("importance", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("index_version", sa.Integer(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("embedder", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_memories")),
        sa.UniqueConstraint("id", name=op.f("uq_memories_id")),
    )
    op.create_index(op.f("ix_memories_status_base_id"), "memories", ["status", "base_id"])
