"""Requests that schemathesis makes up from the OpenAPI document, where it is installed (`uv tool install`).

A few an operation, always the same; `SCHEMATHESIS_EXAMPLES=75` makes about 5,000, `SCHEMATHESIS_SEED=2` others.
"""

import json
import os
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from fastapi import FastAPI

from core.interfaces.http.streams import document_states
from core.interfaces.http.v1 import streaming
from core.people.api_keys import KeyScope

COMMAND = os.environ.get("SCHEMATHESIS", "") or shutil.which("schemathesis")
NOT_CHECKED = "positive_data_acceptance"
"""A schema cannot say which base is meant where there are several, nor what a file holds."""
NOT_REFUSED = """[[operations]]
include-name = [
    "POST /api/v1/bases/{base_id}/documents",
    "POST /api/v1/bases/{base_id}/graph/files",
    "POST /api/v1/bases/{base_id}/graph/files/edits",
    "POST /api/v1/question-lists",
]
checks.negative_data_rejection.enabled = false
"""
"""A form has no types: what should be wrong as the content of its file, `false`, is a file like any other."""
EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "2"))
SECONDS = 500 + 40 * EXAMPLES


@pytest.mark.slow
@pytest.mark.skipif(not COMMAND, reason="GENERATED REQUESTS NOT TRIED: schemathesis is not installed")
@pytest.mark.timeout(SECONDS + 100)
def test_no_generated_request_fails_or_is_answered_otherwise_than_documented(
    app: FastAPI, server: str, secrets: dict[KeyScope, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # nothing reads documents here, so the stream of one that was uploaded would last for an hour
    monkeypatch.setattr(streaming, "document_states", partial(document_states, seconds=1))
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(app.openapi()), encoding="utf-8")
    (tmp_path / "schemathesis.toml").write_text(NOT_REFUSED, encoding="utf-8")
    options = ["--phases", "fuzzing", "--max-examples", str(EXAMPLES)]
    options += ["--seed", os.environ.get("SCHEMATHESIS_SEED", "1")]
    options += ["--exclude-checks", NOT_CHECKED, "--request-timeout", "60", "--suppress-health-check", "all"]
    key = ["-H", f"Authorization: Bearer {secrets[KeyScope.ADMIN]}"]
    command = [str(COMMAND), "run", str(document), "--url", server, *key, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-6_000:]
