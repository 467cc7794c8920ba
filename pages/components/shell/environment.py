"""What must be in the environment before libraries are imported: no telemetry."""

import os

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
    """Telemetry that a person switched on by hand stays on."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
