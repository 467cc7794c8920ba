"""The knowledge base that an address names, by id or name."""

from typing import Annotated

from fastapi import Depends, Path

from core.interfaces.http.access import Opened
from core.interfaces.http.asking import base_named


def _named(services: Opened, base_id: Annotated[str, Path(max_length=200, description="id or name")]) -> str:
    """Its id. Raises Refusal."""
    return base_named(services, base_id).id


BaseId = Annotated[str, Depends(_named)]
