"""An nginx with the file of deploy/ for several apps."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes.installation import ROOT, free_port


@contextmanager
def nginx(folder: Path, ports: tuple[int, int]) -> Iterator[int]:
    """The port of an nginx with the file of deploy/, without TLS and password, that notes whom it sent where."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if not program:
        pytest.skip("SKIPPED: nginx is not installed: nothing shows that sticky sessions work")
    port = free_port()
    site = (ROOT / "deploy" / "nginx.several.conf").read_text("utf-8").replace("listen 443 ssl", f"listen {port}")
    site = (
        re.sub(r" *(ssl_|auth_basic).*\n", "", site).replace(" secure ", " ").replace("docs.example.org", "localhost")
    )
    site = site.replace("127.0.0.1:8501", f"127.0.0.1:{ports[0]}").replace("127.0.0.1:8502", f"127.0.0.1:{ports[1]}")
    notes = f'log_format sent "$upstream_addr $request_uri"; access_log {folder}/sent.log sent;'
    temporary = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.getuid() == 0 else ""  # its workers write what is uploaded into the folder
    whole = folder / "nginx.conf"
    whole.write_text(f"{user} daemon off; pid {folder}/pid; events {{}} http {{ {notes} {temporary} {site} }}", "utf-8")
    server = subprocess.Popen([program, "-c", whole, "-e", folder / "nginx.log"], stderr=subprocess.DEVNULL)
    try:
        yield port
    finally:
        server.terminate()
        server.wait(20)
