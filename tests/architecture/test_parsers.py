"""The parsers that a person can choose are those that can be made."""

from core.app.parsers import MAKERS
from core.platform.settings.parsers import OWN_PARSERS
from core.platform.settings.settings import Settings
from core.platform.texts import text


def test_every_parser_of_the_table_can_be_made_and_has_a_name() -> None:
    assert list(OWN_PARSERS) == list(MAKERS)
    assert all(text(f"documents.parsers.{name.replace('-', '_')}", "en") for name in OWN_PARSERS)


def test_what_a_parser_needs_is_a_setting() -> None:
    assert {entry.needs for entry in OWN_PARSERS.values() if entry.needs} <= set(Settings.model_fields)
