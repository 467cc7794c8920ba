"""Whether a question names something with an @ before it."""

import re
from pathlib import PurePath


def mentioned(question: str, name: str) -> bool:
    """`@name`, `@"name"` or, of a file, the name without its ending; case makes no difference."""
    return any(_follows(question, form) for form in {name, PurePath(name).stem} if form.strip())


def _follows(question: str, name: str) -> bool:
    return re.search(rf"@[\"“「]?{re.escape(name)}(?![^\W_])", question, re.IGNORECASE) is not None
