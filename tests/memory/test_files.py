"""Memories out to files and back; what others wrote is read with care."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from core.memory.files import MAX_BYTES, MAX_MEMORIES, as_csv, as_json, read_memories
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.errors import InputError
from tests.fakes.samples import NOW

MEMORY = Memory(
    "m", 'Says "=1+1", always', MemoryKind.PREFERENCE, 8, 1.0, MemoryStatus.ACTIVE, NOW, NOW, "b", pinned=True
)
BASES = {"b": "Tides 潮汐"}
IDS = {"Tides 潮汐": "b"}


@pytest.mark.parametrize("write", [as_json, as_csv])
def test_what_was_written_is_read_again(write: Callable[..., str]) -> None:
    kept = [replace(MEMORY, expires_at=NOW + timedelta(days=3)), replace(MEMORY, text="另一条", base_id="")]
    found = read_memories(write(kept, BASES).encode(), IDS, NOW)
    for one, other in zip(found, kept, strict=True):
        fields = ("text", "kind", "importance", "status", "created_at", "expires_at", "base_id", "pinned")
        assert [getattr(one, name) for name in fields] == [getattr(other, name) for name in fields]


def test_a_spreadsheet_calculates_nothing_of_it() -> None:
    written = as_csv([replace(MEMORY, text='=HYPERLINK("http://evil.example")')], BASES)
    assert "\n\"'=HYPERLINK" in written.replace("\r", "")
    assert read_memories(written.encode(), IDS, NOW)[0].text == '=HYPERLINK("http://evil.example")'


def test_an_apostrophe_of_the_memory_stays() -> None:
    (found,) = read_memories(as_csv([replace(MEMORY, text="'90s songs")], BASES).encode(), IDS, NOW)
    assert found.text == "'90s songs"


def test_text_alone_is_enough() -> None:
    (found,) = read_memories(b'[{"text": " I like  tea "}]', {}, NOW)
    assert (found.text, found.kind, found.status) == ("I like tea", MemoryKind.FACT, MemoryStatus.ACTIVE)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b"[1]",
        b'[{"words": "x"}]',
        b'[{"text": ""}]',
        b'[{"text": "x", "kind": "spell"}]',
        b'[{"text": "x", "importance": "many"}]',
        b'[{"text": "x", "created_at": "yesterday"}]',
        b'[{"text": "x", "created_at": "0001-01-01T00:00:00+14:00"}]',
        b"a,b\n1,2\n",
        b'[{"text": null}]',
        b"kind,text\nfact\n",
        b'[{"text": "x", "status": "forgotten"}]',
        b"[" * 100_000,
        json.dumps([{"text": "x" * 601}]).encode(),
        b"x" * (MAX_BYTES + 1),
    ],
)
def test_what_is_no_list_of_memories_is_refused_with_the_remedy(data: bytes) -> None:
    with pytest.raises(InputError):
        read_memories(data, {}, NOW)


def test_a_file_with_too_many_memories_is_refused_as_a_whole() -> None:
    data = json.dumps([{"text": f"memory {number}"} for number in range(MAX_MEMORIES + 1)]).encode()
    with pytest.raises(InputError, match="5,001 memories"):
        read_memories(data, {}, NOW)
