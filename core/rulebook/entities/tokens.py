"""English text as tokens with the facts that the rules ask for: shape, sentence start, what stands between."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.documents.model import CELL_BREAK

_WORD = r"[^\W\d_]\w*(?:(?:[-‐‑–]|['’](?!s\b))\w+)*"
_TOKEN = re.compile(
    r"(?P<word>(?:[A-Z]\.){2,}|(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Mt|Ft|Gen|Col|Lt|Sgt|Capt|Rev|Gov|Sen|Inc|Ltd|Corp|Co|Bros|Univ"
    r"|Dept|al)\.|(?<!°)(?<!° )[A-Z]\.(?=\s?-?[A-Z])|[A-Z]{2,}/[A-Z]{2,}|[Cc]\+\+|[CF]#|"
    + _WORD
    + r"(?:\.(?:js|io|ai|com|org|net|py|NET)\b)?)"
    r"|(?P<number>\d[\w.,:%–-]*\w|\d)"
    r"|(?P<break>\n[ \t]*\n\s*|\n)"
    r"|(?P<mark>[^\w\s]|_)"
)
_SENTENCE_END = frozenset(".!?•·*■▪")
_STARTING = _SENTENCE_END | frozenset("“")
_TRANSPARENT = frozenset("\"'“”‘’([{«")


@dataclass(slots=True)
class Token:
    start: int
    end: int
    text: str
    lower: str
    shape: str
    """lower, cap (first letter only), upper (two letters up), initial (J.), mixed (iPhone), code (N_CHILDREN), number,
    mark or break."""
    starts_sentence: bool = False
    joined: bool = False
    """Whether only blanks or a soft line break separate it from the token before."""
    silent: bool = False
    """Whether its capitals are no evidence, as part of a heading in title case or capitals."""

    @property
    def is_word(self) -> bool:
        return self.shape in WORD_SHAPES

    @property
    def is_capital(self) -> bool:
        return self.shape in CAPITAL_SHAPES


CAPITAL_SHAPES = frozenset({"cap", "upper", "mixed", "initial"})
WORD_SHAPES = CAPITAL_SHAPES | {"lower"}


def tokenise(text: str, masked: Sequence[tuple[int, int]] = ()) -> list[Token]:
    """Tokens in order, soft line breaks left out; nothing inside the masked (start, end) stretches."""
    tokens: list[Token] = []
    starts, joined, line_start = True, False, 0
    skip = iter([*masked, (len(text), len(text))])
    mask = next(skip)
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        while start >= mask[1] and mask[1] < len(text):
            mask = next(skip)
        if mask[0] <= start < mask[1]:
            starts, joined = False, False
            continue
        kind, value = match.lastgroup, match.group()
        if kind == "break":
            if _is_hard_break(text, line_start, start, value):
                tokens.append(Token(start, end, "\n", "\n", "break"))
                starts, joined = True, False
            line_start = end
            continue
        token = Token(start, end, value, value.lower(), _shape(kind, value), starts, joined)
        tokens.append(token)
        joined = token.shape not in ("mark", "code") or value == "&"
        starts = _starts_next(token, starts)
    _silence_headings(tokens)
    return tokens


def _starts_next(token: Token, starts: bool) -> bool:
    if token.shape == "mark":
        return token.text in _STARTING or (starts and token.text in _TRANSPARENT)
    return False


def _is_hard_break(text: str, line_start: int, end: int, value: str) -> bool:
    """A paragraph's end: a blank line, a short line, a table's row or a sentence's end; else the line was wrapped."""
    line = text[line_start:end].rstrip()
    ended = line.endswith((".", "!", "?", ":", ";", "|")) or CELL_BREAK in line
    return ended or value.count("\n") > 1 or len(line) < 40


def _shape(kind: str | None, value: str) -> str:
    if kind != "word":
        return "number" if kind == "number" else "mark"
    if "_" in value:
        return "code"
    capitals = sum(map(str.isupper, value))
    if not capitals:
        return "lower"
    if len(value) == 2 and value[1] == ".":
        return "initial"
    if capitals == 1 and value[0].isupper():
        return "cap"
    if value.removesuffix("s").isupper():
        return "upper"
    return "cap" if _is_compound(value) else "mixed"


def _is_compound(value: str) -> bool:
    """Capitals only at the starts of hyphenated or apostrophised parts: Max-Planck, O'Brien, McCarthy, MacLeod."""
    parts = re.split(r"[-‐‑–'’]", value.removeprefix("Mc").removeprefix("Mac"))
    return parts[0][:1].isupper() and not any(any(map(str.isupper, part[1:])) for part in parts)


def _silence_headings(tokens: list[Token]) -> None:
    """Mark the words of lines in title case or capitals."""
    line: list[Token] = []
    for token in [*tokens, Token(0, 0, "\n", "\n", "break")]:
        if token.shape != "break":
            line.append(token)
            continue
        if _is_heading(line):
            for part in line:
                part.silent = True
        line = []


def _is_heading(line: list[Token]) -> bool:
    content = [token for token in line if token.is_word and len(token.lower) > 3]
    if len(content) < 3 or len(line) > 30 or line[-1].text in (".", ";", ","):
        return False
    return sum(token.is_capital for token in content) >= 0.75 * len(content)
