"""Two people in real browsers sign in at a loopback OpenID provider, keep things apart, share one and sign out."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import SLOW
from tests.browser.conftest import ROOT, _wait_for
from tests.loopback.openid_provider import CLIENT_ID, CLIENT_SECRET, OpenIdProvider, openid_provider

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
ADA = {"sub": "1", "name": "Ada", "email": "ada@example.org", "email_verified": True, "groups": ["maths"]}
BOB = {"sub": "2", "name": "Bob", "email": "bob@example.org", "email_verified": True}
NOTES, TEXT = "notes.md", b"# Notes\n\nThe station was founded by Ada Lovelace in London in 1987."


@pytest.fixture
def provider() -> Iterator[OpenIdProvider]:
    with openid_provider() as opened:
        yield opened


@pytest.fixture
def shared_url(provider: OpenIdProvider, tmp_path: Path) -> Iterator[str]:
    with shared_app(provider, tmp_path) as url:
        yield url


@contextmanager
def shared_app(provider: OpenIdProvider, tmp_path: Path) -> Iterator[str]:
    """The address of the app with sign-in configured, run from a folder of its own that holds the secrets."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    home = tmp_path / "home"
    shutil.copytree(ROOT / ".streamlit", home / ".streamlit")
    (home / ".streamlit" / "secrets.toml").write_text(
        f"""
[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "{"c" * 40}"
client_id = "{CLIENT_ID}"
client_secret = "{CLIENT_SECRET}"
server_metadata_url = "{provider.metadata_url}"
""",
        encoding="utf-8",
    )
    environment = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
    environment |= {"GRAPHTALK_DATA": str(tmp_path / "data"), "PYTHONPATH": str(ROOT), "ADMINS": "bob@example.org"}
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    with (tmp_path / "app.log").open("wb") as log:
        app = subprocess.Popen(command, cwd=home, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            _wait_for(f"http://127.0.0.1:{port}/_stcore/health", app)
            yield f"http://localhost:{port}"
        finally:
            app.terminate()
            app.wait(90)
            print((tmp_path / "app.log").read_text("utf-8", "replace")[-6_000:])


def signed_in(context: BrowserContext, url: str, provider: OpenIdProvider, claims: dict[str, object]) -> Page:
    provider.person = claims
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.goto(url)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    shot(page, "sign-in")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text(f"Signed in as {claims['name']}")).to_be_visible()
    return page


def share(page: Page, email: str) -> None:
    """The base that is shown, with a reader."""
    page.get_by_role("button", name="Knowledge base").click()
    page.get_by_text("Share", exact=True).click()
    page.get_by_label("E-mail address of a person").fill(email)
    shot(page, "share")
    page.get_by_role("dialog").get_by_role("button", name="Share").click()
    expect(page.get_by_role("dialog").get_by_text("Bob")).to_be_visible()
    shot(page, "shared")


def shot(page: Page, name: str) -> None:
    if shots := os.environ.get("GRAPHTALK_SHOTS"):
        page.screenshot(path=Path(shots) / f"people-{name}.png")


def test_people_sign_in_keep_apart_what_they_have_share_it_and_sign_out(
    browser: Browser, shared_url: str, provider: OpenIdProvider
) -> None:
    ada, bob = browser.new_context(locale="en-GB"), browser.new_context(locale="en-GB")
    hers = signed_in(ada, shared_url, provider, ADA)
    his = signed_in(bob, shared_url, provider, BOB)
    for page in (hers, his):
        page.goto(f"{shared_url}/documents")
    hers.locator("input[type=file]").set_input_files({"name": NOTES, "mimeType": "text/markdown", "buffer": TEXT})
    expect(hers.get_by_text("Ready", exact=True)).to_be_visible()  # which draws the page anew
    shot(hers, "documents")
    his.reload()
    expect(his.get_by_text("Signed in as Bob")).to_be_visible()
    expect(his.get_by_role("button", name=re.compile("sample", re.IGNORECASE)).first).to_be_visible()
    share(hers, "bob@example.org")
    his.reload()
    expect(his.get_by_text(NOTES).first).to_be_visible()
    expect(his.get_by_text("You may read this knowledge base, not change it.")).to_be_visible()
    assert his.locator("input[type=file]").count() == 0
    shot(his, "reader")
    his.goto(f"{shared_url}/settings")
    his.get_by_role("tab", name="People").click()
    expect(his.get_by_text(re.compile("ada@\u2060?example.org"))).to_be_visible()
    expect(his.get_by_text("shared it with a reader").first).to_be_visible()
    expect(his.get_by_text("opened a knowledge base of somebody else").first).to_be_visible()
    shot(his, "settings")
    with his.expect_download() as download:
        his.get_by_role("button", name="Download the log").click()
    assert "base.shared.reader" in download.value.path().read_text("utf-8")
    hers.goto(f"{shared_url}/settings")
    expect(hers.get_by_role("tab", name="API")).to_be_visible()
    assert hers.get_by_role("tab").count() == 1
    cookies, left_open = ada.cookies(), ada.new_page()
    left_open.set_default_timeout(SLOW)
    left_open.goto(f"{shared_url}/documents")
    expect(left_open.get_by_text(NOTES).first).to_be_visible()
    hers.get_by_role("button", name="Sign out").click()
    expect(hers.get_by_role("heading", name="Sign in")).to_be_visible()
    left_open.wait_for_timeout(1_100)  # a page may go on for a second
    left_open.get_by_role("link", name="Graph").click()
    expect(left_open.get_by_role("heading", name="Sign in")).to_be_visible()
    assert left_open.get_by_text(NOTES).count() == 0
    thief = browser.new_context(locale="en-GB")
    thief.add_cookies(
        [{"name": c["name"], "value": c["value"], "url": shared_url} for c in cookies]
    )  # a copy of the cookie that was made before she signed out
    copied = thief.new_page()
    copied.set_default_timeout(SLOW)
    copied.goto(shared_url)
    expect(copied.get_by_role("heading", name="Sign in")).to_be_visible()
    assert thief.request.get(f"{shared_url}/files/form/x?token=x").status == 401
    assert bob.request.get(f"{shared_url}/files/form/x?token=x").status == 404
    for context in (ada, bob, thief):
        context.close()
