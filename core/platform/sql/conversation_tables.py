"""Tables of conversations, runs, evaluations, memories and what the reader chose."""

from sqlalchemy import JSON, Boolean, Column, Index, Integer, LargeBinary, String, Table, false, text

from core.platform.identity import acting_id
from core.platform.sql import column_types as kinds
from core.platform.sql.column_types import METADATA
from core.platform.sql.columns import UtcTime, Words

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
    kinds.person(),
    Index(None, "owner_id"),
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
    kinds.person(),
    Index(None, "updated_at"),
    Index(None, "owner_id"),
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
    Column("process", String, nullable=False, server_default=text("''")),  # the one that answers it
    Column("stop_wished", Boolean, nullable=False, server_default=false()),  # told to that process
    Column("consent", String, nullable=False, server_default=text("''")),  # given for that process, if it asked
    Column("asked", JSON),  # what another process needs besides to answer it; None where none may
    Column("copied_from", String, nullable=False, server_default=text("''")),  # the run that a fork copied
    Index(None, "thread_id"),
    Index(None, "copied_from"),
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
        "copied_from",
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

preferences = Table(
    "preferences",
    METADATA,
    Column("owner_id", String, primary_key=True, default=acting_id),
    Column("name", String, primary_key=True),
    kinds.json("value"),
)

run_events = Table(
    "run_events",
    METADATA,
    kinds.owner("run_id", "runs", primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    kinds.string("type"),
    kinds.json("payload"),
    Column("packed", LargeBinary),
)


question_lists = Table(
    "question_lists",
    METADATA,
    kinds.id(),
    kinds.words("name"),
    kinds.time("changed_at"),
    kinds.person(),
)

evaluation_cases = Table(
    "evaluation_cases",
    METADATA,
    kinds.owner("list_id", "question_lists", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    kinds.string("id"),
    kinds.words("question"),
    kinds.words("document"),
    Column("page", Integer),
    kinds.words("answer"),
    kinds.flag("declined"),
)

evaluations = Table(
    "evaluations",
    METADATA,
    kinds.position(),
    Column("id", String, nullable=False, unique=True),
    kinds.owner("list_id", "question_lists"),
    kinds.string("base_id"),
    kinds.string("thread_id"),  # of its runs
    kinds.json("workflows"),
    kinds.json("cases"),  # as they were: a list may change later
    kinds.string("status"),
    kinds.string("owner"),  # the process that works on it
    kinds.time("started_at"),
    Index(None, "list_id"),
)

evaluation_results = Table(
    "evaluation_results",
    METADATA,
    kinds.owner("evaluation_id", "evaluations", primary_key=True),
    Column("case_id", String, primary_key=True),
    Column("workflow", String, primary_key=True),
    kinds.string("run_id"),
    kinds.words("engine"),
    kinds.string("ending"),
    Column("right_page", Boolean),
    Column("right_answer", Boolean),
    kinds.integer("sentences"),
    kinds.integer("supported"),
    kinds.flag("degraded"),
    kinds.number("seconds"),
    kinds.integer("model_calls"),
    kinds.integer("prompt_tokens"),
    kinds.integer("completion_tokens"),
    kinds.flag("tokens_estimated"),
)

arena_votes = Table(
    "arena_votes",
    METADATA,
    kinds.owner("thread_id", "threads", primary_key=True),
    kinds.json("workflows"),
    kinds.string("winner"),  # empty: none was better
    kinds.time("voted_at"),
)
