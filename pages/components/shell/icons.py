"""A button that is an icon, for our own HTML."""

from pages.components.shell.text import html_of


def icon_button(icon: str, words: str, attributes: str, *, worded: bool = False) -> str:
    """The words are escaped here; the attributes, which say what it does, were made of values that are.

    worded: the words stand beside the icon.
    """
    said = html_of(words)
    if worded:
        symbol = f'<span class="gt-symbol" aria-hidden="true">{icon}</span>'
        return f'<button type="button" class="gt-icon" {attributes}>{symbol}<span>{said}</span></button>'
    return (
        f'<button type="button" class="gt-icon" {attributes} title="{said}" aria-label="{said}">'
        f'<span class="gt-symbol" aria-hidden="true">{icon}</span></button>'
    )
