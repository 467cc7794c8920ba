"""Relations that the verb of a Chinese clause states between its subjects and what is named around it."""

from collections.abc import Iterator, Sequence

from core.graph.model import PERSON, ExtractedName
from core.rulebook.relations.chinese_pieces import (
    AND,
    IS,
    LONGEST_TITLE,
    OPEN,
    SERVE,
    TOWARDS,
    WITH,
    Piece,
    group_from,
    is_verb,
    last_group,
    phrase_end,
)
from core.rulebook.relations.said import Said

_SUFFERED = frozenset({"受", "受到"})
"""受X邀请: X does it."""
_DONE = frozenset("了过着")
_NO_VERB = frozenset({"即", "包括", "例如", "如", "称", "透过", "通过", "经由", "利用", "根据", "按照"})
_OWN_CLAUSE = frozenset({"于", "当", "自", "随", "随着", "由于", "因", "因为", "为了", "经", "经过", "通过"})
"""Prepositions before a clause with a subject of its own."""
_BEFORE_NAMES = frozenset({"由", "被", "在", "向", "对", "从"})
_ON_THE_WAY = frozenset({"宣布", "完成", "开始", "继续", "正式", "成功"})
"""Verbs before another one that leave it a fact."""
_BESIDE = ("d", "t", "m", "q", "u", "y")
"""First letters of the tags of words that may stand between a subject and its verb."""


def stated_by_verb(
    pieces: Sequence[Piece], number: int, subjects: Sequence[ExtractedName], at: int, factor: float
) -> Iterator[Said]:
    between = pieces[at:number]
    verb = pieces[number].text
    if any(OPEN.search(each.text) for each in between if not each.entity) or OPEN.fullmatch(verb):
        return
    way = _way(between)
    if way is None:
        return
    preposition, others = way
    verb, after = _whole_verb(pieces, number)
    if verb in _NO_VERB or (preposition and _text_at(pieces, after) == "的"):
        return
    if preposition in ("由", "被"):
        agents = () if verb.endswith("为") else others  # 被X评为…
        verb = verb.removesuffix("于")
        yield from (Said(one, verb, other, 0.85 * factor, preposition) for one in agents for other in subjects)
        return
    if preposition:
        name = f"{preposition}…{verb}"
        yield from (Said(one, name, other, 0.75 * factor, preposition) for one in subjects for other in others)
    yield from _of_what_follows(pieces, after, verb, subjects, factor)


def _of_what_follows(
    pieces: Sequence[Piece], after: int, verb: str, subjects: Sequence[ExtractedName], factor: float
) -> Iterator[Said]:
    if verb in _SUFFERED:
        agents, end = group_from(pieces, after)
        done = [each.text for each in pieces[end : end + 1] if each.tag[0] == "v"]
        yield from (
            Said(one, what, other, 0.75 * factor, verb) for what in done for one in agents for other in subjects
        )
    elif verb in IS:
        yield from _of_is(pieces, after, subjects, factor)
    elif verb in SERVE:
        yield from _of_post(pieces, after, subjects, factor)
    else:
        yield from stated_of_object(pieces, after, verb, subjects, factor)


def _whole_verb(pieces: Sequence[Piece], number: int) -> tuple[str, int]:
    """A verb with those behind it that belong to it, and where it ends, behind 了 and 过."""
    verb, after = pieces[number].text, number + 1
    while (
        after < len(pieces)
        and pieces[after].tag[0] == "v"
        and verb not in IS | SERVE
        and pieces[after].text not in TOWARDS
    ):
        verb, after = verb + pieces[after].text, after + 1
    while after < len(pieces) and (pieces[after].text in _DONE or pieces[after].tag in ("ul", "uz", "ug")):
        after += 1
    return verb, after


def _way(between: Sequence[Piece]) -> tuple[str, list[ExtractedName]] | None:
    """What stands between a subject and its verb: a preposition with entities, or nothing that counts.

    None where something else is the subject.
    """
    at = 0
    while at < len(between):
        piece = between[at]
        at += 1
        if piece.text in WITH or piece.text in _BEFORE_NAMES:
            group, after = group_from(between, at)
            if not group or not all(map(_is_beside, between[after:])):
                return None if piece.text in ("由", "被") else _skipped(between, at)
            return piece.text, group
        if piece.tag[0] == "p" and [each.tag for each in between[at : at + 1]] != ["t"]:  # not 于1933年
            return None if piece.text in _OWN_CLAUSE | IS else _skipped(between, at)
        if piece.tag[0] != "p" and not _is_beside(piece):
            return None
    return "", []


