"""A file on its way in: asked about when it changes another one or costs money, else taken at once."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from core.domain.documents import DocumentStatus, Effort
from core.errors import AppError
from core.ingest.files import display_name
from core.ingest.held import Held, Question
from pages.components.boundary import sentence_of
from pages.components.document_notices import notify
from pages.components.language import t
from pages.components.services import services


def arrive(base_id: str, name: str, data: bytes, parser: str) -> None:
    """One under a name that is taken, or that a model reads along, waits for the reader's word.

    parser: that of the settings when empty.
    """
    if services().intake.earlier(base_id, name, sha256(data).hexdigest()):
        services().held.hold(base_id, name, data, Question.CHANGED, parser)
    elif reads_by_model():
        begin(services().held.hold(base_id, name, data, Question.START, parser))
    else:
        _add(base_id, name, data, parser=parser)


def begin(held: Held) -> None:
    """One that a model reads along waits with its estimate; everything else starts."""
    effort = _effort(held) if reads_by_model() else None
    if effort and effort.model_calls:
        services().held.ask(replace(held, question=Question.START, effort=effort))
    else:
        take(held)


def take(held: Held) -> None:
    """Into the knowledge base; nothing happens when it was answered already, in another window."""
    path = services().held.path(held)
    if not path.is_file():
        return
    if _add(held.base_id, held.name, path, held.replaces, held.parser, held.effort):
        services().held.drop(held)


def reads_by_model() -> bool:
    """Whether extraction asks a model, which may cost money."""
    return services().settings.extraction == "model" and services().llm.engine != "built-in"


def _add(
    base_id: str, name: str, data: bytes | Path, replaces: str = "", parser: str = "", effort: Effort | None = None
) -> bool:
    """Whether it is in the knowledge base now; what is refused or was there before is told."""
    try:
        document, new = services().intake.add(base_id, name, data, replaces, parser)
        if effort and new:
            services().library.record_estimate(document.id, replace(effort, agreed=True))
    except AppError as error:
        notify("refused", sentence_of(error))
        return False
    if not new and document.status is DocumentStatus.READY:
        notify("known", t("documents.upload.known", name=name, known=document.name), opens=document.id)
    return True


def _effort(held: Held) -> Effort | None:
    """None for a file that cannot be measured: the pipeline says what is wrong with it."""
    try:
        return services().forecaster().of_file(services().held.path(held), display_name(held.name), held.parser)
    except AppError:
        return None
