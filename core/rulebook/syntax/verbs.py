"""English verbs and their forms."""

import re
from functools import cache
from pathlib import Path

_ENDINGS = {
    "VBZ": (("ies", "y"), ("es", "e"), ("es", ""), ("s", "")),
    "VBG": (("ing", "e"), ("ing", "")),
    "VBD": (("ied", "y"), ("ed", "e"), ("ed", "")),
}
_VERBS = Path(__file__).with_name("verbs.txt")
_CLITICS = {"'re": "be", "’re": "be", "'m": "be", "’m": "be", "'s": "be", "’s": "be", "'ve": "have", "’ve": "have"}
"""Of verbs that are no auxiliaries, so that "'s" is "is", never "has"."""
_DOUBLED = re.compile(r"([bdgklmnprt])\1(?:ing|ed)$")


def verb_of(form: str, tag: str) -> str:
    """The base form of a verb: acquired -> acquire. tag: of the Penn treebank."""
    verbs, irregular = _known()
    form = form.lower()
    if form in _CLITICS and tag != "POS":
        return _CLITICS[form]
    if tag in ("VB", "VBP") and form in verbs:
        return form
    if form in irregular:
        return irregular[form]
    for ending, instead in _ENDINGS.get("VBD" if tag == "VBN" else tag, ()):
        stem = form.removesuffix(ending) + instead
        if form.endswith(ending) and stem in verbs:
            return stem
    doubled = _DOUBLED.sub(r"\1", form)
    return doubled if doubled in verbs else form


def verbs_of(phrase: str) -> str:
    """Key that phrases share which differ only in forms of verbs: "acquired", "has acquired" and "acquire"."""
    words = [verb_of(word, _tag(word)) for word in phrase.lower().split()]
    return " ".join([word for word in words if word not in ("be", "have", "the", "a", "an")] or words)


def _tag(word: str) -> str:
    return next((tag for tag, ending in (("VBG", "ing"), ("VBD", "ed"), ("VBZ", "s")) if word.endswith(ending)), "VB")


@cache
def _known() -> tuple[frozenset[str], dict[str, str]]:
    """Verbs, and irregular forms of them with the verb."""
    lines = [line.split() for line in _VERBS.read_text(encoding="utf-8").splitlines()]
    return frozenset(line[0] for line in lines if len(line) == 1), dict(line for line in lines if len(line) == 2)
