"""The one catalogue of texts that people read, in English, 简体中文 and 繁體中文.

One TOML file an area, one table a text, `en` and `zh-hans` side by side; traditional Chinese is derived by OpenCC
(Taiwan standard with phrases) unless `zh-hant` is given. Placeholders are `{name}`.
"""

import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "zh-hans", "zh-hant")
FOLDER = Path(__file__).parent
_QUOTES = str.maketrans("“”‘’", "「」『』")
"""Traditional Chinese has its own marks."""


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Every text by its dotted key; a key that two files define is an error."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        with path.open("rb") as file:
            for key, languages in _flatten("", tomllib.load(file)):
                if key in found:
                    raise ValueError(f"{path.name} defines {key} a second time")
                found[key] = languages
    return found


def text(key: str, language: str = "en", /, **params: object) -> str:
    """The text of key in language (English where it has none), placeholders filled; unknown keys raise KeyError."""
    languages = catalogue()[key]
    template = languages.get(language) or _derived(key, language) or languages["en"]
    return template.format(**params) if params else template


def known(key: str) -> bool:
    return key in catalogue()


@cache
def _derived(key: str, language: str) -> str:
    simplified = catalogue()[key].get("zh-hans", "")
    return _to_traditional().convert(simplified).translate(_QUOTES) if language == "zh-hant" else ""


@cache
def _to_traditional():  # type: ignore[no-untyped-def]  # opencc ships no types
    from opencc import OpenCC

    return OpenCC("s2twp")


def _flatten(prefix: str, table: dict[str, object]) -> list[tuple[str, dict[str, str]]]:
    if "en" in table:
        return [(prefix, {language: str(words) for language, words in table.items()})]
    rows: list[tuple[str, dict[str, str]]] = []
    for name, child in table.items():
        if isinstance(child, dict):
            rows += _flatten(f"{prefix}.{name}" if prefix else name, child)
    return rows
