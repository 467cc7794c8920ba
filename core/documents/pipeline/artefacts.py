"""Results passed between stages.

Files under work/<document id>/, written whole or not at all, so a crash repeats nothing. Where several machines
share the work, what was expensive is copied to where each of them finds it.
"""

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from uuid import uuid4

from pydantic import ValidationError

from core.documents.model import Chunk, Stage, StageProgress, Summary
from core.documents.pipeline.work_files import NOTE, AnswerFiles, SharedResults
from core.documents.ports.extraction import Extraction
from core.documents.reading.assemble import TextPiece
from core.graph.model import Entity, Mention, Relation
from core.platform.blobs.ports import Blobs
from core.platform.files.atomic_file import write_atomically, write_replaceable
from core.platform.type_adapters import adapter

_DEAR = (Stage.PARSE, Stage.EXTRACT)
"""Stages with expensive results; those of the other stages are quickly made again."""
_SMALL_BYTES = 100_000
QUICK_BYTES = 10_000


Artefact = TypeVar("Artefact")


@dataclass(frozen=True, slots=True)
class Assembled:
    title: str
    language: str
    pieces: tuple[TextPiece, ...]


@dataclass(frozen=True, slots=True)
class Chunked:
    chunks: tuple[Chunk, ...]
    summaries: tuple[Summary, ...]


@dataclass(frozen=True, slots=True)
class Extracted(Extraction):
    """Entities and relations, and summaries; usage is that of both, over all attempts."""

    summaries: tuple[Summary, ...] = ()
    """Summaries by a model; if empty, those of the stage before are kept."""


@dataclass(frozen=True, slots=True)
class Linked:
    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...] = ()


