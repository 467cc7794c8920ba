"""Messages about a data folder's engine: the order to run it, and the file that says where it runs, with a proof."""

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.models.local.ports import EngineLimits
from core.platform.files.atomic_file import write_atomically

NONCE_BYTES = 16
HELLO_BYTES = 2 * NONCE_BYTES + 1
"""A nonce in hexadecimal and a line feed."""
PROOF_BYTES = 65
END = b"end"


@dataclass(frozen=True, slots=True)
class EngineOrder:
    """What an engine is asked to run."""

    path: str
    model: str
    """Its name in requests."""
    changed: int
    """When the file was changed last, so that another file of the same name is another order."""
    limits: EngineLimits

    @classmethod
    def of(cls, path: Path, model: str, limits: EngineLimits) -> "EngineOrder":
        return cls(str(path.resolve()), model, path.stat().st_mtime_ns, limits)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "EngineOrder":
        values = json.loads(text)
        return cls(**{**values, "limits": EngineLimits(**values["limits"])})


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """Where an engine runs."""

    pid: int
    port: int
    """Port of the HTTP server."""
    lease_port: int
    key: str
    order: str
    """`EngineOrder.digest` of the order that the engine was started with."""

    def proof(self, nonce: bytes, purpose: bytes = b"") -> bytes:
        """A line that only those who can read the record can make."""
        return hmac.new(self.key.encode(), nonce + purpose, "sha256").hexdigest().encode() + b"\n"


def read_record(path: Path) -> EngineRecord | None:
    """None if there is no record that can be read."""
    try:
        return EngineRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_record(path: Path, record: EngineRecord) -> None:
    """With mode 0600. Raises AppError where the disk refuses."""
    write_atomically(path, json.dumps(asdict(record)).encode())
