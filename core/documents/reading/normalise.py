"""Normalises text for display and search: one Unicode form, no invisible characters, no hyphenation. Pure functions."""

import re
import unicodedata

from core.platform.language.scripts import HAN

_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_RADICALS = {
    code: folded
    for block in (range(0x2E80, 0x2EF4), range(0x2F00, 0x2FD6), range(0xF900, 0xFB00), range(0x2F800, 0x2FA20))
    for code in block
    if (folded := unicodedata.normalize("NFKC", chr(code))) != chr(code)
}
"""CJK radicals and compatibility ideographs that PDF fonts use in place of the real characters."""
_SPACES = dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F), " ")
_BREAKS = dict.fromkeys((0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029), "\n")
_BULLETS = dict.fromkeys((0xF0A7, 0xF0B7, 0xF0D8, 0xF0FC), "•")
"""Private codes that word processors use for list marks in symbol fonts."""
_TABLE = {**_LIGATURES, **_RADICALS, **_SPACES, **_BREAKS, **_BULLETS}
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\uffff\ud800-\udfff\ue000-\uf8ff]"
)
"""Controls, direction overrides, lone surrogates and private-use characters; joiners that scripts need are kept."""
_LINE_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010]\n[ \t]*(?=[a-z\u00df-\u00ff])")
_ACCENTS = {"\u00a8": "\u0308", "\u00b4": "\u0301", "\u02c6": "\u0302", "\u02dc": "\u0303"}
_SPLIT_ACCENT = re.compile(r"(?<=[A-Za-z])([\u00a8\u00b4\u02c6\u02dc])([aeiounAEIOUN\u0131])")
_AROUND_FULL_WIDTH = re.compile(r" (?=[，。、；：！？）】》」』])|(?<=[，。、；：！？（【《「『）】》」』]) ")
_BLANKS = re.compile(r"[ \t]+")
_EMPTY_LINES = re.compile(r"\n{3,}")
_HAN = re.compile(rf"[\u2e80-\u2fdf\u3000-\u303f\uff00-\uffef{HAN}]")


def display_text(raw: str) -> str:
    """NFC; ligatures and CJK radicals folded, words hyphenated at line ends joined, invisible characters removed."""
    text = raw.replace("\r\n", "\n").translate(_TABLE)
    text = _INVISIBLE.sub("", text)
    text = _LINE_HYPHEN.sub("", text)
    text = _SPLIT_ACCENT.sub(_joined_accent, text)
    text = unicodedata.normalize("NFC", text)
    lines = (_AROUND_FULL_WIDTH.sub("", _BLANKS.sub(" ", line).strip()) for line in text.split("\n"))
    return _EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip()


def code_text(raw: str) -> str:
    """As display_text, keeping indentation and line ends."""
    text = _INVISIBLE.sub("", raw.replace("\r\n", "\n").translate(_LIGATURES | _SPACES))
    return unicodedata.normalize("NFC", text).expandtabs(4).strip("\n").rstrip()


def one_line(raw: str) -> str:
    """display_text with line breaks as spaces, or as nothing between Chinese characters."""
    joined = ""
    for line in display_text(raw).split("\n"):
        joined = join_lines(joined, line) if line else joined
    return joined


def join_lines(left: str, right: str) -> str:
    """Joins two lines of a paragraph."""
    if not left or not right:
        return left + right
    return left + ("" if is_han(left[-1]) and is_han(right[0]) else " ") + right


def is_han(character: str) -> bool:
    """A Han character or full-width punctuation: written without spaces around it."""
    return bool(_HAN.match(character))


def weight(text: str) -> int:
    """Length in Latin letters; a Han character counts as two."""
    return len(text) + len(_HAN.findall(text))


def _joined_accent(match: re.Match[str]) -> str:
    """Joins the accent that TeX fonts write as a separate character before the letter: na¨ıve."""
    letter = "i" if match[2] == "\u0131" else match[2]
    return unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
