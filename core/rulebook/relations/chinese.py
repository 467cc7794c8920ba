"""Relations that Chinese sentences state: verbs between entities, titles, 是, 由, 被, 在, 与."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from core.graph.model import ExtractedName
from core.rulebook.entities.chinese.segmentation import Dictionary, SegmentedWord, segment
from core.rulebook.entities.lexicon import words
from core.rulebook.entities.spans import ORGANIZATION, PERSON
from core.rulebook.relations.said import Said

_CLAUSE = re.compile(r"[，,；;：:。！？!?\n|“”\"]|(?P<opens>[（(])|(?P<closes>[）)])")
_HAN = re.compile(r"[\u3400-\u9fff]+")
_OPEN = re.compile(
    r"[不没未拟将欲若应须需会能可]|没有|尚未|否认|计划|可能|或许|有望|拒绝|考虑|打算|希望|如果|假如|应当|应该|必须|要求|禁止|涉嫌|据传|传闻|疑似"
)
"""What is denied, planned, possible, demanded or only rumoured."""
_IF = frozenset({"如果", "假如", "若", "倘若", "要是", "一旦", "除非"})
_DONE = frozenset("了过着")
_TOWARDS = frozenset({"为", "成", "成为", "于", "在", "至", "到", "给", "向", "入", "出"})
"""After a verb they are part of it."""
_NO_VERB = frozenset({"即", "包括", "例如", "如", "称", "透过", "通过", "经由", "利用", "根据", "按照"})
_OWN_CLAUSE = frozenset({"于", "当", "自", "随", "随着", "由于", "因", "因为", "为了", "经", "经过", "通过"})
"""Prepositions before a clause with a subject of its own."""
_AND = frozenset({"、", "和", "与", "及", "以及", "暨"})
_WITH = frozenset({"与", "同", "跟"})
_EACH = frozenset({"均", "都", "共同", "分别", "皆"})
"""After "A与B": what follows is said of both."""
_BEFORE_NAMES = frozenset({"由", "被", "在", "向", "对", "从"})
_IS = frozenset({"是", "为", "系", "乃"})
_SERVE = frozenset({"任", "担任", "出任", "兼任", "就任", "历任", "现任"})
_ON_THE_WAY = frozenset({"宣布", "完成", "开始", "继续", "正式", "成功"})
"""Verbs before another one that leave it a fact."""
_BESIDE = ("d", "t", "m", "q", "u", "y")
"""First letters of the tags of words that may stand between a subject and its verb."""
_LONGEST_TITLE = 8


class Piece(NamedTuple):
    start: int
    end: int
    text: str
    tag: str
    """jieba's, "E" for an entity, "w" for a mark."""
    entity: ExtractedName | None = None


@dataclass(slots=True)
class _Clause:
    pieces: Sequence[Piece]
    topic: Sequence[ExtractedName]
    """Subjects of the clause before."""
    owner: ExtractedName | None
    """In what the person of the clause before has a post."""


def said_in_chinese(
    text: str, start: int, end: int, entities: Sequence[ExtractedName], dictionary: Dictionary
) -> Iterator[Said]:
    """Of one sentence; entities are those inside it, in order."""
    sentence = text[start:end]
    if sentence.rstrip("”」』）)").endswith(("？", "?", "吗")):
        return
    topic: Sequence[ExtractedName] = ()
    planned, owner = False, None
    for clause_start, clause_end, aside in _clauses(text, start, end, entities):
        inside = [each for each in entities if clause_start <= each.start and each.end <= clause_end]
        if not inside and not topic:
            continue
        pieces = list(_pieces(text, clause_start, clause_end, inside, dictionary))
        found, subjects = _of_clause(_Clause(pieces, () if aside else topic, owner))
        owner = next((each.source for each in reversed(found) if each.pattern == "title"), None)
        goes_on = bool(topic) and subjects is topic
        planned = (planned and goes_on) or any(_OPEN.fullmatch(each.text) for each in pieces if not each.entity)
        topic = topic if aside else subjects
        yield from () if planned and goes_on else found


def _clauses(text: str, start: int, end: int, entities: Sequence[ExtractedName]) -> Iterator[tuple[int, int, bool]]:
    """With whether it stands in brackets."""
    at, depth = start, 0
    for mark in _CLAUSE.finditer(text, start, end):
        if any(each.start < mark.end() and mark.start() < each.end for each in entities):
            continue
        if mark.start() > at:
            yield at, mark.start(), depth > 0
        depth = max(0, depth + (1 if mark["opens"] else -1 if mark["closes"] else 0))
        at = mark.end()
    if end > at:
        yield at, end, depth > 0


