"""Documents and entities that a question mentions with @."""

import re
from pathlib import PurePath

from core.platform.language.scripts import HAN
from core.runs.model import RunOptions

_MARK = re.compile(r"(?<![^\W_])@(?=[\w\"“「])")

_FILE_BEFORE = re.compile(
    r"\s*(?:@(?:[^\s@\"“「]+\.\w{2,5}|[\"“「][^\"”」]+\.\w{2,5}[\"”」])[,，:：]?\s+)+"
    rf"(?=[A-Z{HAN}]|(?:wh|how|is|are|was|do|does|did|can|may|must|should)\w*\s+\w+)"
)
"""A file to which a question is limited, where what follows is a question without its name."""
_POINTS_BACK = re.compile(r"\b(?:it|its|this|these|they|their)\b|[它其这该]", re.IGNORECASE)


def mentioned(question: str, name: str) -> bool:
    """`@name`, `@"name"` or, of a file, the name without its ending; case makes no difference."""
    return any(_follows(question, form) for form in {name, PurePath(name).stem} if form.strip())


def as_asked(question: str, options: RunOptions) -> str:
    """The question without the signs of what it is limited to."""
    if not options.is_limited:
        return question
    return without_marks(question, names_files=bool(options.documents) and not options.entities)


def without_marks(question: str, *, names_files: bool) -> str:
    """As it would be asked without the signs; addresses keep theirs.

    names_files: whether what looks like a file before the question is one that it is limited to, and no part of it.
    """
    apart = _FILE_BEFORE.match(question) if names_files else None
    asked = question[apart.end() :] if apart and not _POINTS_BACK.search(question, apart.end()) else question
    return _MARK.sub("", asked)


def _follows(question: str, name: str) -> bool:
    return re.search(rf"@[\"“「]?{re.escape(name)}(?![a-z0-9])", question, re.IGNORECASE) is not None