class WorkFolder:
    """The artefacts of one document.

    Of a quick document only expensive results are written: a new process makes the others again in a moment, and
    writing them takes longer than that.
    """

    def __init__(self, root: Path, document_id: str, shared: Blobs | None = None, *, is_light: bool = False) -> None:
        """is_light: for a short text, of which only a model's answers are expensive."""
        if not document_id.isalnum():
            raise ValueError("a document's id is letters and digits")
        self._is_light = is_light
        self.folder = root / document_id
        self._held: dict[Stage, object] = {}
        """Results of a quick document, so that the stages that follow need not read them."""
        self._reports: dict[Stage, StageProgress] = {}
        self._parsed = 0
        """Bytes of the parser's result; 0 before there is one."""
        self._is_unwritten = False
        """Whether nothing was found in the folder, and nothing but a model's answers is written into it."""
        self._shared = SharedResults(shared, document_id) if shared else None

    def claim(self, parser: str) -> None:
        """Prepares the folder for this parser; results of another one are removed."""
        if self._shared:
            self._claim_shared(self._shared, parser)
        else:
            self._claim_own(parser)

    def drop_outdated(self) -> None:
        """Removes what another machine has gone beyond since."""
        if self._shared and self.folder.is_dir() and self._shared.note() != self._note():
            self._remove_own()

    def _claim_shared(self, shared: "SharedResults", parser: str) -> None:
        note = shared.note()
        if note.partition(b"\n")[0].decode() != parser or not note:
            self.remove()
            note = f"{parser}\n{uuid4().hex}".encode()
            shared.put(NOTE, note)
        elif note != self._note():
            self._remove_own()
        write_atomically(self.folder / NOTE, note)
        shared.fetch_missing(self.folder)

    def _note(self) -> bytes:
        try:
            return (self.folder / NOTE).read_bytes()
        except FileNotFoundError:
            return b""

    def _claim_own(self, parser: str) -> None:
        if self._is_light and not self.folder.exists():  # made when there is something to keep
            self._is_unwritten = True
            return
        note = self.folder / NOTE
        if note.is_file():
            if note.read_text(encoding="utf-8") == parser:
                return
            self.remove()
        with suppress(FileExistsError):
            self.folder.mkdir(parents=True)
        note.write_text(parser, encoding="utf-8")

    @property
    def answers(self) -> AnswerFiles:
        """Stored model answers for this document."""
        return AnswerFiles(self.folder / "answers", self._shared)

    def has(self, stage: Stage) -> bool:
        """Whether a result exists; empty files, which a power loss may leave, do not count."""
        if stage in self._held or self._is_unwritten:
            return stage in self._held
        try:
            return self._path(stage).stat().st_size > 0
        except FileNotFoundError:
            return False

    def load(self, stage: Stage, kind: type[Artefact]) -> Artefact:
        """Raises FileNotFoundError. An unreadable file is removed and counts as missing."""
        if isinstance(held := self._held.get(stage), kind):
            return held
        path = self._path(stage)
        try:
            found: Artefact = adapter(kind).validate_json(path.read_bytes())
        except ValidationError as error:
            path.unlink()
            raise FileNotFoundError(path) from error
        return found

    def save(self, stage: Stage, artefact: object) -> None:
        if self._is_light and not self._parsed:
            self._parsed = 1
        if not self._is_light and (stage in _DEAR or not self.is_quick):
            write = write_atomically if stage in _DEAR else write_replaceable
            data = _dumped(artefact)
            write(self._path(stage), data)
            self._share(stage, self._path(stage).name, data)
        if self.is_quick:
            self._held[stage] = artefact

    def save_progress(self, progress: StageProgress) -> None:
        """The report of a finished stage, shown again when a later run finds it done."""
        self._reports[progress.stage] = progress
        if self._is_light or (progress.stage not in _DEAR and self.is_quick):
            return
        path, data = self.folder / f"{progress.stage}.progress.json", _dumped(progress)
        write_replaceable(path, data)
        self._share(progress.stage, path.name, data)

    def _share(self, stage: Stage, name: str, data: bytes) -> None:
        if self._shared and stage in _DEAR:
            self._shared.put(name, data)

    def progress(self, stage: Stage) -> StageProgress:
        if stage in self._reports:
            return self._reports[stage]
        path = self.folder / f"{stage}.progress.json"
        try:
            known: StageProgress = adapter(StageProgress).validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return StageProgress(stage, "done")
        return known

    def deaths(self, stage: Stage) -> int:
        """How often the ingestion process died alone in this stage."""
        return self._interruptions(stage).stat().st_size if self.was_interrupted(stage) else 0

    def was_interrupted(self, stage: Stage) -> bool:
        """Whether an earlier attempt was, by a death or by the end of everything, such as a power cut."""
        return not self._is_unwritten and self._interruptions(stage).is_file()

    def note_interruption(self, stage: Stage, *, is_death: bool) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._interruptions(stage).open("ab") as file:
            file.write(b"." if is_death else b"")

    def forget_interruptions(self, stage: Stage) -> None:
        if not self._is_unwritten:
            self._interruptions(stage).unlink(missing_ok=True)

    @property
    def is_small(self) -> bool:
        """Whether many documents like this one may be held in memory at once."""
        return 0 < self._parsed_bytes <= _SMALL_BYTES

    @property
    def is_quick(self) -> bool:
        """Whether each of its stages is over before anybody could want to know how far it is."""
        return 0 < self._parsed_bytes <= QUICK_BYTES

    @property
    def _parsed_bytes(self) -> int:
        if not self._parsed:
            with suppress(FileNotFoundError):
                self._parsed = self._path(Stage.PARSE).stat().st_size
        return self._parsed

    def remove(self) -> None:
        if self._shared:
            self._shared.remove()
        self._remove_own()

    def _remove_own(self) -> None:
        self._held.clear()
        self._reports.clear()
        self._is_unwritten = False
        self._parsed = 0
        shutil.rmtree(self.folder, ignore_errors=True)

    def _interruptions(self, stage: Stage) -> Path:
        return self.folder / f"{stage}.interruptions"

    def _path(self, stage: Stage) -> Path:
        return self.folder / f"{stage}.json"


def _dumped(artefact: object) -> bytes:
    return adapter(type(artefact)).dump_json(artefact)
