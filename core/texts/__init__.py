"""The one catalogue of texts that people read, in English, 简体中文 and 繁體中文.

One TOML file an area, one table a text, `en` and `zh-hans` side by side; traditional Chinese is derived by OpenCC
(Taiwan standard with phrases) unless `zh-hant` is given. Placeholders are `{name}`.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

LANGUAGES = ("en", "zh-hans", "zh-hant")
FOLDER = Path(__file__).parent
_QUOTES = str.maketrans("“”‘’", "「」『』")
"""Traditional Chinese has its own marks."""
_AREA = re.compile(r"^\[(\w+)\.", re.MULTILINE)


Texts = dict[str, dict[str, str]]
"""By dotted key, each by language."""


@cache
def catalogue() -> Texts:
    """Every text; a key that two files define is an error."""
    return {key: languages for area in _files() for key, languages in _area(area).items()}


@cache
def _area(name: str) -> Texts:
    """The texts whose keys begin so; a process that answers one question needs a fifth of all."""
    found: Texts = {}
    for path in _files().get(name, ()):
        for key, languages in _parsed(path):
            if not key.startswith(f"{name}."):
                continue
            if key in found:
                raise ValueError(f"{path.name} defines {key} a second time")
            found[key] = languages
    return found


@cache
def _files() -> dict[str, list[Path]]:
    """By the areas that they define texts of."""
    found: dict[str, list[Path]] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        for area in dict.fromkeys(_AREA.findall(path.read_text(encoding="utf-8"))):
            found.setdefault(area, []).append(path)
    return found


@cache
def _parsed(path: Path) -> list[tuple[str, dict[str, str]]]:
    return _flatten("", tomllib.loads(path.read_text(encoding="utf-8")))


def text(key: str, language: str = "en", /, **params: object) -> str:
    """The text of key in language (English where it has none), placeholders filled; unknown keys raise KeyError."""
    languages = _of(key)[key]
    template = languages.get(language) or _derived(key, language) or languages["en"]
    return template.format(**params) if params else template


def known(key: str) -> bool:
    return key in _of(key)


def _of(key: str) -> Texts:
    return _area(key.partition(".")[0])


@cache
def _derived(key: str, language: str) -> str:
    simplified = _of(key)[key].get("zh-hans", "")
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
