"""Address of a model, and limits on time and retries."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from core.models.chat.dialect import Mode
from core.models.ports import OF_A_SERVICE, Pace
from core.platform.http.address import LOOPBACK

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    """Empty for servers that need none."""
    temperature: float = 0.0
    output: Mode | None = None
    """Mode of structured output; None detects it."""
    small: bool | None = False
    """Whether it has at most SMALL_PARAMETERS, so that rules make some decisions; None if its name does not say."""
    passage_tokens: int = 0
    """Most tokens of the passages in a prompt, by estimate; 0 for no limit."""
    call_seconds: float = 60.0
    """Time limit of a structured answer, including retries and the correction."""
    stream_seconds: float = 180.0
    """Time limit of a streamed text, up to its last token."""
    retries: int = 2
    backoff_seconds: float = 0.5
    """Before the first retry; doubled for each further one."""
    longest_wait_seconds: float = 5.0
    """Longer Retry-After values are cut to this."""
    rest_seconds: float = 15.0
    """How long the rules answer immediately after the endpoint was unreachable or rejected the key."""
    pace: Pace = OF_A_SERVICE
    tells_progress: bool = False
    """Whether it is the engine on this machine, which reports progress; other endpoints may reject a request for it."""
    open_http: "Callable[[], httpx2.Client] | None" = None
    """Makes the client of an endpoint whose address may change with each request; None for a fixed address."""

    @property
    def is_local(self) -> bool:
        return urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def progress(self) -> dict[str, bool]:
        """The part of a streamed request that asks for progress."""
        return {"return_progress": True} if self.tells_progress else {}
