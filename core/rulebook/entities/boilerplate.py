"""Text that is on the page but is not prose: reference lists, citations, addresses, mark-up, code, running lines."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from core.documents.model import CELL_BREAK
from core.platform.language.numbers import YEAR
from core.platform.language.patterns import pattern
from core.platform.language.stretches import Interval, merged

_MARKUP = pattern(
    r"https?://\S+|www\.\S+|(?<![\w.{},+-])[\w.{},+-]{1,80}@[\w.-]{1,80}|\b(?:doi:\s*)?10\.\d{4,}/\S+|arXiv:\S+|<[^<>\n]{1,300}>|\$[^$\n]{1,400}\$"
    r"|!?\[[^\]\n]{0,200}\]\(#?[^)\n]{0,300}\)|\\[a-zA-Z]+"
)
_BRACKETS = pattern(r"[(\[]([^()\[\]]{4,400})[)\]]")
_CITED = pattern(
    r"(?:see |e\.g\.,? |cf\. |and )?[A-Z][^;]{1,120},? (?:19|20)\d\d[a-z]?(?:, (?:(?:19|20)\d\d[a-z]?|pp?\. ?[\d–-]+))*"
)
REFERENCES = pattern(
    r"^[ \t#*]*(?:\d+\.?[ \t]*)?(?:references(?: and notes)?|bibliography|works cited|literature cited"
    r"|参考文献|參考文獻)[ \t*:：]*$",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER_REFERENCES = pattern(
    r"^[ \t#*]*(?:[A-Z\d]\.?[ \t]+)?(?:appendi(?:x|ces)|supplementary|acknowledge?ments?|附录|附錄|致谢)\b",
    re.IGNORECASE | re.MULTILINE,
)
_AUTHOR = pattern(r"\b[A-Z]\.(?:[ -]?[A-Z]\.)*|\bet al\b|[,，、]\s*等[.．。]")
_SOURCE = pattern(
    r"\bpp?\.|\bIn:? Proc|\bProceedings|\bProc\.|\bvol\.|\bJournal\b|\bJ\. |\barXiv|\bdoi\b|\bPress\b|\bTransactions\b"
    r"|\bConference\b|\[[JMCDRS](?:/OL)?\]|出版社",
    re.IGNORECASE,
)
_ADDRESSED = pattern(r"https?://\S+[ \t.]*$", re.MULTILINE)
"""The end of an entry that says where on the web its source is."""
_CELL = pattern(rf"(?!\| )(?:(?!{re.escape(CELL_BREAK)})[^\n])+")
_AMOUNT = pattern(r"\(?[-–−]?\d[\d,.]*\s?%?\)?")
_BRACKETING = frozenset("()[]")
FORMAL = _BRACKETING | frozenset("{}=;<>*\\|%#@~^+−∗∑∏∂∈∪∩≤≥⩽⩾∥_′·×→⊤∀∃") | frozenset(map(chr, range(0x391, 0x3CA)))
"""Signs of formulas and of code, Greek letters among them."""
_MOST_PER_SIGN = 5
"""Characters for each formal sign in a line of code or a formula."""
_LEAST_CITATIONS = 3
_LEAST_ENTRIES = 4
_SHORT_PIECE = 300
_LONGEST_RUNNING_LINE = 200
_MOST_RUNNING = 0.5
"""Greatest share of running lines in all texts: more of them are content that repeats."""


def masks(texts: Sequence[str]) -> list[list[Interval]]:
    """For every text the stretches (start, end), in order and apart, in which no entity is looked for."""
    running = _running_lines(texts)
    citations = [list(_citations(text)) for text in texts]
    cited = sum(map(len, citations)) >= _LEAST_CITATIONS
    found: list[list[Interval]] = []
    inside = False
    for text, citing in zip(texts, citations, strict=True):
        references, inside = _reference_list(text, inside)
        intervals = [match.span() for match in _MARKUP.finditer(text)] + references + list(_formal_lines(text))
        if cited:
            intervals += citing
        if running:
            intervals += [(start, end) for start, end, line in _lines(text) if line in running]
        found.append(merged(intervals))
    return found


def _formal_lines(text: str) -> Iterator[Interval]:
    """Lines, or cells of tables, that are code or a formula: signs stand as densely as in no sentence."""
    for match in _CELL.finditer(text):
        bare = _AMOUNT.sub("", match.group())
        signs = [sign for sign in bare if sign in FORMAL]
        letters = sum(not sign.isspace() for sign in bare)
        if len(signs) > 1 and not _BRACKETING.issuperset(signs) and len(signs) * _MOST_PER_SIGN >= letters:
            yield match.span()


def _citations(text: str) -> Iterator[Interval]:
    """Parentheses that hold nothing but authors and years: (Smith et al., 2019; Li, 2020)."""
    for match in _BRACKETS.finditer(text):
        parts = match.group(1).split(";")
        if all(_CITED.fullmatch(" ".join(part.split())) for part in parts):
            yield match.span()


def _reference_list(text: str, inside: bool) -> tuple[list[Interval], bool]:
    """The reference list in the text, and whether it goes on in the next one."""
    heading = REFERENCES.search(text)
    if heading is not None and _continues_references(text[heading.end() :]):
        start = 0 if inside else heading.start()
    elif (inside and _continues_references(text)) or _is_reference_list(text):
        start = 0
    else:
        return [], False
    stop = _AFTER_REFERENCES.search(text, start)
    return [(start, stop.start() if stop else len(text))], stop is None


def _continues_references(text: str) -> bool:
    """Whether a text behind the beginning of a reference list still belongs to it."""
    years, sources = len(YEAR.findall(text)), len(_SOURCE.findall(text))
    if len(text) < _SHORT_PIECE or (years * 700 >= len(text) and sources * 4 >= years > 0):
        return True
    return len(_ADDRESSED.findall(text)) * 2 > sum(map(bool, map(str.strip, text.split("\n"))))


def _is_reference_list(text: str) -> bool:
    """Whether years stand as densely together with authors' initials and sources as only a reference list has them."""
    years, sources = len(YEAR.findall(text)), len(_SOURCE.findall(text))
    dense = years >= _LEAST_ENTRIES and years * 400 >= len(text)
    return dense and len(_AUTHOR.findall(text)) >= years and sources * 2 >= years


def _running_lines(texts: Sequence[str]) -> frozenset[str]:
    """Short lines that return in many texts: page headers and footers that a parser left in."""
    if len(texts) < 6:
        return frozenset()
    counts = Counter(line for text in texts for line in {line for _, _, line in _lines(text)})
    least = max(4, len(texts) // 12)
    running = frozenset(line for line, count in counts.items() if count >= least)
    whole = sum(map(len, texts))
    covered = sum(end - start for text in texts for start, end, line in _lines(text) if line in running)
    return running if covered <= _MOST_RUNNING * whole else frozenset()


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, line) of the short lines, digits taken out, since page numbers change."""
    position = 0
    for line in text.split("\n"):
        stripped = re.sub(r"\d+", "", line).strip()
        if len(stripped) > 3 and len(line) <= _LONGEST_RUNNING_LINE:
            yield position, position + len(line), stripped
        position += len(line) + 1
