"""One database, one data folder: the files of a document are in the folder, so a second one would lose them."""

import socket
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Connection, Engine, RowMapping, delete, insert, select

from core.adapters.sql.engine import reading, writing
from core.adapters.sql.schema import data_folder
from core.atomic_file import write_atomically
from core.domain.clock import utc_now
from core.errors import ConfigurationError

_FILE = "folder.id"


def claim(engine: Engine, data: Path) -> None:
    """The first folder has it, also after it was moved. Raises ConfigurationError for a second one."""
    row = _row(data)
    with reading(engine) as connection:
        owner = _owner(connection)
    if owner is None:
        with writing(engine) as connection:
            owner = _owner(connection)
            if owner is None:
                connection.execute(insert(data_folder).values(row))
    if owner and owner["id"] != row["id"]:
        raise ConfigurationError("storage.other_folder", folder=owner["place"], own=data.resolve())


def take_over(engine: Engine, data: Path) -> None:
    """From now on the database belongs to this folder."""
    with writing(engine) as connection:
        connection.execute(delete(data_folder))
        connection.execute(insert(data_folder).values(_row(data)))


def _owner(connection: Connection) -> RowMapping | None:
    return connection.execute(select(data_folder)).mappings().first()


def _row(data: Path) -> dict[str, object]:
    place = f"{data.resolve()} ({socket.gethostname()})"
    return {"id": _id_of(data), "place": place, "claimed_at": utc_now()}


def _id_of(data: Path) -> str:
    path = data / _FILE
    if not path.is_file():
        write_atomically(path, uuid4().hex.encode())
    return path.read_text(encoding="ascii", errors="replace").strip()
