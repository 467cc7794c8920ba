"""Settings that processes share: encrypted in the database, seen by all, lost without the key."""

from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from core.app.lazy import Configuration
from core.people.store.preferences import SqlPreferenceStore
from core.platform.errors import ConfigurationError
from core.platform.fernet_cipher import FernetCipher
from core.platform.settings.preferences import PRICES_FILE, TERMS_FILE, FilePreferences, share_missing
from core.platform.settings.settings import load_settings
from core.platform.sql.engine import all_rows
from core.platform.sql.installation_tables import shared_settings
from core.runs.history.prices import Price, load_prices, prices_text
from tests.store.interleaving import interleaved

OLD, NEW = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXphYmNkZWY="


def store(engine: Engine, keys: str = OLD) -> SqlPreferenceStore:
    return SqlPreferenceStore(engine, FernetCipher(keys))


def test_a_change_of_one_process_is_that_of_all_and_cannot_be_read_in_the_database(engine: Engine) -> None:
    one, other = Configuration(load_settings()), Configuration(load_settings())
    for each in (one, other):
        each.share(store(engine))
    one.keep({"LLM_API_KEY": "sk-潮汐", "LLM_MODEL": "large"})
    stored = repr(all_rows(engine, select(shared_settings)))
    assert "潮汐" not in stored
    assert "large" not in stored
    other.refresh()
    assert (other.settings.llm_model, other.settings.llm_api_key.get_secret_value()) == ("large", "sk-潮汐")
    other.keep({"LLM_API_KEY": None})
    one.refresh()
    assert (one.settings.llm_model, one.settings.llm_api_key.get_secret_value()) == ("large", "")
    assert one.kept() == {"LLM_MODEL": "large"}


def test_prices_and_sensitive_terms_of_one_process_are_those_of_all_and_not_of_a_data_folder(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FilePreferences(tmp_path / "other").write({PRICES_FILE: "not a table", TERMS_FILE: "of one desk"})
    monkeypatch.setenv("FILES_URL", f"file://{tmp_path}/shared")
    one, other = (Configuration(load_settings(tmp_path / name)) for name in ("one", "other"))
    for each in (one, other):
        each.share(store(engine))
    assert (load_prices(other.settings), other.settings.sensitive_terms) == ((), None)
    table = (Price("潮汐", 1.5, 2.0, "CNY"),)
    one.keep({PRICES_FILE: prices_text(table), TERMS_FILE: "# ours\nproject heron\n"})
    assert "heron" not in repr(all_rows(engine, select(shared_settings)))
    other.refresh()
    assert (load_prices(other.settings), other.settings.sensitive_terms) == (table, ("project heron",))
    other.keep({TERMS_FILE: ""})
    one.refresh()
    assert (load_prices(one.settings), one.settings.sensitive_terms) == (table, ()), "an empty list allows everything"
    other.keep({PRICES_FILE: None, TERMS_FILE: None})
    one.refresh()
    assert (load_prices(one.settings), one.settings.sensitive_terms) == ((), None)
    assert not (tmp_path / "one").exists()


def test_what_a_data_folder_kept_is_shared_unless_the_others_have_it(engine: Engine, tmp_path: Path) -> None:
    share_missing(tmp_path, store(engine, ""))  # nothing to share needs no key
    FilePreferences(tmp_path).write({"LLM_MODEL": "mine", "MAX_SECONDS": "90", TERMS_FILE: "project heron\n"})
    store(engine).write({"LLM_MODEL": "ours"})
    share_missing(tmp_path, store(engine))
    assert store(engine).read() == {"LLM_MODEL": "ours", "MAX_SECONDS": "90", TERMS_FILE: "project heron\n"}


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


def test_a_change_is_seen_although_another_one_is_made_at_once(engine: Engine) -> None:
    one, other = store(engine), store(engine)
    one.write({"A": "1"})
    seen: list[int] = []

    def meanwhile() -> None:
        other.write({"A": "2", "B": "2"})
        seen.append(other.stamp())

    interleaved(engine, lambda: one.write({"A": "3"}), "shared_settings", meanwhile)
    assert one.read() == {"A": "2", "B": "2"}
    assert seen == [3]
