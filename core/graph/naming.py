"""Decides whether two surface forms are the same name, ignoring case, width, plural, possessive and hyphens; and reads
the entity classes of a knowledge base, as users write them.
"""

import re
import unicodedata
from collections.abc import Sequence

from core.graph.model import ENTITY_TYPES
from core.platform.errors import InputError
from core.platform.ids import content_id
from core.platform.language.terms import normal_form
from core.rulebook.vocabulary import singular, words

MAX_NAME = 200
"""Characters of a name; longer ones are truncated."""
FOREIGN_DOT = "·"
"""Separator of the parts of a foreign name in Chinese."""
_POSSESSIVES = ("'s", "’s", "'", "’")
_HYPHENS = str.maketrans("-‐‑–_", "     ")
_CONTROLS = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
MOST_CLASSES = 20
LONGEST_CLASS = 40
"""Characters of a class."""
_BETWEEN = re.compile(r"[\n,，、;；]+")
_CLASS = re.compile(r"[^\W_](?:[\w \-]*[^\W_])?")


def one_line(name: str) -> str:
    """The name on one line, without invisible characters."""
    return " ".join(unicodedata.normalize("NFC", _visible(name)).split())


def display_form(surface: str) -> str:
    """The surface form on one line, without invisible characters and possessive ending, at most MAX_NAME characters."""
    name = one_line(surface)
    for ending in _POSSESSIVES:
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return name[: -len(ending)].rstrip()[:MAX_NAME]
    return name[:MAX_NAME].rstrip()


def _visible(surface: str) -> str:
    if surface.isprintable():
        return surface
    return "".join(
        " " if c.isspace() else c for c in surface if c.isspace() or unicodedata.category(c) not in _CONTROLS
    )


def folded(name: str) -> str:
    """The key under which names are equal; empty only for an empty name."""
    plain = unicodedata.normalize("NFKC", name)
    parts = plain.lower().translate(_HYPHENS).split()
    if len(parts) > 1 and parts[0] in ("the", "a", "an"):
        parts = parts[1:]
    if parts and parts[-1].isascii():
        parts[-1] = _singular(parts[-1], plain.split()[-1])
    return " ".join(parts)


def letters(name: str) -> str:
    """Letters and digits only. A sign that is part of a name, as in C++, distinguishes it from C."""
    kept = "".join(sign for sign in name.casefold() if sign.isalnum())
    return kept + "".join(sign for sign in name if sign in "+#")


def without_legal_form(name: str) -> str:
    """The letters of the name before its legal form."""
    forms = words("legal_forms")
    parts = normal_form(name).casefold().replace(".", "").replace(",", " ").replace("&", " ").split()
    while len(parts) > 1 and parts[-1] in forms:
        parts.pop()
    joined = " ".join(parts)
    ending = max((form for form in forms if not form.isascii() and joined.endswith(form)), key=len, default="")
    return letters(joined[: len(joined) - len(ending)]) if len(ending) < len(joined) else letters(joined)


def _singular(word: str, written: str) -> str:
    """VMs becomes VM, but AIDS is not a plural."""
    if written[:-1].isupper() and len(written) > 2:
        return word[:-1] if written[-1] == "s" else word
    return singular(word)


def entity_id(base_id: str, name: str, type: str) -> str:
    """24 hexadecimal digits, equal wherever the folded name and type are equal in the base."""
    return content_id(base_id, folded(name), type)


def exact_entity_id(base_id: str, name: str, type: str) -> str:
    """As entity_id(), equal only where the lowercase name and the type are equal."""
    return content_id(base_id, "exact", name.lower(), type)


def mention_id(document_id: str, chunk_id: str, start: int, end: int, entity_id: str) -> str:
    return content_id(document_id, chunk_id, str(start), str(end), entity_id)


def entity_classes(text: str) -> tuple[str, ...]:
    """One a line or between commas, in the order written, capitals as entity types have them; the standard ones are
    stored as none. Raises InputError that names the class that cannot be used."""
    names = [" ".join(name.split()).upper().replace(" ", "_") for name in _BETWEEN.split(text)]
    wanted = tuple(dict.fromkeys(name for name in names if name))
    for name in wanted:
        if len(name) > LONGEST_CLASS or not _CLASS.fullmatch(name):
            raise InputError("kg.class_unusable", name=name[:LONGEST_CLASS], longest=LONGEST_CLASS)
    if len(wanted) > MOST_CLASSES:
        raise InputError("kg.classes_many", count=len(wanted), most=MOST_CLASSES)
    return () if wanted == ENTITY_TYPES else wanted


def classes_text(classes: Sequence[str]) -> str:
    """One per line, for editing; the standard ones if the base has none of its own."""
    return "\n".join(classes or ENTITY_TYPES)
