"""Relations that Chinese sentences state: verbs between entities, titles, 是, 由, 被, 在, 与."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from core.graph.model import ORGANIZATION, PERSON, ExtractedName
from core.rulebook.entities.lexicon import words
from core.rulebook.relations.chinese_pieces import (
    HAN,
    IS,
    LONGEST_TITLE,
    OPEN,
    TOWARDS,
    WITH,
    Piece,
    clauses_of,
    group_from,
    is_verb,
    pieces_of,
)
from core.rulebook.relations.chinese_segmentation import Dictionary
from core.rulebook.relations.chinese_verbs import stated_by_verb, stated_of_object
from core.rulebook.relations.said import Said

_IF = frozenset({"如果", "假如", "若", "倘若", "要是", "一旦", "除非"})
_EACH = frozenset({"均", "都", "共同", "分别", "皆"})
"""After "A与B": what follows is said of both."""
_BEHIND_NAME = ("，", ",", "（", "(")


@dataclass(slots=True)
class _Clause:
    pieces: Sequence[Piece]
    topic: Sequence[ExtractedName]
    """Subjects of the clause before."""
    owner: ExtractedName | None
    """The organisation in which the person of the clause before has a post."""
    may_be_name: bool
    """Whether it may consist of a name that what follows is about: "X, ..." or "X (...", not "X: ..."."""


def said_in_chinese(
    text: str, start: int, end: int, entities: Sequence[ExtractedName], dictionary: Dictionary
) -> Iterator[Said]:
    """Of one sentence; entities are those inside it, in order."""
    if text[start:end].rstrip("”」』）)").endswith(("？", "?", "吗")):
        return
    topic: Sequence[ExtractedName] = ()
    planned, owner = False, None
    for clause_start, clause_end, aside in clauses_of(text, start, end, entities):
        inside = _inside(entities, clause_start, clause_end)
        if not [*inside, *topic]:
            continue
        pieces = list(pieces_of(text, clause_start, clause_end, inside, dictionary))
        behind = text[clause_end : clause_end + 1] if clause_start == start else ""
        found, subjects = _of_clause(_Clause(pieces, () if aside else topic, owner, behind in _BEHIND_NAME))
        owner = _with_post(found)
        goes_on = bool(topic) and subjects is topic
        planned = (planned and goes_on) or _is_open(pieces)
        topic = topic if aside else subjects
        if not (planned and goes_on):
            yield from found


def _inside(entities: Sequence[ExtractedName], start: int, end: int) -> list[ExtractedName]:
    return [each for each in entities if start <= each.start and each.end <= end]


def _with_post(found: Sequence[Said]) -> ExtractedName | None:
    return next((each.source for each in reversed(found) if each.pattern == "title"), None)


def _is_open(pieces: Sequence[Piece]) -> bool:
    return any(OPEN.fullmatch(each.text) for each in pieces if not each.entity)


def _of_clause(clause: _Clause) -> tuple[list[Said], Sequence[ExtractedName]]:
    """What it says, and its subjects, which the next clause may go on with."""
    pieces = clause.pieces
    if any(each.text in _IF for each in pieces):
        return [], ()
    titles = list(_stated_by_titles(pieces, clause.owner))
    found = [*titles, *(_of_part(pieces, *clause.topic) if len(clause.topic) == 1 else ())]
    subjects, at, factor = clause.topic, 0, 0.85
    for number, piece in enumerate(pieces):
        if number >= at and piece.entity and _may_lead(pieces, number, titles):
            group, after = _subjects(pieces, number)
            if _lead(group, after, clause):
                subjects, at, factor = group, after, 1.0
            elif number == 0:
                subjects = ()
        if subjects and _is_said(pieces, number, at):
            found += stated_by_verb(pieces, number, subjects, at, factor)
    return found, subjects if _goes_on(pieces, at) else ()


def _lead(group: Sequence[ExtractedName], after: int, clause: _Clause) -> bool:
    """Whether the clause is said of the group, which ends there; not of 院长X、Y大学负责人Z."""
    is_alike = len({each.type == PERSON for each in group}) == 1
    is_followed = any(map(_leads, clause.pieces[after : after + 1]))
    return is_alike and (is_followed or (clause.may_be_name and after == len(clause.pieces)))


def _is_said(pieces: Sequence[Piece], number: int, at: int) -> bool:
    """Whether it is a verb; the dictionary takes the last word of 在X合作 for a noun."""
    if number < at or is_verb(pieces[number]):
        return number >= at
    beside = any(each.text == "在" or each.text in WITH for each in pieces[at:number])
    return beside and number == len(pieces) - 1 and pieces[number].tag in ("n", "vn")


def _goes_on(pieces: Sequence[Piece], at: int) -> bool:
    """Whether a clause has a subject, which ends at a piece, or is about that of the clause before."""
    return at > 0 or (bool(pieces) and (_leads(pieces[0]) or not any(map(is_verb, pieces))))


def _leads(piece: Piece) -> bool:
    """Whether it may follow a subject."""
    return piece.tag[0] in ("d", "p", "t") or piece.tag == "ad" or is_verb(piece) or piece.text in WITH


def _may_lead(pieces: Sequence[Piece], number: int, titles: Sequence[Said]) -> bool:
    """Whether an entity inside a clause is the subject of what follows: only where nothing governs it but a title."""
    owner = next((each.source for each in titles if each.target is pieces[number].entity), None)
    first = next((at for at in range(number) if owner and pieces[at].entity is owner), number)
    entity = pieces[number].entity
    described = ("n", "b", "f") if entity and entity.type == PERSON else ()  # 美女江维
    return all(each.tag[0] in ("d", "t", "c", "w", "u", "m", "q", *described) for each in pieces[:first])


def _subjects(pieces: Sequence[Piece], number: int) -> tuple[list[ExtractedName], int]:
    """A group, but of "A与B" only A unless what follows is said of each."""
    group, after = group_from(pieces, number)
    if group[-1].type == PERSON and after < len(pieces) and pieces[after].text in words("zh_titles"):
        after += 1  # 周光宏校长
    is_each = after < len(pieces) and pieces[after].text in _EACH
    if len(group) == 2 and pieces[number + 1].text in WITH and not is_each:
        return group[:1], number + 1
    return group, after


def _is_part(piece: Piece) -> bool:
    """Whether it is a word of what something has; 前身 is a pronoun to the dictionary."""
    return not is_verb(piece) and (piece.tag[0] in "nb" or piece.text == "前身")


def _of_part(pieces: Sequence[Piece], one: ExtractedName) -> Iterator[Said]:
    """What belongs to the subject of the clause before: 总部位于X, 现任校长为X, 前身是X, 创始人X."""
    begun = int(bool(pieces) and pieces[0].text == "现任")
    at = begun + len(list(takewhile(_is_part, pieces[begun:])))
    noun = "".join(each.text for each in pieces[:at])
    if not noun or len(noun) > LONGEST_TITLE or at == len(pieces):
        return
    is_told = pieces[at].text in IS
    group, end = group_from(pieces, at + is_told)
    ends = {"", "等"} if is_told else {""}
    if group and next((each.text for each in pieces[end:]), "") in ends:
        yield from (Said(one, noun, other, 0.7, "part") for other in group if other.name != one.name)
    elif is_verb(pieces[at]) and not is_told and pieces[at].text.endswith(("于", "在")):
        yield from stated_of_object(pieces, at + 1, noun + pieces[at].text, [one], 0.9)


def _stated_by_titles(pieces: Sequence[Piece], owner: ExtractedName | None) -> Iterator[Said]:
    """Yield the posts and roles between two names: Y董事长X, Y的创始人X.

    owner: of the title before, which a clause that begins with a title goes on with.
    """
    for number, piece in enumerate(pieces[1:], 1):
        if not piece.entity:
            continue
        first = _beginning(pieces, number)
        title = [each for each in pieces[first:number] if each.text != "的"]
        named = pieces[first - 1].entity if first else owner
        if named and title and title[0].text != "、" and _is_post(named, title, pieces, number):
            name = "".join(each.text for each in title).strip("兼")
            if name and len(name) <= LONGEST_TITLE:
                yield Said(named, name, piece.entity, 0.8 if first else 0.7, "title")


def _beginning(pieces: Sequence[Piece], number: int) -> int:
    """Return where the words begin that may be a title before the piece."""
    while number and (
        pieces[number - 1].tag[0] in ("n", "b", "j", "f") or pieces[number - 1].text in ("的", "兼", "、")
    ):
        number -= 1
    return number


def _is_post(owner: ExtractedName, title: Sequence[Piece], pieces: Sequence[Piece], number: int) -> bool:
    """Return whether the words between two names are a title that the second has in the first."""
    if title[-1].tag not in ("n", "nr") or pieces[number - 1].text == "的" or any(map(is_verb, title)):
        return False
    if number + 1 < len(pieces) and pieces[number + 1].text in TOWARDS:  # 任命X为Y
        return False
    bearer = pieces[number].entity
    if bearer is None or owner.type == PERSON or bool(HAN.search(owner.name)) > bool(HAN.search(bearer.name)):
        return False
    return bearer.type == PERSON or owner.type == bearer.type == ORGANIZATION
