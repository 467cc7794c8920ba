"""The file that says where a data folder's engine runs, and the proof that whoever listens there wrote it."""

import hmac
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.platform.files.atomic_file import write_atomically

NONCE_BYTES = 16
HELLO_BYTES = 2 * NONCE_BYTES + 1
"""A nonce in hexadecimal and a line feed."""
PROOF_BYTES = 65
END = b"end"


@dataclass(frozen=True, slots=True)
class EngineRecord:
    pid: int
    port: int
    """Of the HTTP server."""
    lease_port: int
    key: str
    order: str
    """What the engine was started with (`EngineOrder.digest`)."""

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
