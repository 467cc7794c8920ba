"""Posts and roles that Chinese puts between two names: Y董事长X, Y的创始人X."""

from collections.abc import Iterator, Sequence

from core.graph.model import ExtractedName
from core.rulebook.entities.spans import ORGANIZATION, PERSON
from core.rulebook.relations.chinese_pieces import HAN, LONGEST_TITLE, TOWARDS, Piece, is_verb
from core.rulebook.relations.said import Said


def stated_by_titles(pieces: Sequence[Piece], owner: ExtractedName | None) -> Iterator[Said]:
    """Y董事长X; Y的创始人X. owner: of the title before, which a clause that begins with a title goes on with."""
    for number, piece in enumerate(pieces):
        if not piece.entity or not number:
            continue
        first = _beginning(pieces, number)
        title = [each for each in pieces[first:number] if each.text != "的"]
        named = pieces[first - 1].entity if first else owner
        if named and title and _holds(named, title, pieces, number):
            name = "".join(each.text for each in title).strip("、兼")
            if name and len(name) <= LONGEST_TITLE:
                yield Said(named, name, piece.entity, 0.8 if first else 0.7, "title")


def _beginning(pieces: Sequence[Piece], number: int) -> int:
    """Where the words begin that may be a title before the piece."""
    while number and _is_title(pieces[number - 1]):
        number -= 1
    return number


def _holds(owner: ExtractedName, title: Sequence[Piece], pieces: Sequence[Piece], number: int) -> bool:
    """Whether the words between two names are a title that the second has in the first."""
    if title[-1].tag not in ("n", "nr") or pieces[number - 1].text == "的" or any(map(is_verb, title)):
        return False
    if number + 1 < len(pieces) and pieces[number + 1].text in TOWARDS:  # 任命X为Y
        return False
    bearer = pieces[number].entity
    if bearer is None or owner.type == PERSON or _is_han(owner.name) > _is_han(bearer.name):
        return False
    return bearer.type == PERSON or owner.type == bearer.type == ORGANIZATION


def _is_han(name: str) -> bool:
    return HAN.search(name) is not None


def _is_title(piece: Piece) -> bool:
    return piece.tag[0] in ("n", "b", "j", "f") or piece.text in ("的", "兼", "、")
