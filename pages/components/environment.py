"""What must be in the environment before libraries are imported: strict checkpoints, no telemetry."""

import os

STRICT = {"LANGGRAPH_STRICT_MSGPACK": "true"}
QUIET = {
    "ANONYMIZED_TELEMETRY": "false",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "LANGCHAIN_TRACING_V2": "false",
    "LANGSMITH_TRACING": "false",
    "OTEL_LOGS_EXPORTER": "none",
    "OTEL_METRICS_EXPORTER": "none",
    "OTEL_TRACES_EXPORTER": "none",
}


def prepare_environment() -> None:
    """Telemetry that a person switched on by hand stays on; strict checkpoints are not a choice."""
    os.environ.update(STRICT)
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
