"""What a model answered while a document was read, one file an answer, until the document is ready."""

import os
from pathlib import Path


class AnswerFiles:
    """AnswerStore in a folder; keys are letters and digits. Safe from several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, key: str) -> str:
        try:
            return self._path(key).read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return ""

    def put(self, key: str, answer: str) -> None:
        path = self._path(key)
        self._folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(".tmp")
        with temporary.open("w", encoding="utf-8", errors="replace") as file:
            file.write(answer)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError("a key is letters and digits")
        return self._folder / f"{key}.json"
