"""The command `llm` with a workflow as its model, where it is installed (a venv of its own, named by LLM_COMMAND)."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from core.documents.model import Document
from core.people.api_keys import KeyScope

COMMAND = os.environ.get("LLM_COMMAND", "") or shutil.which("llm")
QUESTION = "What did Google describe in 2018?"
MODELS = """
- model_id: papers
  model_name: adaptive@Papers
  api_base: {server}/v1
  api_key_name: graphtalk
  supports_schema: true
- model_id: missing
  model_name: adaptive@Nowhere
  api_base: {server}/v1
  api_key_name: graphtalk
"""
Llm = Callable[..., "subprocess.CompletedProcess[str]"]
pytestmark = pytest.mark.skipif(not COMMAND, reason="LLM NOT TRIED: the command llm is not installed")


@pytest.fixture
def llm(server: str, secrets: dict[KeyScope, str], document: Document, tmp_path: Path) -> Llm:
    (tmp_path / "extra-openai-models.yaml").write_text(MODELS.format(server=server), encoding="utf-8")
    (tmp_path / "keys.json").write_text(json.dumps({"graphtalk": secrets[KeyScope.READ]}), encoding="utf-8")
    environment = {**os.environ, "LLM_USER_PATH": str(tmp_path)}

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [str(COMMAND), *arguments]
        return subprocess.run(
            command, input="", capture_output=True, text=True, timeout=120, check=False, env=environment
        )

    return run


@pytest.mark.timeout(300)
def test_llm_asks_streams_goes_on_and_pipes_a_file_along(llm: Llm) -> None:
    streamed, whole = llm("-m", "papers", QUESTION), llm("-m", "papers", "--no-stream", QUESTION)
    assert streamed.returncode == whole.returncode == 0, streamed.stderr + whole.stderr
    assert streamed.stdout == whole.stdout
    assert "BERT" in whole.stdout
    assert "models.pdf" in whole.stdout
    again = llm("-c", "--no-stream", "And where did Ada Lovelace work?")
    assert "London" in again.stdout, again.stderr
    template = llm("-m", "papers", "-s", "Be brief.", "-u", QUESTION)
    assert "Token usage" in template.stderr


@pytest.mark.timeout(300)
def test_llm_shows_what_is_refused_in_words(llm: Llm) -> None:
    schema = llm("-m", "papers", "--schema", "name, year int", QUESTION)
    assert schema.returncode != 0
    assert "needs a model" in schema.stderr
    missing = llm("-m", "missing", QUESTION)
    assert missing.returncode != 0
    assert "adaptive@Nowhere" in missing.stderr
