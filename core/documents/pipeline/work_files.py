"""Files of a document's work folder that are expensive: answers of a model, and copies for other machines."""

import json
from collections.abc import Sequence
from pathlib import Path

from core.documents.ports.extraction import StoredAnswer
from core.platform.blobs.ports import Blobs
from core.platform.files.atomic_file import write_atomically

NOTE = "parser.txt"
"""File that names the parser of the results, and the attempt that they are of."""


class SharedResults:
    """Expensive results of one document, copied to where other machines find them."""

    def __init__(self, blobs: Blobs, document_id: str) -> None:
        self._blobs = blobs
        self._prefix = f"work/{document_id}/"

    def put(self, name: str, data: bytes) -> None:
        self._blobs.put(self._prefix + name, data)

    def fetch(self, name: str, into: Path) -> bool:
        return self._blobs.fetch(self._prefix + name, into)

    def note(self) -> bytes:
        """Content of the file NOTE; empty when there are no results."""
        return self._blobs.get(f"{self._prefix}{NOTE}") or b""

    def fetch_missing(self, folder: Path) -> None:
        for name in self._blobs.names(self._prefix):
            path = folder / name.removeprefix(self._prefix)
            if not path.exists():
                self._blobs.fetch(name, path)

    def remove(self) -> None:
        """The note goes last: without it, the others count for nothing and would stay for ever."""
        for name in sorted(self._blobs.names(self._prefix), key=lambda name: name.endswith(NOTE)):
            self._blobs.delete(name)


class AnswerFiles:
    """JointAnswerStore in a folder, one file per answer, kept while the document is being read.

    Answers that came together are one file, which has a name in each folder: the disk is waited for once. Keys are
    letters and digits. Thread-safe.
    """

    def __init__(self, folder: Path, shared: SharedResults | None = None) -> None:
        self._folder = folder
        self._shared = shared

    def get(self, key: str) -> str:
        path = self._path(key)
        try:
            if self._shared and not path.is_file():
                self._shared.fetch(f"answers/{path.name}", path)
            return path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return self._one_of_several(key)
        except UnicodeDecodeError:
            return ""

    def _one_of_several(self, key: str) -> str:
        try:
            return str(json.loads(self._joint_path(key).read_bytes()).get(key, ""))
        except (FileNotFoundError, ValueError, AttributeError):
            return ""

    def put(self, key: str, answer: str) -> None:
        path, data = self._path(key), answer.encode("utf-8", "replace")
        write_atomically(path, data)
        if self._shared:
            self._shared.put(f"answers/{path.name}", data)

    def put_along(self, key: str, answer: str, others: Sequence[StoredAnswer]) -> None:
        if self._shared:
            self.put(key, answer)
            for each in others:
                each.store.put(each.key, each.answer)
            return
        path = self._joint_path(key)
        whole = {key: answer} | {each.key: each.answer for each in others}
        write_atomically(path, json.dumps(whole, ensure_ascii=False).encode("utf-8", "replace"))
        for each in others:
            if not isinstance(each.store, AnswerFiles) or not each.store._link(each.key, path):
                each.store.put(each.key, each.answer)

    def _link(self, key: str, path: Path) -> bool:
        """False where the file system knows no second name of a file."""
        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            self._joint_path(key).hardlink_to(path)
        except FileExistsError:
            return True
        except OSError:
            return False
        return True

    def _joint_path(self, key: str) -> Path:
        return self._path(key).with_suffix(".joint.json")

    def _path(self, key: str) -> Path:
        if not key.isalnum():
            raise ValueError("a key is letters and digits")
        return self._folder / f"{key}.json"
