"""The entity classes of a knowledge base, as users write them."""

import re
from collections.abc import Sequence

from core.graph.model import ENTITY_TYPES
from core.platform.errors import InputError

MOST = 20
LONGEST = 40
"""Characters per name."""
_BETWEEN = re.compile(r"[\n,，、;；]+")
_NAME = re.compile(r"[^\W_](?:[\w \-]*[^\W_])?")


def entity_classes(text: str) -> tuple[str, ...]:
    """One a line or between commas, in the order written, capitals as entity types have them; the standard ones are
    stored as none. Raises InputError that names the class that cannot be used."""
    names = [" ".join(name.split()).upper().replace(" ", "_") for name in _BETWEEN.split(text)]
    wanted = tuple(dict.fromkeys(name for name in names if name))
    for name in wanted:
        if len(name) > LONGEST or not _NAME.fullmatch(name):
            raise InputError("kg.class_unusable", name=name[:LONGEST], longest=LONGEST)
    if len(wanted) > MOST:
        raise InputError("kg.classes_many", count=len(wanted), most=MOST)
    return () if wanted == ENTITY_TYPES else wanted


def classes_text(classes: Sequence[str]) -> str:
    """One per line, for editing; the standard ones if the base has none of its own."""
    return "\n".join(classes or ENTITY_TYPES)
