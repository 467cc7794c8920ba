"""Requests that schemathesis makes up from the OpenAPI document, where it is installed (`uv tool install`)."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from fastapi import FastAPI

from core.people.api_keys import KeyScope

COMMAND = os.environ.get("SCHEMATHESIS", "") or shutil.which("schemathesis")
NOT_CHECKED = "positive_data_acceptance"
"""A schema cannot say which base is meant where there are several, nor what a file holds."""


@pytest.mark.skipif(not COMMAND, reason="GENERATED REQUESTS NOT TRIED: schemathesis is not installed")
@pytest.mark.timeout(600)
def test_no_generated_request_fails_or_is_answered_otherwise_than_documented(
    app: FastAPI, server: str, secrets: dict[KeyScope, str], tmp_path: Path
) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(app.openapi()), encoding="utf-8")
    options = ["--phases", "fuzzing", "--max-examples", os.environ.get("SCHEMATHESIS_EXAMPLES", "2")]
    options += ["--exclude-checks", NOT_CHECKED, "--request-timeout", "60", "--suppress-health-check", "all"]
    key = ["-H", f"Authorization: Bearer {secrets[KeyScope.ADMIN]}"]
    command = [str(COMMAND), "run", str(document), "--url", server, *key, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=580, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-6_000:]
