"""Settings that were changed in the app: kept in the data folder for its owner alone, and above the environment's."""

import json
import os
from pathlib import Path

import pytest

from core.app.services import Services
from core.platform.errors import ConfigurationError
from core.platform.settings.preferences import (
    PRICES_FILE,
    TERMS_FILE,
    FilePreferences,
)
from core.platform.settings.settings import load_settings

SECRET = "sk-hidden-1"


def test_a_change_wins_over_the_environment_until_it_is_taken_back(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_MODEL", "from-environment")
    FilePreferences(data_folder).write({"LLM_MODEL": "from-page", "LLM_TEMPERATURE": "0.5"})
    assert (load_settings().llm_model, load_settings().llm_temperature) == ("from-page", 0.5)
    FilePreferences(data_folder).write({"LLM_MODEL": None})
    assert (load_settings().llm_model, load_settings().llm_temperature) == ("from-environment", 0.5)


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_files_are_their_owners_alone(data_folder: Path) -> None:
    store = FilePreferences(data_folder)
    store.write({TERMS_FILE: "project heron\n"})
    assert [path.name for path in data_folder.iterdir()] == [TERMS_FILE]
    store.write({"LLM_API_KEY": SECRET, PRICES_FILE: "[]"})
    files = sorted(data_folder.iterdir())
    assert [path.name for path in files] == [PRICES_FILE, TERMS_FILE, "settings.json"]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    store.write({TERMS_FILE: None, PRICES_FILE: None})
    assert sorted(data_folder.iterdir()) == [data_folder / "settings.json"]


def test_a_value_that_cannot_be_used_is_refused_and_not_kept(data_folder: Path) -> None:
    with Services(load_settings()) as services, pytest.raises(ConfigurationError, match="MAX_MODEL_CALLS"):
        services.configuration.keep({"MAX_MODEL_CALLS": SECRET})
    assert FilePreferences(data_folder).read() == {}


def test_the_message_of_a_bad_value_does_not_hold_it(data_folder: Path) -> None:
    FilePreferences(data_folder).write({"LLM_CALL_SECONDS": SECRET})
    with pytest.raises(ConfigurationError) as caught:
        load_settings()
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("content", ["{", "[1]", '"text"', "\x00"])
def test_a_damaged_file_names_itself_and_the_remedy(data_folder: Path, content: str) -> None:
    data_folder.mkdir()
    (data_folder / "settings.json").write_text(content)
    with pytest.raises(ConfigurationError, match=r"settings\.json"):
        load_settings()


def test_the_folder_itself_cannot_be_moved_from_within(data_folder: Path, tmp_path: Path) -> None:
    data_folder.mkdir()
    (data_folder / "settings.json").write_text(json.dumps({"GRAPHTALK_DATA": str(tmp_path), "DATABASE_URL": "x"}))
    settings = load_settings()
    assert (settings.data, settings.database_url) == (data_folder, "")


def test_the_engine_changes_without_a_restart_also_when_another_process_changed_it(data_folder: Path) -> None:
    with Services(load_settings()) as services:
        assert services.llm.engine == "built-in"
        services.configuration.keep({"LLM_BASE_URL": "http://127.0.0.1:9/v1", "LLM_MODEL": "small"})
        assert services.llm.engine == "small"
        FilePreferences(data_folder).write({"LLM_MODEL": "large"})
        services.configuration.refresh()
        assert services.llm.engine == "large"
        services.configuration.keep({"LLM_BASE_URL": None, "LLM_MODEL": None})
        assert services.llm.engine == "built-in"
