"""Thumbs at an answer, and the reason for a thumbs-down."""

from core.runs.model import MAX_COMMENT, Complaint, Feedback, Verdict
from pages.components.shell.icons import form_buttons, icon_button
from pages.components.shell.language import t
from pages.components.shell.text import html_of


def thumbs(given: Feedback | None) -> list[str]:
    """Two buttons; a second click takes the verdict back."""
    verdict = given.verdict if given else None
    return [
        icon_button(
            f"thumb_{each}",
            t(f"chat.feedback.{each}"),
            f'data-event="{each}" aria-pressed="{_yes(verdict is each)}"',
            worded=True,
        )
        for each in Verdict
    ]


def feedback_part(given: Feedback | None) -> str:
    """Below a thumbs-down: what is wrong, to choose and to say."""
    if not given or given.verdict is not Verdict.DOWN:
        return ""
    chosen = t(f"chat.feedback.{given.complaint}") if given.complaint else t("chat.feedback.why")
    options = "".join(
        f'<option value="{each}"{" selected" if each is given.complaint else ""}>'
        f"{html_of(t(f'chat.feedback.{each}'))}</option>"
        for each in Complaint
    )
    comment = html_of(t("chat.feedback.comment"))
    said = f" · {html_of(given.comment, 120)}" if given.comment else ""
    return (
        f'<details class="gt-feedback" data-key="feedback"{"" if given.complaint else " open"}>'
        f"<summary>{html_of(chosen)}{said}</summary>"
        f'<div class="gt-form" data-form><select name="complaint" aria-label="{html_of(t("chat.feedback.why"))}">'
        f"{options}</select>"
        f'<textarea name="comment" rows="2" maxlength="{MAX_COMMENT}" aria-label="{comment}" '
        f'placeholder="{comment}" data-sends="complain">{html_of(given.comment, MAX_COMMENT)}</textarea>'
        f"{form_buttons('complain', t('chat.feedback.send'), cancels=False)}</div></details>"
    )


def _yes(value: bool) -> str:
    return "true" if value else "false"