def _is_beside(piece: Piece) -> bool:
    return piece.text in _ON_THE_WAY or piece.tag[0] in _BESIDE or piece.tag == "ad"


def _skipped(between: Sequence[Piece], at: int) -> tuple[str, list[ExtractedName]] | None:
    """Behind a phrase with a preposition that names nothing; none where it has a verb."""
    return None if any(is_verb(each) or each.text == "的" for each in between[at:]) else ("", [])


def stated_of_object(
    pieces: Sequence[Piece], start: int, verb: str, subjects: Sequence[ExtractedName], factor: float
) -> Iterator[Said]:
    name, sure = verb, 0.8
    if _text_at(pieces, start) in TOWARDS:
        name, start = verb + pieces[start].text, start + 1
    end = phrase_end(pieces, start)
    phrase = pieces[start:end]
    if not phrase or not phrase[-1].entity:
        return
    objects = last_group(phrase)
    if _text_at(pieces, end) == "的":
        noun = _noun_at_the_end(pieces, end + 1)
        if not noun:
            return
        name, sure = f"{name}{noun}", 0.7
    elif _text_at(pieces, end) not in ("", "等") and (
        not is_verb(pieces[end]) or any(each.text in ("的", "所") for each in pieces[end:])
    ):
        return  # the object is farther on, and the entity part of it: 参加X发起的Y
    yield from (Said(one, name, other, sure * factor, "verb") for one in subjects for other in objects)


def _text_at(pieces: Sequence[Piece], number: int) -> str:
    return pieces[number].text if number < len(pieces) else ""


def _noun_at_the_end(pieces: Sequence[Piece], start: int) -> str:
    """The last word of a phrase that ends the clause; empty where more follows or it is an entity."""
    end = phrase_end(pieces, start)
    nouns = pieces[start:end]
    return nouns[-1].text if nouns and not nouns[-1].entity and end == len(pieces) else ""


def _of_is(pieces: Sequence[Piece], start: int, subjects: Sequence[ExtractedName], factor: float) -> Iterator[Said]:
    """X是Y的子公司, X是位于Y的公司, X是Y董事长."""
    end = phrase_end(pieces, start)
    if end < len(pieces) and pieces[end].text == "的" and end > start and pieces[end - 1].entity:
        title = _title_at_the_end(pieces, end + 1)
        for owner in last_group(pieces[start:end]) if title else ():
            yield from (Said(owner, title, one, 0.85 * factor, "是") for one in subjects)
        return
    yield from _of_post(pieces, start, subjects, factor)
    for number in range(start, min(start + 4, len(pieces))):
        if pieces[number].tag[0] == "v" and all(each.tag[0] in "mqrnab" for each in pieces[start:number]):
            yield from _of_relative(pieces, number, subjects, factor)
            return


def _title_at_the_end(pieces: Sequence[Piece], start: int) -> str:
    """Nouns without a name that end the clause; empty where something else does."""
    end = phrase_end(pieces, start)
    nouns = pieces[start:end]
    is_title = nouns and nouns[-1].tag[0] == "n" and not nouns[-1].entity and end == len(pieces)
    return "".join(each.text for each in nouns if each.tag[0] in "nbaj") if is_title else ""


def _of_relative(
    pieces: Sequence[Piece], number: int, subjects: Sequence[ExtractedName], factor: float
) -> Iterator[Said]:
    verb, start = pieces[number].text, number + 1
    if start < len(pieces) and pieces[start].text == "于":
        verb, start = verb + "于", start + 1
    group, end = group_from(pieces, start)
    if group and end < len(pieces) and pieces[end].text == "的" and not OPEN.search(verb):
        yield from (Said(one, verb, other, 0.75 * factor, "relative") for one in subjects for other in group)


def _of_post(pieces: Sequence[Piece], start: int, subjects: Sequence[ExtractedName], factor: float) -> Iterator[Said]:
    """任Y董事长、Z委员: the posts that persons hold."""
    while start < len(pieces):
        group, after = group_from(pieces, start)
        start = after
        while start < len(pieces) and not pieces[start].entity and pieces[start].tag[0] in "nbaj":
            start += 1
        title = "".join(each.text for each in pieces[after:start]).removesuffix("时")
        ends = start == len(pieces) or pieces[start].text in AND
        if not group or not 0 < len(title) <= LONGEST_TITLE or pieces[start - 1].tag[0] not in "nb" or not ends:
            return
        persons = [one for one in subjects if one.type == PERSON]
        yield from (Said(owner, title, one, 0.8 * factor, "post") for one in persons for owner in group)
        start += 1
