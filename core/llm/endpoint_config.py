"""Where a model is and how patiently it is asked."""

from dataclasses import dataclass, field

from core.llm.dialect import Mode


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    """Empty for servers that need none."""
    temperature: float = 0.0
    output: Mode | None = None
    """How structured answers are asked for; None is found out."""
    call_seconds: float = 60.0
    """For a structured answer, with its retries and its correction."""
    stream_seconds: float = 180.0
    """For a streamed text, to its last token."""
    retries: int = 2
    backoff_seconds: float = 0.5
    """Before the first retry; doubled for each further one."""
    longest_wait_seconds: float = 5.0
    """A longer Retry-After is cut to it."""
    rest_seconds: float = 15.0
    """For so long the rules answer at once after the endpoint was out of reach or refused the key."""