def _pieces(
    text: str, start: int, end: int, entities: Sequence[ExtractedName], dictionary: Dictionary
) -> Iterator[Piece]:
    at = start
    for entity in entities:
        yield from _plain(text, at, entity.start, dictionary)
        yield Piece(entity.start, entity.end, text[entity.start : entity.end], "E", entity)
        at = entity.end
    yield from _plain(text, at, end, dictionary)


def _plain(text: str, start: int, end: int, dictionary: Dictionary) -> Iterator[Piece]:
    at = start
    for run in _HAN.finditer(text, start, end):
        if text[at : run.start()].strip():
            yield Piece(at, run.start(), text[at : run.start()].strip(), "w")
        yield from _with_at(list(segment(text, run.start(), run.end(), dictionary)))
        at = run.end()
    if text[at:end].strip():
        yield Piece(at, end, text[at:end].strip(), "w")


def _with_at(words: Sequence[SegmentedWord]) -> Iterator[Piece]:
    """毕业 and 于 are one verb, whatever the dictionary takes 毕业 for."""
    joined = False
    for word, following in zip_longest(words, words[1:]):
        if joined:
            joined = False
        elif following is not None and following.text == "于" and word.tag[0] in "nv" and len(word.text) > 1:
            joined = True
            yield Piece(word.start, following.end, word.text + "于", "v")
        else:
            yield Piece(*word)


def _of_clause(clause: _Clause) -> tuple[list[Said], Sequence[ExtractedName]]:
    """What it says, and its subjects, which the next clause may go on with."""
    pieces = clause.pieces
    if any(each.text in _IF for each in pieces):
        return [], ()
    found = [*_titles(pieces, clause.owner), *_of_part(pieces, clause.topic)]
    subjects, at, factor = clause.topic, 0, 0.85
    for number, piece in enumerate(pieces):
        if piece.entity and number >= at and _may_lead(pieces, number):
            group, after = _subjects(pieces, number)
            if after < len(pieces) and _leads(pieces[after]):
                subjects, at, factor = group, after, 1.0
            elif not subjects or number == 0:
                subjects = ()
        beside = any(each.text == "在" or each.text in _WITH for each in pieces[at:number])
        last = number == len(pieces) - 1 and piece.tag in ("n", "vn") and beside
        if subjects and number >= at and (_is_verb(piece) or last):
            found += _of_verb(pieces, number, subjects, at, factor)
    led = subjects if at or (pieces and (_leads(pieces[0]) or not any(map(_is_verb, pieces)))) else ()
    return found, led


def _is_verb(piece: Piece) -> bool:
    """就读于 is a noun to the dictionary."""
    at = len(piece.text) > 1 and piece.text.endswith("于") and piece.tag[0] in "nvd"
    return (piece.tag[0] == "v" and piece.tag != "vn") or at or piece.text in _IS or piece.text in _SERVE


def _leads(piece: Piece) -> bool:
    """Whether it may follow a subject."""
    return piece.tag[0] in ("d", "p", "t") or piece.tag == "ad" or _is_verb(piece) or piece.text in _WITH


def _may_lead(pieces: Sequence[Piece], number: int) -> bool:
    """Whether an entity inside a clause is the subject of what follows: only where nothing governs it."""
    return all(each.tag[0] in ("d", "t", "c", "w", "u", "m", "q") for each in pieces[:number])


def _subjects(pieces: Sequence[Piece], number: int) -> tuple[list[ExtractedName], int]:
    """A group, but of "A与B" only A unless what follows is said of each."""
    group, after = _group(pieces, number)
    if group[-1].type == PERSON and after < len(pieces) and pieces[after].text in words("zh_titles"):
        after += 1  # 周光宏校长
    is_each = after < len(pieces) and pieces[after].text in _EACH
    if len(group) == 2 and pieces[number + 1].text in _WITH and not is_each:
        return group[:1], number + 1
    return group, after


def _group(pieces: Sequence[Piece], number: int) -> tuple[list[ExtractedName], int]:
    """Entities joined by "and" from here on, and where they end."""
    found: list[ExtractedName] = []
    while number < len(pieces) and (entity := pieces[number].entity):
        found.append(entity)
        number += 1
        if number + 1 < len(pieces) and pieces[number].text in _AND and pieces[number + 1].entity:
            number += 1
        else:
            break
    return found, number


