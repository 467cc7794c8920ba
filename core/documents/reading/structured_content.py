"""Converts structured_content of MinerU 4.x to content list entries, as MinerU's own renderer does. Pure functions."""

from collections.abc import Iterator, Mapping
from typing import Any

from core.platform.errors import InputError

_HEADINGS = frozenset({"doc_title", "paragraph_title"})
_BODIES = {"table": "table_body", "image": "content", "chart": "content", "code": "code_body"}


def entries_of(document: object, name: str) -> list[dict[str, Any]]:
    """Raises InputError when it is no structured_content."""
    pages = document.get("pages") if isinstance(document, dict) else None
    if not isinstance(pages, list):
        raise InputError("mineru.result.no_list", name=name)
    return [entry for page in pages if isinstance(page, dict) for entry in _page_entries(page)]


def _page_entries(page: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    blocks = page.get("blocks")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict):
            entry = _entry(block) | {"page_idx": page.get("page_idx")}
            if box := _thousandths(block.get("bbox")):
                entry["bbox"] = box
            yield entry


def _entry(block: Mapping[str, Any]) -> dict[str, Any]:
    kind, content = block.get("type"), block.get("content")
    if kind in _HEADINGS:
        return {"type": "text", "text": content, "text_level": block.get("level") or 1}
    if isinstance(kind, str) and kind in _BODIES:
        return {
            "type": kind,
            _BODIES[kind]: content,
            f"{kind}_caption": _contents(block.get("captions")),
            f"{kind}_footnote": _contents(block.get("footnotes")),
        }
    if kind in ("list", "index"):
        return {"type": kind, "list_items": content.split("\n") if isinstance(content, str) else content}
    return {"type": kind, "text": content}


def _contents(parts: object) -> list[Any]:
    found = parts if isinstance(parts, list) else []
    return [part.get("content") if isinstance(part, dict) else part for part in found]


def _thousandths(box: object) -> list[float]:
    if not isinstance(box, list) or not all(isinstance(side, int | float) for side in box):
        return []
    return [1000 * side for side in box]
