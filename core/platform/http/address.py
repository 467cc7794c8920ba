"""Which addresses a service may have: this machine and private networks too, for models that run there.

Refused are link-local addresses, where machines in a cloud hand out their credentials, and addresses with parts that
do not belong to one: a key in them would end in logs.
"""

from ipaddress import IPv6Address, ip_address
from urllib.parse import urlsplit

from core.platform.errors import ConfigurationError

_METADATA = frozenset({"metadata.google.internal", "metadata.goog", "100.100.100.200", "fd00:ec2::254"})
"""Metadata services with addresses that are not link-local."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def check_address(url: str) -> None:
    """Raises ConfigurationError for a refused address; an invalid one is left to its user."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    host = parts.hostname or ""
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment or "?" in url:
        raise ConfigurationError("settings.address_parts", host=host)
    if is_metadata(host):
        raise ConfigurationError("settings.address_link_local", host=host)


def is_metadata(host: str) -> bool:
    """Whether the host is a metadata service, as it is written; what a name resolves to is checked when connecting."""
    name = host.lower().rstrip(".")
    if name in _METADATA:
        return True
    try:
        address = ip_address(name.split("%")[0])
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_link_local or str(mapped or address) in _METADATA
