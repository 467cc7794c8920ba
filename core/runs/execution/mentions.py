"""Documents and entities that a question mentions with @."""

import re
from pathlib import PurePath

_MARK = re.compile(r"(?<![^\W_])@(?=[\w\"“「])")


def mentioned(question: str, name: str) -> bool:
    """`@name`, `@"name"` or, of a file, the name without its ending; case makes no difference."""
    return any(_follows(question, form) for form in {name, PurePath(name).stem} if form.strip())


def without_marks(question: str) -> str:
    """As it would be asked without the signs; those inside of addresses stay."""
    return _MARK.sub("", question)


def _follows(question: str, name: str) -> bool:
    return re.search(rf"@[\"“「]?{re.escape(name)}(?![a-z0-9])", question, re.IGNORECASE) is not None
