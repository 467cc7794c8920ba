"""Settings that processes share: encrypted in the database, seen by all, lost without the key."""

import pytest
from sqlalchemy import Engine, select

from core.adapters.fernet_cipher import FernetCipher
from core.adapters.sql.engine import all_rows
from core.adapters.sql.schema import shared_settings
from core.adapters.sql.shared_settings import SqlPreferenceStore
from core.bootstrap.lazy import Configuration
from core.errors import ConfigurationError
from core.settings.settings import load_settings

OLD, NEW = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY="


def store(engine: Engine, keys: str = OLD) -> SqlPreferenceStore:
    return SqlPreferenceStore(engine, FernetCipher(keys))


def test_a_change_of_one_process_is_that_of_all_and_cannot_be_read_in_the_database(engine: Engine) -> None:
    one, other = Configuration(load_settings()), Configuration(load_settings())
    for each in (one, other):
        each.share(store(engine))
    one.keep({"LLM_API_KEY": "sk-潮汐", "LLM_MODEL": "large"})
    assert "sk-" not in repr(all_rows(engine, select(shared_settings)))
    other.refresh()
    assert (other.settings.llm_model, other.settings.llm_api_key.get_secret_value()) == ("large", "sk-潮汐")
    other.keep({"LLM_API_KEY": None})
    one.refresh()
    assert (one.settings.llm_model, one.settings.llm_api_key.get_secret_value()) == ("large", "")
    assert one.kept() == {"LLM_MODEL": "large"}


def test_a_key_is_replaced_while_the_old_one_is_listed_behind_it(engine: Engine) -> None:
    store(engine).write({"LLM_MODEL": "large"})
    with pytest.raises(ConfigurationError, match="another SETTINGS_KEY"):
        store(engine, NEW).read()
    both = store(engine, f"{NEW}, {OLD}")
    both.write(dict(both.read()))
    assert store(engine, NEW).read() == {"LLM_MODEL": "large"}


@pytest.mark.parametrize("key", ["", "short", "!" * 44])
def test_without_a_key_nothing_is_kept_and_the_remedy_is_named(engine: Engine, key: str) -> None:
    assert store(engine, key).read() == {}
    with pytest.raises(ConfigurationError, match="openssl rand"):
        store(engine, key).write({"LLM_API_KEY": "sk-1"})
    assert all_rows(engine, select(shared_settings)) == []
