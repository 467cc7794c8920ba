"""The one place of files of a database: a process with another one would not find the files of its documents."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, Engine, RowMapping, delete, insert, select

from core.platform.blobs.ports import Blobs
from core.platform.clock import utc_now
from core.platform.errors import ConfigurationError
from core.platform.files.atomic_file import write_atomically
from core.platform.sql.engine import reading, restructuring
from core.platform.sql.schema import data_folder

_FILE = "folder.id"


@dataclass(frozen=True, slots=True)
class Owner:
    """A place of files."""

    id: str
    place: str
    own: str
    """The place as this process names it."""

    @property
    def row(self) -> dict[str, object]:
        return {"id": self.id, "place": self.place, "claimed_at": utc_now()}


def owner_by_folder(data: Path) -> Owner:
    own = str(data.resolve())
    return Owner(_id_of(data), f"{own} ({socket.gethostname()})", own)


def owner_by_blobs(blobs: Blobs) -> Owner:
    """Owner by the id in the shared files, which is written if there is none yet."""
    if not blobs.has(_FILE):
        blobs.put(_FILE, uuid4().hex.encode())
    return Owner((blobs.get(_FILE) or b"").decode("ascii", "replace").strip(), blobs.place, blobs.place)


def claim(engine: Engine, owner: Callable[[], Owner]) -> None:
    """Claims the database for its first owner, also after a move. Raises ConfigurationError for another owner.

    Of processes that start at once, one finds its owner and claims before the next may, or each would write an id.
    """
    with reading(engine) as connection:
        row = _row(connection)
    if row is None:
        with restructuring(engine) as connection:
            row = _row(connection)
            if row is None:
                connection.execute(insert(data_folder).values(owner().row))
                return
    by = owner()
    if row["id"] != by.id:
        raise ConfigurationError("storage.other_folder", folder=row["place"], own=by.own)


def take_over(engine: Engine, owner: Callable[[], Owner]) -> None:
    """Assigns the database to this owner, which no other process finds meanwhile, as in claim."""
    with restructuring(engine) as connection:
        connection.execute(delete(data_folder))
        connection.execute(insert(data_folder).values(owner().row))


def _row(connection: Connection) -> RowMapping | None:
    return connection.execute(select(data_folder)).mappings().first()


def _id_of(data: Path) -> str:
    path = data / _FILE
    if not path.is_file():
        write_atomically(path, uuid4().hex.encode())
    return path.read_text(encoding="ascii", errors="replace").strip()
