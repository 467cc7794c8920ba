"""Blocks of plain text and Markdown: headings, lists, tables, code and paragraphs, unwrapped. Pure functions."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import unescape
from itertools import pairwise

from core.documents.model import CELL_BREAK, Block
from core.documents.reading.headings import names_chapter, numbered_level
from core.documents.reading.markup import MARKDOWN_CODE, headed_markdown
from core.documents.reading.normalise import is_han, one_line, weight

_FENCE = re.compile(r"^ {0,3}(`{3,}(?!.*`)|~{3,})")
_ATX = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_TABLE_RULE = re.compile(r"^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.S)
_QUOTE = re.compile(r"^(?:[ \t]{0,3}>[ \t]?){1,9}", re.M)
_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,1000}\)")
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^)\n]{0,1000}\)")
_AUTOLINK = re.compile(r"<(https?://[^>\s]{1,1000})>")
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,200}>")
_STRONG = re.compile(r"(?<!\\)(\*\*\*|\*\*|__|~~|\*)(?=\S)([^\n]{1,300}?)(?<=[^\s\\])\1")
_CODE_SPAN = re.compile(r"(`{1,3})([^`\n]{1,300})\1")
_CODE_OR_UNREAD = re.compile(
    rf"{MARKDOWN_CODE}"
    r"|(?P<unread><!--.*?-->|<(?P<tag>script|style)\b.*?</(?P=tag)\s*>)|(?:<!--|<(?:script|style)\b).*",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
"""Code, comments, scripts and styles; an unclosed one extends to the end, so that nothing is scanned twice."""
_HELD = re.compile(r"\0(\d+)\0")
"""Placeholder of a code span, by number, while the marks around it are removed."""
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~])")
_REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});")
_NO_HEADING = re.compile(r"[.。!！?？:：;；,，]$|^\d+\s")
_HEADING_LENGTH = 100
_LONGEST_LINE = 20_000
_TRAIL_OF_PAIR = range(0xA1, 0xFF)


def decode(data: bytes) -> str:
    """Never fails; see encoding_of()."""
    return data.decode(encoding_of(data), "replace")


def encoding_of(data: bytes) -> str:
    """UTF-8, UTF-16 with a byte order mark, GB 18030, Big5 or Windows-1252, detected by content."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if _speaks_chinese(data):
            return "gb18030"
        return "cp950" if _is_big5(data) else "cp1252"
    return "utf-8-sig"


