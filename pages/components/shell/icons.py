"""A button that is an icon, for our own HTML."""

from pages.components.shell.language import t
from pages.components.shell.text import html_of


def icon_button(icon: str, words: str, attributes: str, *, worded: bool = False) -> str:
    """The words are escaped here; the attributes, which say what it does, were made of values that are.

    worded: the words stand beside the icon, where there is room for them.
    """
    said = html_of(words)
    named = "" if worded else f' title="{said}"'
    beside = f"<span>{said}</span>" if worded else ""
    return (
        f'<button type="button" class="gt-icon" {attributes}{named} aria-label="{said}">'
        f'<span class="gt-symbol" aria-hidden="true">{icon}</span>{beside}</button>'
    )


def form_buttons(event: str, words: str, *, cancels: bool = True) -> str:
    """At the end of a form inside live HTML: one that sends its fields with the event, and one that closes it."""
    shuts = f'<button type="button" class="gt-button" data-shuts>{html_of(t("chat.turn.cancel"))}</button>'
    return (
        f'<div class="gt-follow"><button type="button" class="gt-button is-first" data-event="{event}" data-takes>'
        f"{html_of(words)}</button>{shuts if cancels else ''}</div>"
    )
