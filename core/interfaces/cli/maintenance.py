"""`rebuild-index` and `doctor`: repair and self-check."""

from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from core.app.content_check import ChangedContent, ContentPart, Uncompared, changed_readings, compared
from core.app.models import faults_of
from core.app.record_check import RecordPart, broken_texts, changed_records, recount
from core.app.selfcheck import Finding, check
from core.app.services import Services
from core.documents.lifecycle.graph_import import MEDIA_TYPE as GRAPH
from core.documents.model import KnowledgeBase
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import counted, note, say
from core.interfaces.cli.ingest import until_ended
from core.platform.errors import AppError, ServiceError

_SAID: Mapping[ContentPart | RecordPart, str] = {
    ContentPart.FILE: "the stored file is not the one that was added, or is missing.",
    ContentPart.TEXTS: "passages or summaries that are not the text of which their vectors were made: {count}.",
    ContentPart.VECTORS: "passages or summaries with other vectors than their text has: {count}.",
    RecordPart.TURNS: "questions or answers that differ from what the events of their runs say: {count}.",
    RecordPart.TITLES: "titles of conversations that differ from what is searched of them: {count}.",
    RecordPart.MEMORIES: "memories that differ from what is searched of them: {count}.",
    RecordPart.EVENTS: "records of steps that cannot be read and are left out: {count}.",
    RecordPart.DOCUMENTS: "documents whose ids are not made of the hashes of their files: {count}.",
    RecordPart.PASSAGES: "passages whose ids are not made of the text that was read: {count}.",
    RecordPart.BLOCKS: "passages with other words than the blocks that pages show of them: {count}.",
    RecordPart.TABLES: "tables that show other words than are searched of them: {count}.",
    RecordPart.SPANS: "passages that are said to lie elsewhere than their blocks: {count}.",
    RecordPart.MENTIONS: "mentions of entities of which the passage has other words: {count}.",
    RecordPart.NAMES: "names of entities that differ from what is searched of them: {count}.",
    RecordPart.COUNTS: "entities that have another number of mentions or documents: {count}.",
    RecordPart.INCIDENCES: "documents that relate other entities than they mention together: {count}.",
    RecordPart.EDITS: "edits of a graph that cannot be read: {count}.",
}

_SAID_OF_UNCOMPARED = {
    Uncompared.WITHOUT_VECTORS: "passages or summaries that could not be compared, because they have no vectors yet: "
    "{count}. Compare again when the app has made them.",
    Uncompared.FROM_ENDPOINT: "passages or summaries whose vectors were not compared, because an endpoint made "
    "them: {count}. “graphtalk rebuild-index” makes them anew.",
}

_OF_RECORDS = "Restore a backup if they read wrong."
_REMEDIES = {RecordPart.COUNTS: "“graphtalk doctor --repair” counts them anew."}
_OF_BROKEN = "Read a document again, correct or delete a memory, and restore a backup for anything else."


def rebuild_index(services: Services, options: Namespace) -> int:
    bases = [existing_base(services, options.kb)] if options.kb else services.library.bases.all()
    for base in bases:
        _rebuild(services, base)
    return 0


def _rebuild(services: Services, base: KnowledgeBase) -> None:
    services.search.rebuild(base.id)
    _make_vectors(services, base)


def _make_vectors(services: Services, base: KnowledgeBase) -> None:
    while services.search.vector_builder.build(base.id):
        made = services.search.chunk_index.progress(base.id)
        note(f"{base.name}: vectors of {made.done} of {made.total} passages and summaries")
    say(f"{base.name}: passages and summaries indexed: {services.search.chunk_index.progress(base.id).done}")


def doctor(services: Services, options: Namespace) -> int:
    """Exit status 1 if a line begins with FAIL; what begins with -- is for information."""
    is_sound = all([*map(_say_finding, check(services.settings, thorough=True)), _say_of_ingestion(services)])
    say(f"ok    Engine: {services.llm.engine}; embeddings: {services.models.embedder.name}")
    for fault in faults_of(services.models.embedder, services.models.encoder):
        note(f"--    {fault}")
    ocr = services.ingestion.engines.ocr
    say(f"ok    OCR: {ocr}" if ocr else "--    OCR: not available; scans and pictures are not read")
    try:
        _say_of_others(services)
        bases = services.library.bases.all()
    except AppError as error:
        note(f"FAIL  {error}")
        return 1
    checks = [partial(_say_of_base, services, base, options.repair) for base in bases]
    if options.full or options.repair:
        checks += [partial(_is_as_it_was, services, base, options.repair) for base in bases]
        checks.append(partial(_are_records_right, services, options.repair))
    return 0 if all([is_sound, *map(_passes, checks)]) else 1


def _passes(check: Callable[[], bool]) -> bool:
    """False for a check that a damaged row ends, too."""
    try:
        return check()
    except AppError as error:
        note(f"FAIL  {error}")
    except ValueError as error:  # which JSON that is broken raises
        note(f"FAIL  A row of the database cannot be read: {error}. Restore a backup.")
    return False


def _say_finding(finding: Finding) -> bool:
    (say if finding.ok else note)(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.sentence}")
    return finding.ok


def _say_of_ingestion(services: Services) -> bool:
    fault = services.ingestion.fault
    if fault:
        note(f"FAIL  {fault}")
    return not fault


def _say_of_base(services: Services, base: KnowledgeBase, repair: bool) -> bool:
    """Reports documents and vectors; False if an index is damaged, also after a repair. Raises ServiceError."""
    say(f"ok    {base.name}: {counted(sum(services.library.documents.counts(base.id).values()), 'document')}")
    try:
        made = services.search.checked(base.id)
    except ServiceError as error:
        note(f"FAIL  {base.name}: {error}")
        if not repair:
            return False
        _rebuild(services, base)
        made = services.search.checked(base.id)
    if not made.is_complete:
        known = f"{made.done} of {made.total} passages and summaries"
        note(f"--    {base.name}: the search by meaning knows {known}; the others follow while the app runs")
    return True


