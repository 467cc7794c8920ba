"""Chinese names in Latin letters, as other languages write them."""

import unicodedata
from functools import cache, lru_cache
from itertools import product
from typing import Any

from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.terms import normal_form

LONGEST = 12
"""Characters of a name that is read."""
MOST_READINGS = 16
"""Limit of the ways one name is read."""
_MOST_OF_ONE = 4
_SECOND_FAMILY_SIGN = 3
"""Characters of the shortest name whose first two may be the family name."""


def readings(name: str) -> tuple[tuple[str, ...], ...]:
    """The syllables of a name in Chinese characters, given name last and given name first; empty for other names."""
    plain = normal_form(name).replace("·", "").replace(" ", "")
    if not 2 <= len(plain) <= LONGEST or not all(map(HAN_CHARACTER.match, plain)):
        return ()
    found: dict[tuple[str, ...], None] = {}
    for syllables in product(*(_of_one(sign) for sign in plain)):
        found[syllables] = None
        if len(found) == MOST_READINGS:
            break
    families = (1, 2) if len(plain) >= _SECOND_FAMILY_SIGN else (1,)
    turned = [(*each[of:], *each[:of]) for each in found for of in families]
    return tuple(dict.fromkeys([*found, *turned]))


def latin_letters(name: str) -> str:
    """What is compared with syllables: "Lin Yu-qing" and "LÍN YÚQÍNG" are linyuqing. Empty for other scripts."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    kept = "".join(sign for sign in bare.casefold() if sign.isalnum())
    return kept if kept.isascii() and kept.isalpha() else ""


@lru_cache(maxsize=20_000)
def _of_one(sign: str) -> tuple[str, ...]:
    """The most usual reading first. Passports write YU or U for ü, keyboards V."""
    read = [each for each in _reader().get_pinyins(sign, n=_MOST_OF_ONE) if each.isascii() and each.isalpha()]
    written = [each.replace("v", letter) for each in read for letter in (("u", "yu", "v") if "v" in each else ("",))]
    return tuple(dict.fromkeys(written))


@cache
def _reader() -> Any:
    from xpinyin import Pinyin

    return Pinyin()
