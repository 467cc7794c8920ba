"""Blobs: whole, by name, the same on a folder and on an object store that speaks S3's protocol."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.app.storage import blobs_at
from core.platform.blobs.ports import Blobs
from core.platform.errors import ConfigurationError, ServiceError
from tests.loopback.object_store import ObjectStoreServer


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStoreServer]:
    with ObjectStoreServer() as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        yield server


@pytest.fixture(params=["folder", "object store"])
def blobs(request: pytest.FixtureRequest, store: ObjectStoreServer, tmp_path: Path) -> Blobs:
    if request.param == "folder":
        (tmp_path / "shared").mkdir()
        return blobs_at(f"file://{tmp_path}/shared")
    return blobs_at("s3://papers/graphtalk/")


def test_what_was_put_is_there_until_it_is_deleted(blobs: Blobs, tmp_path: Path) -> None:
    assert blobs.get("files/a") is None
    assert not blobs.fetch("files/a", tmp_path / "copy")
    blobs.put("files/a", "潮汐".encode())
    blobs.put("files/a", b"tide")
    assert (blobs.get("files/a"), blobs.has("files/a"), blobs.has("files/b")) == (b"tide", True, False)
    large = tmp_path / "large"
    large.write_bytes(bytes(range(256)) * 40_000)
    blobs.put("files/large", large)
    assert blobs.fetch("files/large", tmp_path / "new" / "copy")
    assert (tmp_path / "new" / "copy").read_bytes() == large.read_bytes()
    blobs.delete("files/a")
    blobs.delete("files/a")
    assert not blobs.has("files/a")


def test_names_are_listed_below_a_prefix_however_many(blobs: Blobs) -> None:
    wanted = [f"work/d1/{number}.json" for number in range(5)]
    for name in [*wanted, "work/d10/other.json", "files/x"]:
        blobs.put(name, b"{}")
    assert blobs.names("work/d1/") == wanted
    assert blobs.names("none/") == []


@pytest.mark.parametrize("name", ["../escape", "/etc/passwd", "a//b", "a/../b", "", ".hidden", "a/.b", "a?versionId=1"])
def test_no_name_leaves_its_place(blobs: Blobs, name: str) -> None:
    with pytest.raises(ValueError, match="name of a blob"):
        blobs.put(name, b"x")


def test_a_folder_that_is_not_mounted_is_not_an_empty_one(tmp_path: Path) -> None:
    blobs = blobs_at(f"file://{tmp_path}/gone")
    with pytest.raises(ServiceError, match="cannot be reached"):
        blobs.get("files/a")


def test_a_store_that_fails_for_a_moment_is_asked_again_and_one_that_refuses_is_named(
    store: ObjectStoreServer,
) -> None:
    blobs = blobs_at("s3://papers/graphtalk")
    store.broken = 1
    blobs.put("files/a", b"x")
    assert store.objects == {"papers/graphtalk/files/a": b"x"}
    store.closed = True
    with pytest.raises(ServiceError, match="AWS_SECRET_ACCESS_KEY") as caught:
        blobs.get("files/a")
    assert "secret" not in str(caught.value).replace("AWS_SECRET_ACCESS_KEY", "")


@pytest.mark.parametrize("url", ["", "s3://", "http://host/bucket", "file:///", "file://host/x", "s3://key:secret@b/p"])
def test_other_urls_are_refused_with_what_is_possible(url: str) -> None:
    with pytest.raises(ConfigurationError, match="s3://bucket/prefix"):
        blobs_at(url)
