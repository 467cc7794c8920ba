"""What a stage hands to the next: files under work/<document id>/, whole or absent, so that a crash repeats nothing."""

import shutil
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from core.domain.documents import Chunk, Stage, StageProgress, Summary
from core.domain.knowledge import Entity, Found, FoundRelation, Mention, Relation
from core.domain.runs import Usage
from core.ingest.answer_files import AnswerFiles
from core.ingest.assemble import Piece
from core.ingest.whole_file import write_whole

Artefact = TypeVar("Artefact")


@dataclass(frozen=True, slots=True)
class Assembled:
    title: str
    language: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Chunked:
    chunks: tuple[Chunk, ...]
    summaries: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class Extracted:
    found: tuple[tuple[Found, ...], ...]
    """One tuple a chunk."""
    relations: tuple[FoundRelation, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    """Of the model, for entities and summaries, over all attempts."""
    summaries: tuple[Summary, ...] = ()
    """By a model; empty when the chunks' own stay."""


@dataclass(frozen=True, slots=True)
class Linked:
    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...] = ()


class WorkFolder:
    """The artefacts of one document."""

    def __init__(self, root: Path, document_id: str) -> None:
        if not document_id.isalnum():
            raise ValueError("a document's id is letters and digits")
        self.folder = root / document_id

    def claim(self, parser: str) -> None:
        """For the parser that was chosen; what was made with another one is removed."""
        note = self.folder / "parser.txt"
        if note.is_file() and note.read_text(encoding="utf-8") != parser:
            self.remove()
        self.folder.mkdir(parents=True, exist_ok=True)
        note.write_text(parser, encoding="utf-8")

    @property
    def answers(self) -> AnswerFiles:
        """What a model answered for this document so far."""
        return AnswerFiles(self.folder / "answers")

    def has(self, stage: Stage) -> bool:
        return self._path(stage).is_file()

    def load(self, stage: Stage, kind: type[Artefact]) -> Artefact:
        """Raises FileNotFoundError; a file that cannot be read is removed and counts as missing."""
        path = self._path(stage)
        try:
            found: Artefact = _adapter(kind).validate_json(path.read_bytes())
        except ValidationError as error:
            path.unlink()
            raise FileNotFoundError(path) from error
        return found

    def save(self, stage: Stage, artefact: object) -> None:
        self._write(self._path(stage), artefact)

    def save_progress(self, progress: StageProgress) -> None:
        """What a finished stage reported, to be shown again when a later run finds it done."""
        self._write(self.folder / f"{progress.stage}.progress.json", progress)

    def progress(self, stage: Stage) -> StageProgress:
        path = self.folder / f"{stage}.progress.json"
        try:
            known: StageProgress = _adapter(StageProgress).validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return StageProgress(stage, "done")
        return known

    def begun(self, stage: Stage) -> int:
        """How often the stage was begun and neither finished nor given up: each time the process died in it."""
        path = self._tries(stage)
        return path.stat().st_size if path.is_file() else 0

    def begin(self, stage: Stage) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._tries(stage).open("ab") as file:
            file.write(b".")

    def end(self, stage: Stage) -> None:
        self._tries(stage).unlink(missing_ok=True)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, path: Path, artefact: object) -> None:
        write_whole(path, _adapter(type(artefact)).dump_json(artefact))

    def _tries(self, stage: Stage) -> Path:
        return self.folder / f"{stage}.tries"

    def _path(self, stage: Stage) -> Path:
        return self.folder / f"{stage}.json"


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return _made(kind)


@cache
def _made(kind: Hashable) -> TypeAdapter[Any]:
    """Once a kind: making one takes longer than a small document's stage."""
    wanted: Any = kind
    return TypeAdapter(wanted)
