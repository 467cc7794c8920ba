"""Cache of which entities share which chunks of a base: the next process need not read every document."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np

from core.graph.network.incidences import IdList, Incidence
from core.platform.errors import AppError
from core.platform.files.atomic_file import temporary_file
from core.platform.ids import content_id

LEAST = 20_000
"""Least number of entities in chunks; fewer are read from the database as fast."""
_FORM = 4
"""Raised when files of earlier versions become unreadable."""
_NUMBERS = {
    "document_of_chunk": np.int32,
    "chunk": np.int32,
    "entity": np.int32,
    "page": np.int32,
    "sentences": np.int64,
}


class Stamp(NamedTuple):
    """Version of what was read: it differs after each change of documents."""

    created_at: str
    version: int
    event: int
    """Position of the last event of the base, which distinguishes databases with another history; 0 is none."""
    event_at: str


class IncidenceCache:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, base_id: str) -> tuple[Stamp, Incidence] | None:
        """None if there is no readable file."""
        try:
            with np.load(self._file(base_id), allow_pickle=False) as kept:
                if int(kept["form"]) != _FORM:
                    return None
                documents, entities = (IdList(kept[name]) for name in ("documents", "entities"))
                found = Incidence(documents, entities, *(kept[name].astype(np.int64) for name in _NUMBERS))
                return Stamp(*json.loads(str(kept["stamp"]))), found
        except (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile):
            return None

    def keep(self, base_id: str, stamp: Stamp, found: Incidence) -> None:
        if len(found.entity) < LEAST:
            return
        ids: dict[str, Any] = {"documents": found.document_ids.signs, "entities": found.entity_ids.signs}
        numbers: dict[str, Any] = {name: getattr(found, name).astype(kind) for name, kind in _NUMBERS.items()}
        write_arrays(self._file(base_id), form=np.int64(_FORM), stamp=np.str_(json.dumps(stamp)), **ids, **numbers)

    def _file(self, base_id: str) -> Path:
        return self._folder / f"{content_id(base_id)}.npz"


def write_arrays(path: Path, **arrays: Any) -> None:
    """Writes a file whole or not at all; a full disk costs only the time to make the arrays again."""
    with suppress(AppError), temporary_file(path.parent) as file:
        np.savez(file, **arrays)
        file.close()
        Path(file.name).replace(path)