def text_blocks(text: str, markdown: bool) -> list[Block]:
    """Blocks in reading order, on page 0, without boxes."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if markdown:
        read = _without_unread(_FRONT_MATTER.sub("", "\n".join(lines)))
        lines = headed_markdown(read).split("\n")
    pieces = _markdown(lines) if markdown else _plain(lines)
    return [Block(index, 0, kind, words, level) for index, (kind, words, level) in enumerate(pieces)]


def inline_text(line: str) -> str:
    """Rendered text of inline Markdown, code as it is written; very long lines are left as they are."""
    if len(line) > _LONGEST_LINE:
        return line
    spans: list[str] = []

    def hold(span: re.Match[str]) -> str:
        spans.append(span[2])
        return f"\0{len(spans) - 1}\0"

    line = _CODE_SPAN.sub(hold, line.replace("\0", ""))
    line = _LINK.sub(r"\1", _IMAGE.sub(r"\1", line))
    line = _TAG.sub("", _AUTOLINK.sub(r"\1", line))
    line = _ESCAPE.sub(r"\1", _STRONG.sub(r"\2", _STRONG.sub(r"\2", line)))
    line = _REFERENCE.sub(_character, line)
    return _HELD.sub(lambda held: spans[int(held[1])], line)


def _character(reference: re.Match[str]) -> str:
    """Return what is meant by "&amp;"; a space for any white space, which could end a cell of a table."""
    meant = unescape(reference[0])
    return " " if meant.isspace() else meant


def _without_unread(text: str) -> str:
    """Without the comments, scripts and styles outside of code."""
    return _CODE_OR_UNREAD.sub(lambda found: "" if found["unread"] else found[0], text)


def _speaks_chinese(data: bytes) -> bool:
    """Whether bytes look like GB 18030: high bytes come in pairs, while Western text has single ones."""
    pairs = singles = position = 0
    while position < min(len(data), 100_000):
        if data[position] < 0x80:
            position += 1
        elif position + 1 < len(data) and data[position + 1] in _TRAIL_OF_PAIR:
            pairs += 1
            position += 2
        else:
            singles += 1
            position += 1
    return pairs > 4 * singles


def _is_big5(data: bytes) -> bool:
    """Whether bytes can be Big5 and have more high bytes than Western text."""
    try:
        data.decode("cp950")
    except UnicodeDecodeError:
        return False
    return 5 * sum(byte >= 0x80 for byte in data) > len(data)


def _plain(lines: list[str]) -> Iterator[tuple[str, str, int]]:
    """Paragraphs between empty lines, and lists, which keep their lines; a short numbered line alone is a heading."""
    for group in _groups(unwrapped(lines)):
        line = group[0].strip()
        alone = len(group) == 1 and len(line) <= _HEADING_LENGTH and not _NO_HEADING.search(line)
        yield "list" if len(group) > 1 else "text", "\n".join(group), numbered_level(line) if alone else 0


def _groups(lines: list[str]) -> Iterator[list[str]]:
    """Lines between empty ones; the name of a chapter is a group of its own, also right above its text."""
    group: list[str] = []
    for line in [*lines, ""]:
        is_chapter = names_chapter(line)
        if line.strip() and not is_chapter:
            group.append(line)
            continue
        if group:
            yield group
            group = []
        if is_chapter:
            yield [line]


def _markdown(lines: list[str]) -> Iterator[tuple[str, str, int]]:
    position = 0
    paragraph: list[str] = []
    while position < len(lines):
        line = lines[position]
        found = _structure(lines, position)
        if found is None and paragraph and _SETEXT.match(line):
            yield "text", inline_text(" ".join(paragraph)), 1 if "=" in line else 2
            paragraph = []
        elif found is None and line.strip():
            paragraph.append(line.strip())
        else:
            yield from _paragraph(paragraph)
            paragraph = []
        if found is not None:
            piece, position = found
            yield piece
        else:
            position += 1
    yield from _paragraph(paragraph)


def _paragraph(lines: list[str]) -> Iterator[tuple[str, str, int]]:
    if words := inline_text(_QUOTE.sub("", "\n".join(lines))).strip():
        yield "text", words, 0


def _structure(lines: list[str], start: int) -> tuple[tuple[str, str, int], int] | None:
    """The heading, code block, table or list that begins at this line, and the index of the line after it."""
    line = lines[start]
    if heading := _ATX.match(line):
        return ("text", inline_text(_unclosed(heading[2] or "")).strip(), len(heading[1])), start + 1
    if fence := _FENCE.match(line):
        return _code(lines, start, fence[1])
    if "|" in line and start + 1 < len(lines) and _TABLE_RULE.match(lines[start + 1]):
        return _table(lines, start)
    if LIST_ITEM.match(line):
        return _list(lines, start)
    return None


def _unclosed(heading: str) -> str:
    """Without the signs that close a heading; by hand, because a pattern takes quadratic time in blanks."""
    words = heading.rstrip(" \t")
    bare = words.rstrip("#")
    return bare if bare.endswith((" ", "\t")) else words


def _code(lines: list[str], start: int, fence: str) -> tuple[tuple[str, str, int], int]:
    """A code block up to its closing fence, or to the end if it is missing."""
    for end in range(start + 1, len(lines)):
        if lines[end].strip().startswith(fence) and not lines[end].strip().strip(fence[0]):
            return ("code", "\n".join(lines[start + 1 : end]), 0), end + 1
    return ("code", "\n".join(lines[start + 1 :]), 0), len(lines)


def _table(lines: list[str], start: int) -> tuple[tuple[str, str, int], int]:
    end = start + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    rows = [CELL_BREAK.join(_cells(line)) for line in [lines[start], *lines[start + 2 : end]]]
    return ("table", "\n".join(rows), 0), end


def _cells(line: str) -> list[str]:
    return [inline_text(cell).strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _list(lines: list[str], start: int) -> tuple[tuple[str, str, int], int]:
    """Items and their continuation lines, up to an empty line that no further item follows."""
    items: list[str] = []
    end = start
    while end < len(lines):
        line = lines[end]
        if LIST_ITEM.match(line):
            items.append(inline_text(line.rstrip()))
        elif line.strip() and not _ATX.match(line) and not _FENCE.match(line):
            items[-1] += " " + inline_text(line.strip())
        elif line.strip() or end + 1 >= len(lines) or not LIST_ITEM.match(lines[end + 1]):
            break
        end += 1
    return ("list", "\n".join(items), 0), end


LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_NARROWEST, _WIDEST = 55, 120
"""Columns at which prose is wrapped; a Han character takes two. Narrower lines are verses, addresses or items."""
_ROOM = 5
"""Columns that wrapped lines leave free beside what the next word would have needed."""
_LEAST_WRAPPED = 2
_LEAST_SHARE = 0.25
"""Wrapped breaks among all between two lines of prose."""
_LONGEST_WORD = 30
"""A longer one, such as an address of the web, is put on a line of its own in any text."""
_SPILL = 1.1
"""Greatest length of a wrapped line relative to the width: a long word at its end may stand out."""
_ALIGNED = re.compile(r"\S(?:\t| {3})|\|.*\|")
"""Columns of a table, which need their line."""
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


def unwrapped(lines: Sequence[str]) -> list[str]:
    """The lines, those of each wrapped paragraph joined into one."""
    width = _width(lines)
    return [_joined(run) for run in _runs(lines, width)] if width else list(lines)


def _runs(lines: Sequence[str], width: int) -> Iterator[list[str]]:
    run: list[str] = []
    for line, after in pairwise([*lines, ""]):
        run.append(line)
        if not _is_wrapped(line, after, width):
            yield run
            run = []


def _joined(run: list[str]) -> str:
    """One line with the indentation of the first."""
    if len(run) == 1:
        return run[0]
    return run[0][: len(run[0]) - len(run[0].lstrip())] + one_line("\n".join(run))


def _width(lines: Sequence[str]) -> int:
    """The columns at which most breaks in paragraphs are explained by wrapping; 0 where too few are."""
    explained: Counter[int] = Counter()
    breaks = 0
    for line, after in pairwise(lines):
        if _may_go_on(line, after) and after.lstrip()[0].isalpha():
            breaks += 1
            end = _columns(line)
            explained.update(range(max(end, _NARROWEST), min(end + _needed(line, after) + _ROOM, _WIDEST + 1)))
    if not explained:
        return 0
    width = max(explained, key=lambda columns: (explained[columns], -columns))
    longer = sum(_columns(line) > _SPILL * width for line in lines if _is_prose(line))
    is_usual = explained[width] > longer and explained[width] >= _LEAST_SHARE * breaks
    return width if is_usual and explained[width] >= _LEAST_WRAPPED else 0


def _is_wrapped(line: str, after: str, width: int) -> bool:
    """Whether the next word had no room in the line."""
    if not _may_go_on(line, after) or (end := _columns(line)) > _SPILL * width:
        return False
    return end + _needed(line, after) + _ROOM > width


def _may_go_on(line: str, after: str) -> bool:
    if not _is_prose(line) or not _is_prose(after) or LIST_ITEM.match(after):
        return False
    if names_chapter(line) or names_chapter(after):
        return False
    return _opening(line) != _opening(after) and _needed(line, after) <= _LONGEST_WORD


def _opening(line: str) -> str:
    """The first word with 0 for each number: the lines of a log begin alike."""
    return _DIGITS.sub("0", line.split(maxsplit=1)[0])


def _is_prose(line: str) -> bool:
    return bool(_LETTER.search(line)) and not _ALIGNED.search(line.strip())


def _columns(line: str) -> int:
    return weight(line.rstrip().expandtabs())


def _needed(line: str, after: str) -> int:
    """Columns that the first word of the next line would take at the end of this one."""
    word = after.split(maxsplit=1)[0][: _LONGEST_WORD + 1]
    if is_han(word[0]):
        return weight(word[0])
    letters = next((place for place, sign in enumerate(word) if is_han(sign)), len(word))
    return letters + (not is_han(line.rstrip()[-1]))
