"""A button that is an icon, for our own HTML."""

from pages.components.shell.text import html_of


def icon_button(icon: str, words: str, attributes: str) -> str:
    """The words are escaped here; the attributes, which say what it does, were made of values that are."""
    said = html_of(words)
    return (
        f'<button type="button" class="gt-icon" {attributes} title="{said}" aria-label="{said}">'
        f'<span class="gt-symbol" aria-hidden="true">{icon}</span></button>'
    )
