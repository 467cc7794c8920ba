"""Environment variables set before libraries are imported: telemetry off."""

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
    """Set the variables unless telemetry was explicitly switched on."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
