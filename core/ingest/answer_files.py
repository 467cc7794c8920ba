"""What a model answered while a document was read, one file an answer, until the document is ready."""

from pathlib import Path

from core.ingest.whole_file import write_whole


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
        write_whole(self._path(key), answer.encode("utf-8", "replace"))

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError("a key is letters and digits")
        return self._folder / f"{key}.json"