def _is_as_it_was(services: Services, base: KnowledgeBase, repair: bool) -> bool:
    """Whether files, passages, summaries and vectors that could be compared are unchanged, also after a repair."""
    found = _say_changes(services, base)
    if repair and any(change.is_repairable for change in found):
        _repair(services, base, found)
        found = _say_changes(services, base)
    return not found


def _say_changes(services: Services, base: KnowledgeBase) -> tuple[ChangedContent, ...]:
    found = compared(services, base.id)
    for change in found.changed:
        _say_change(base.name, change)
    for reason, count in found.uncompared.items():
        note(f"--    {base.name}: {_SAID_OF_UNCOMPARED[reason].format(count=count)}")
    if not found.changed:
        others = "all other files" if found.uncompared else "files"
        say(f"ok    {base.name}: {others}, passages, summaries and vectors are what they were")
    return found.changed


def _say_change(base_name: str, change: ChangedContent) -> None:
    said = _SAID[change.part].format(count=change.count)
    note(f"FAIL  {base_name}: {change.document.name}: {said} {_remedy(change)}")


def _are_records_right(services: Services, repair: bool) -> bool:
    """Whether what people said and were told, and what was read, is unchanged, as far as that can be seen."""
    records = changed_records(services.storage.engine)
    found = changed_readings(services, records)
    is_right = _say_records(services, records, found)
    if repair and (RecordPart.COUNTS in records or any(change.is_repairable for change in found)):
        _repair_records(services, found)
        return _are_records_right(services, repair=False)
    return is_right


def _say_records(
    services: Services, records: Mapping[RecordPart, Counter[str]], found: Sequence[ChangedContent]
) -> bool:
    names = {base.id: base.name for base in services.library.bases.all()}
    for change in found:
        _say_change(names.get(change.document.base_id, ""), change)
    for part, counts in records.items():
        if count := counts.total() - sum(change.count for change in found if change.part is part):
            note(f"FAIL  {_SAID[part].format(count=count)} {_REMEDIES.get(part, _OF_RECORDS)}")
    broken = broken_texts(services.storage.engine)
    for place, count in broken.items():
        note(f"FAIL  {place}: texts with bytes that are no characters, shown as “\ufffd”: {count}. {_OF_BROKEN}")
    if not records and not broken:
        say("ok    Words of pages, questions, answers, memories, steps and graphs agree with what else is kept of them")
    return not records and not broken


def _repair_records(services: Services, found: Sequence[ChangedContent]) -> None:
    """Reads documents again; what a changed mention had added to the wrong numbers is counted afterwards."""
    for base in services.library.bases.all():
        own = [each for each in found if each.is_repairable and each.document.base_id == base.id]
        _read_again(services, base, list({each.document.id: each for each in own}.values()))
        if own:
            _make_vectors(services, base)
    recount(services.storage.engine)


def _remedy(change: ChangedContent) -> str:
    if change.part is ContentPart.FILE:
        return "Add the file again, or restore a backup; its passages are searched meanwhile."
    if change.edited:
        edited = f"what people changed in the text of {counted(change.edited, 'passage')}"
        return f"“graphtalk doctor --repair” reads the file again; {edited} is kept with the old version."
    if change.is_repairable:
        how = "" if change.part is ContentPart.VECTORS else "reads the file again, which "
        return f"“graphtalk doctor --repair” {how}makes them anew."
    return (
        "Restore a backup, or import the graph again." if change.document.media_type == GRAPH else "Restore a backup."
    )


def _repair(services: Services, base: KnowledgeBase, found: Sequence[ChangedContent]) -> None:
    """Reads texts again from the file and makes vectors anew.

    A document whose text stays changed keeps its vectors, which tell that it is.
    """
    texts = {each.document.id: each for each in found if each.part is ContentPart.TEXTS}
    again = _read_again(services, base, [each for each in texts.values() if each.is_repairable])
    vectors = {each.document.id for each in found if each.part is ContentPart.VECTORS}
    services.search.chunk_index.delete_documents(base.id, sorted(vectors - (texts.keys() - again)))
    _make_vectors(services, base)


def _read_again(services: Services, base: KnowledgeBase, changes: Sequence[ChangedContent]) -> set[str]:
    """Ids of those that could be read; where people edited passages, the old version is kept until they decide."""
    read: set[str] = set()
    reparse, documents = services.lifecycle.reparse, [change.document for change in changes]
    for change in changes:
        again = reparse.begin if change.edited else services.lifecycle.intake.parse_again
        again(change.document.id, change.document.parser_choice)
    with services.ingestion.running() if documents else nullcontext():
        for document in until_ended(services, documents, lambda each: reparse.is_busy(each) and not each.paused):
            if reparse.is_ready(document):
                read.add(document.id)
            note(f"{base.name}: {document.name} {'was' if document.id in read else 'could not be'} read again")
    return read


def _say_of_others(services: Services) -> None:
    """Reports the processes that share the database, and the lag of the word index of this data folder."""
    if not services.settings.is_shared:
        return
    say(f"ok    Shared files: {services.settings.files_url}")
    for process in services.storage.processes():
        words = f"{process.kind} {process.id}, last heard of {process.silent_seconds:.0f} s ago"
        (say if process.is_alive else note)(f"{'ok  ' if process.is_alive else '--  '}  {words}")
    behind = sum(services.search.words.lag().values())
    say(f"ok    Words: updates to go: {behind}" if behind else "ok    Words: up to date")