def _of_verb(
    pieces: Sequence[Piece], number: int, subjects: Sequence[ExtractedName], at: int, factor: float
) -> Iterator[Said]:
    between = pieces[at:number]
    verb = pieces[number].text
    if any(_OPEN.search(each.text) for each in between if not each.entity) or _OPEN.fullmatch(verb):
        return
    way = _way(between)
    if way is None:
        return
    preposition, others = way
    after = number + 1
    while (
        after < len(pieces)
        and pieces[after].tag[0] == "v"
        and verb not in _IS | _SERVE
        and pieces[after].text not in _TOWARDS
    ):
        verb, after = verb + pieces[after].text, after + 1
    while after < len(pieces) and (pieces[after].text in _DONE or pieces[after].tag in ("ul", "uz", "ug")):
        after += 1
    if verb in _NO_VERB or (preposition and after < len(pieces) and pieces[after].text == "的"):
        return
    if preposition in ("由", "被"):
        yield from (Said(one, verb, other, 0.85 * factor, preposition) for one in others for other in subjects)
        return
    if preposition:
        name = f"{preposition}…{verb}"
        yield from (Said(one, name, other, 0.75 * factor, preposition) for one in subjects for other in others)
    if verb in _IS:
        yield from _of_is(pieces, after, subjects, factor)
    elif verb in _SERVE:
        yield from _of_post(pieces, after, subjects, factor)
    else:
        yield from _of_object(pieces, after, verb, subjects, factor)


def _way(between: Sequence[Piece]) -> tuple[str, list[ExtractedName]] | None:
    """What stands between a subject and its verb: a preposition with entities, or nothing that counts.

    None where something else is the subject.
    """
    at = 0
    while at < len(between):
        piece = between[at]
        at += 1
        if piece.text in _WITH or piece.text in _BEFORE_NAMES:
            group, after = _group(between, at)
            if not group or not all(map(_is_beside, between[after:])):
                return None if piece.text in ("由", "被") else _skipped(between, at)
            return piece.text, group
        if piece.tag[0] == "p":
            return None if piece.text in _OWN_CLAUSE else _skipped(between, at)
        if not _is_beside(piece):
            return None
    return "", []


def _is_beside(piece: Piece) -> bool:
    return piece.text in _ON_THE_WAY or piece.tag[0] in _BESIDE or piece.tag == "ad"


def _skipped(between: Sequence[Piece], at: int) -> tuple[str, list[ExtractedName]] | None:
    """Behind a phrase with a preposition that names nothing; none where it has a verb."""
    return None if any(_is_verb(each) or each.text == "的" for each in between[at:]) else ("", [])


def _phrase(pieces: Sequence[Piece], number: int) -> int:
    """Where the noun phrase that begins here ends."""
    while number < len(pieces) and (
        pieces[number].entity
        or pieces[number].tag[0] in ("n", "a", "b", "m", "q", "s", "j", "l", "x", "r")
        or pieces[number].text in _AND
    ):
        number += 1
    return number


def _of_object(
    pieces: Sequence[Piece], start: int, verb: str, subjects: Sequence[ExtractedName], factor: float
) -> Iterator[Said]:
    name, sure = verb, 0.8
    if start < len(pieces) and pieces[start].text in _TOWARDS:
        name, start = verb + pieces[start].text, start + 1
    end = _phrase(pieces, start)
    phrase = pieces[start:end]
    if not phrase or not phrase[-1].entity:
        return
    objects = _last_group(phrase)
    if end < len(pieces) and pieces[end].text == "的":
        tail = _phrase(pieces, end + 1)
        nouns = pieces[end + 1 : tail]
        if not nouns or nouns[-1].entity or tail < len(pieces):
            return
        name, sure = f"{name}{nouns[-1].text}", 0.7
    elif end < len(pieces) and (not _is_verb(pieces[end]) or any(each.text in ("的", "所") for each in pieces[end:])):
        return  # the object is farther on, and the entity part of it: 参加X发起的Y
    yield from (Said(one, name, other, sure * factor, "verb") for one in subjects for other in objects)


def _last_group(phrase: Sequence[Piece]) -> list[ExtractedName]:
    found: list[ExtractedName] = []
    for piece in reversed(phrase):
        if piece.entity:
            found.insert(0, piece.entity)
        elif piece.text not in _AND:
            break
    joined = any(piece.text in _AND for piece in phrase)
    return found if joined else found[-1:]


