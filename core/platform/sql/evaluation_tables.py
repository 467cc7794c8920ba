"""Tables of evaluations: lists of questions, what was evaluated with which results, votes of the arena."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table

from core.platform.sql import column_types as kinds
from core.platform.sql.column_types import METADATA

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
