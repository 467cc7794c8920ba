"""Which addresses of services are refused, and that nothing is asked there by whatever name."""

import socket

import httpx2
import pytest

from core.app.models import endpoint_of
from core.platform.errors import ConfigurationError
from core.platform.http import guarded_client
from core.platform.http.address import check_address
from core.platform.http.guarded_client import open_client
from core.platform.settings.settings import load_settings

METADATA = [
    "http://169.254.169.254/v1",
    "http://169.254.1.1:8000",
    "https://[fe80::1]/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://metadata.google.internal/v1",
    "http://METADATA.google.internal./v1",
    "http://[fd00:ec2::254]/v1",
    "http://100.100.100.200/v1",
]
PARTS = [
    "https://h/v1?key=sk-secret",
    "https://user:sk-secret@h/v1",
    "https://h/v1#sk-secret",
    "https://@h/v1",
    "https://h/v1?",
]


@pytest.mark.parametrize("address", [*METADATA, *PARTS])
def test_a_service_has_no_such_address(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_client(address)
    assert "sk-secret" not in str(caught.value)
    monkeypatch.setenv("LLM_BASE_URL", address)
    monkeypatch.setenv("LLM_MODEL", "m")
    with pytest.raises(ConfigurationError, match=r"address"):
        endpoint_of(load_settings())


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8000",
        "http://10.0.0.7/v1",
        "http://192.168.1.2",
        "http://[::1]/v1",
    ],
)
def test_this_machine_and_private_networks_are_allowed(address: str) -> None:
    check_address(address)


def test_a_name_that_leads_to_a_metadata_address_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the address that was connected to, whatever it was called; here loopback stands for it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://localhost:{server.getsockname()[1]}"
        client = open_client(address)
        monkeypatch.setattr(guarded_client, "is_metadata", lambda peer: peer == "127.0.0.1")
        with pytest.raises(httpx2.ConnectError, match="link-local"):
            client.get(address, timeout=5)
        client.close()
