"""The name that writers give of themselves: "I'm Dana, the secretary"."""

from collections.abc import Collection

from core.models.ports import EntityTagger
from core.platform.language.patterns import pattern
from core.platform.language.terms import normal_form
from core.rulebook.entities.lexicon import words
from core.rulebook.understanding.statements import Statement

_OPENING = pattern(r"(?:(?P<en>(?:I\s+am|I['’]m)\s+)|我是)(?P<name>(?:[A-Z][a-z]{1,3}\.?\s)?)")
"""With a title: "I'm Mrs Collins"."""
_BESIDE = pattern(r"[,，;；]|\s+(?:and|from|at|in)\b")
"""What may stand behind the name: "Dana's sister" is somebody else."""


class Introductions:
    """Asks for names in such openings alone, so that most messages are not read by the tagger."""

    def __init__(self, tagger: EntityTagger) -> None:
        self._tagger = tagger

    def facts(self, told: str) -> tuple[str, ...]:
        """("Name: Dana",), with what was told if it is more than the name; empty where no name is given."""
        opening = _OPENING.match(told)
        if opening is None:
            return ()
        begin, end = opening.start("name"), self._end_of_name(told, (opening.start("name"), opening.end()))
        if not end or not (end == len(told) or _BESIDE.match(told, end)):
            return ()
        english, chinese = Statement.NAMES
        name = f"{f'{english}: ' if opening['en'] else f'{chinese}：'}{told[begin:end]}"
        return (name,) if end == len(told) else (name, told)

    def _end_of_name(self, told: str, starts: Collection[int]) -> int:
        """Where a person's name that begins at one of these ends, with a Chinese title behind it; 0 without one."""
        (names,) = self._tagger.tag([told])
        end = next((one.end for one in names if one.start in starts and one.kind == "PERSON"), 0)
        behind = normal_form(told[end:])
        titles = (len(title) for title in words("zh_titles") if end and behind.startswith(title))
        return end + max(titles, default=0)
