"""Messages about a data folder's engine: the order to run it, where it runs, with a proof, and a hold on it."""

import hashlib
import hmac
import json
import os
import secrets
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from core.models.local.ports import EngineLimits
from core.platform.files.atomic_file import write_atomically
from core.platform.processes.process_tuning import resident_megabytes

NONCE_BYTES = 16
HELLO_BYTES = 2 * NONCE_BYTES + 1
"""A nonce in hexadecimal and a line feed."""
PROOF_BYTES = 65
END = b"end"
SLICE_SECONDS = 0.2
_SECONDS = 2.0
_OK = 200


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


class EngineLease:
    def __init__(self, record: EngineRecord) -> None:
        """Raises OSError if nobody listens."""
        self.record = record
        self.is_loaded = False
        self._nonce = secrets.token_hex(NONCE_BYTES).encode() + b"\n"
        self._connection = socket.create_connection(("127.0.0.1", record.lease_port), _SECONDS)
        self._connection.settimeout(SLICE_SECONDS)
        self._connection.sendall(self._nonce)

    def is_genuine(self, check: Callable[[], None]) -> bool:
        """Whether the listener knows the key of the record, which may be of an engine that has ended.

        An engine that is loading answers only afterwards; `check` is called meanwhile, and may raise.
        """
        said = b""
        while len(said) < PROOF_BYTES:
            check()
            try:
                received = self._connection.recv(PROOF_BYTES - len(said))
            except TimeoutError:
                if not _exists(self.record.pid):
                    return False
                continue
            except OSError:
                return False
            if not received:
                return False
            said += received
        return hmac.compare_digest(said, self.record.proof(self._nonce))

    def is_alive(self) -> bool:
        """Whether the engine's process holds its end. Takes no time."""
        try:
            self._connection.setblocking(False)
            while self._connection.recv(PROOF_BYTES):  # the proof of an engine that we started ourselves
                pass
            return False
        except (BlockingIOError, TimeoutError):  # the latter where another thread asks at the same time
            return True
        except OSError:
            return False
        finally:
            self._connection.settimeout(SLICE_SECONDS)

    def answers(self) -> bool:
        """Whether the model is loaded."""
        if not self.is_loaded:
            connection = HTTPConnection("127.0.0.1", self.record.port, timeout=_SECONDS)
            try:
                connection.request("GET", "/health")
                self.is_loaded = connection.getresponse().status == _OK
            except (OSError, HTTPException):
                return False
            finally:
                connection.close()
        return self.is_loaded

    def megabytes(self) -> float:
        return resident_megabytes(self.record.pid)

    def touch(self) -> None:
        """The engine is being used."""
        self._send(b".")

    def end_engine(self) -> None:
        """Also for all others who hold it."""
        self._send(self.record.proof(self._nonce, END))

    def close(self) -> None:
        self._connection.close()

    def _send(self, data: bytes) -> None:
        try:
            self._connection.sendall(data)
        except OSError:
            return  # it has ended, which the next look at it shows


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OSError):
        return True
    return True
