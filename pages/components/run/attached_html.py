"""Files that a question was sent with as HTML, below the question: how far each has come, or why it is not read."""

from core.documents.model import Stage
from core.runs.execution.attachments import READ_ATTACHMENTS
from core.runs.history.view import RunView
from core.runs.model import Attachment, AttachmentStatus
from pages.components.run.run_words import sentence
from pages.components.shell.language import t
from pages.components.shell.text import html_of, label

ICONS = {
    AttachmentStatus.QUEUED: "hourglass_top",
    AttachmentStatus.RUNNING: "hourglass_top",
    AttachmentStatus.READY: "description",
}
MAX_NAME = 80


def attached_part(view: RunView) -> str:
    """Empty for a question without files."""
    if not view.attachments:
        return ""
    items = "".join(_file(file) for file in view.attachments)
    waiting = view.active is not None and view.active.node == READ_ATTACHMENTS
    unread = any(file.status is not AttachmentStatus.READY for file in view.attachments)
    asked = any(step.node != READ_ATTACHMENTS for step in view.steps)
    note = f'<p class="gt-note">{html_of(t("chat.attached.without"))}</p>' if unread and asked and not waiting else ""
    return f'<div role="status"><ul class="gt-attached">{items}</ul></div>{note}'


def _file(file: Attachment) -> str:
    words = t(
        f"chat.attached.{file.status}",
        name=label(file.name, MAX_NAME),
        share=f"{file.share:.0%}",
        stage=t(f"documents.stage.{file.stage or Stage.PARSE}"),
        reason=sentence(file.error_key, file.error_params),
    )
    icon = f'<span class="gt-symbol" aria-hidden="true">{ICONS.get(file.status, "warning")}</span>'
    is_read = file.status is AttachmentStatus.RUNNING
    bar = f'<progress value="{file.share}" aria-hidden="true"></progress>' if is_read else ""
    return f'<li class="is-{file.status}">{icon}<span>{html_of(words, 600)}</span>{bar}</li>'
