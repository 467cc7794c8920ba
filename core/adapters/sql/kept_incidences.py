"""Which entities share which chunks of a base, in a file: the next process need not read it from every document."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from core.atomic_file import temporary_file
from core.errors import AppError
from core.kg.cooccurrence import Incidence

LEAST = 20_000
"""Places of entities in chunks; fewer are read from the database as fast."""
_FORM = 1
"""Raised when files of earlier versions are not to be read."""
_NUMBERS = ("document_of_chunk", "chunk", "entity", "page")


class KeptIncidences:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, base_id: str, stamp: str) -> Incidence | None:
        """None where another state of the base is kept, or nothing that can be read."""
        try:
            with np.load(self._file(base_id), allow_pickle=False) as kept:
                if int(kept["form"]) != _FORM or _text(kept["stamp"]) != stamp:
                    return None
                documents, entities = (_text(kept[name]).split("\n") for name in ("documents", "entities"))
                return Incidence(documents, entities, *(kept[name].astype(np.int64) for name in _NUMBERS))
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            return None

    def keep(self, base_id: str, stamp: str, found: Incidence) -> None:
        if len(found.entity) < LEAST:
            return
        texts = {"documents": "\n".join(found.document_ids), "entities": "\n".join(found.entity_ids), "stamp": stamp}
        numbers = {name: getattr(found, name).astype(np.int32) for name in _NUMBERS}
        packed: dict[str, Any] = {name: np.frombuffer(text.encode(), np.uint8) for name, text in texts.items()}
        with suppress(AppError), temporary_file(self._folder) as file:  # a full disk costs the next process some time
            np.savez(file, form=np.int64(_FORM), **packed, **numbers)
            file.close()
            Path(file.name).replace(self._file(base_id))

    def _file(self, base_id: str) -> Path:
        return self._folder / f"{sha256(base_id.encode()).hexdigest()[:24]}.npz"


def _text(signs: Any) -> str:
    return bytes(signs).decode()
