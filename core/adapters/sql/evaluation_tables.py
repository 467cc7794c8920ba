"""Tables of evaluations: lists of questions, what was evaluated with which results, votes of the arena."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table

from core.adapters.sql.table_columns import (
    METADATA,
    flag,
    identifier,
    integer,
    json_value,
    moment,
    number,
    owner,
    position,
    string,
    words,
)

question_lists = Table(
    "question_lists",
    METADATA,
    identifier(),
    words("name"),
    moment("changed_at"),
)

evaluation_cases = Table(
    "evaluation_cases",
    METADATA,
    owner("list_id", "question_lists", primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    string("id"),
    words("question"),
    words("document"),
    Column("page", Integer),
    words("answer"),
    flag("declined"),
)

evaluations = Table(
    "evaluations",
    METADATA,
    position(),
    Column("id", String, nullable=False, unique=True),
    owner("list_id", "question_lists"),
    string("base_id"),
    string("thread_id"),  # of its runs
    json_value("workflows"),
    json_value("cases"),  # as they were: a list may change later
    string("status"),
    string("owner"),  # the process that works on it
    moment("started_at"),
    Index(None, "list_id"),
)

evaluation_results = Table(
    "evaluation_results",
    METADATA,
    owner("evaluation_id", "evaluations", primary_key=True),
    Column("case_id", String, primary_key=True),
    Column("workflow", String, primary_key=True),
    string("run_id"),
    words("engine"),
    string("ending"),
    Column("right_page", Boolean),
    Column("right_answer", Boolean),
    integer("sentences"),
    integer("supported"),
    flag("degraded"),
    number("seconds"),
    integer("model_calls"),
    integer("prompt_tokens"),
    integer("completion_tokens"),
    flag("tokens_estimated"),
)

arena_votes = Table(
    "arena_votes",
    METADATA,
    owner("thread_id", "threads", primary_key=True),
    json_value("workflows"),
    string("winner"),  # empty: none was better
    moment("voted_at"),
)
