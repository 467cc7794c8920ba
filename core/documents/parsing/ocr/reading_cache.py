"""Readings of pictures kept on disk: after a kill, recognition goes on with the pictures that were not read yet."""

from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.documents.parsing.ocr.engine import OcrEngine, Picture
from core.documents.reading.recognised import Recognised
from core.platform.files.atomic_file import write_atomically


class KeptReadings(OcrEngine):
    """Each picture is read once; the folder belongs to one file and may be deleted at any time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def read(self, picture: Picture) -> Recognised:
        key = sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()
        path = self._folder / f"{key}.json"
        with suppress(OSError, ValidationError):  # not there, or damaged
            return _adapter().validate_json(path.read_bytes())
        found = super().read(picture)
        write_atomically(path, _adapter().dump_json(found))
        return found


@cache
def _adapter() -> TypeAdapter[Recognised]:
    return TypeAdapter(Recognised)