def _of_is(pieces: Sequence[Piece], start: int, subjects: Sequence[ExtractedName], factor: float) -> Iterator[Said]:
    """X是Y的子公司, X是位于Y的公司, X是Y董事长."""
    end = _phrase(pieces, start)
    if end < len(pieces) and pieces[end].text == "的" and end > start and pieces[end - 1].entity:
        tail = _phrase(pieces, end + 1)
        nouns = pieces[end + 1 : tail]
        if nouns and nouns[-1].tag[0] == "n" and not nouns[-1].entity and tail == len(pieces):
            title = "".join(each.text for each in nouns if each.tag[0] in "nbaj")
            for owner in _last_group(pieces[start:end]):
                yield from (Said(owner, title, one, 0.85 * factor, "是") for one in subjects)
        return
    yield from _of_post(pieces, start, subjects, factor)
    for number in range(start, min(start + 4, len(pieces))):
        if pieces[number].tag[0] == "v" and all(each.tag[0] in "mqrnab" for each in pieces[start:number]):
            yield from _of_relative(pieces, number, subjects, factor)
            return


def _of_relative(
    pieces: Sequence[Piece], number: int, subjects: Sequence[ExtractedName], factor: float
) -> Iterator[Said]:
    verb, start = pieces[number].text, number + 1
    if start < len(pieces) and pieces[start].text == "于":
        verb, start = verb + "于", start + 1
    group, end = _group(pieces, start)
    if group and end < len(pieces) and pieces[end].text == "的" and not _OPEN.search(verb):
        yield from (Said(one, verb, other, 0.75 * factor, "relative") for one in subjects for other in group)


def _of_post(pieces: Sequence[Piece], start: int, subjects: Sequence[ExtractedName], factor: float) -> Iterator[Said]:
    """任Y董事长: the post that persons hold."""
    group, after = _group(pieces, start)
    end = _phrase(pieces, after)
    title = "".join(each.text for each in pieces[after:end])
    if group and title and len(title) <= _LONGEST_TITLE and pieces[end - 1].tag[0] == "n" and end == len(pieces):
        for one in subjects:
            if one.type == PERSON:
                yield Said(group[-1], title, one, 0.8 * factor, "post")


def _of_part(pieces: Sequence[Piece], topic: Sequence[ExtractedName]) -> Iterator[Said]:
    """What belongs to the subject of the clause before: 总部位于X, 创始人为X, 创始人X; 公司收购了X of a 公司."""
    if len(topic) != 1 or len(pieces) < 2 or pieces[0].tag not in ("n", "vn") or _is_verb(pieces[0]):
        return
    (one,) = topic
    noun, at = pieces[0].text, 1
    if one.name.endswith(noun):
        for number in range(1, len(pieces)):
            if _is_verb(pieces[number]):
                yield from _of_verb(pieces, number, topic, 1, 0.8)
        return
    if pieces[1].text in _IS:
        at = 2
    group, end = _group(pieces, at)
    if group and end == len(pieces):
        yield from (Said(one, noun, other, 0.7, "part") for other in group)
    elif _is_verb(pieces[1]) and pieces[1].text not in _IS and pieces[1].text.endswith(("于", "在")):
        yield from _of_object(pieces, 2, noun + pieces[1].text, topic, 0.9)


def _titles(pieces: Sequence[Piece], owner: ExtractedName | None) -> Iterator[Said]:
    """Y董事长X; Y的创始人X. owner: of the title before, which a clause that begins with a title goes on with."""
    for number, piece in enumerate(pieces):
        if not piece.entity or not number:
            continue
        first = number
        while first and _is_title(pieces[first - 1]):
            first -= 1
        title = [each for each in pieces[first:number] if each.text != "的"]
        named = pieces[first - 1].entity if first else owner
        if named and title and _holds(named, title, pieces, number):
            name = "".join(each.text for each in title).strip("、兼")
            if name and len(name) <= _LONGEST_TITLE:
                yield Said(named, name, piece.entity, 0.8 if first else 0.7, "title")


def _holds(owner: ExtractedName, title: Sequence[Piece], pieces: Sequence[Piece], number: int) -> bool:
    """Whether the words between two names are a title that the second has in the first."""
    if title[-1].tag not in ("n", "nr") or pieces[number - 1].text == "的" or any(map(_is_verb, title)):
        return False
    if number + 1 < len(pieces) and pieces[number + 1].text in _TOWARDS:  # 任命X为Y
        return False
    bearer = pieces[number].entity
    if bearer is None or owner.type == PERSON or _is_han(owner.name) > _is_han(bearer.name):
        return False
    return bearer.type == PERSON or owner.type == bearer.type == ORGANIZATION


def _is_han(name: str) -> bool:
    return _HAN.search(name) is not None


def _is_title(piece: Piece) -> bool:
    return piece.tag[0] in ("n", "b", "j", "f") or piece.text in ("的", "兼", "、")
