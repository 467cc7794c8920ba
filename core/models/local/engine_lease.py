"""A process's hold on the engine: a connection that ends with either of them."""

import hmac
import os
import secrets
import socket
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException

from core.models.local.engine_record import END, NONCE_BYTES, PROOF_BYTES, EngineRecord
from core.platform.processes.process_tuning import resident_megabytes

SLICE_SECONDS = 0.2
_SECONDS = 2.0
_OK = 200


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
