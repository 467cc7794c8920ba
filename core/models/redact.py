"""Removes secrets from every text that is stored, logged or shown."""

import re
from collections.abc import Iterable

from core.models.thinking import tail

MARK = "[secret removed]"
SHORTEST = 6
"""Characters of the shortest secret; removing shorter ones would blank ordinary words."""
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gtk|tvly|gsk|xai|hf|ghp|gho|github_pat|lsv2|AKIA|AIza)[-_A-Za-z0-9*]{12,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
)
_ASSIGNED = re.compile(
    r"(?i)((?<![a-z])(?:bearer\s+|(?:api[-_ ]?key|authorization|access[-_ ]?token|secret|password)\b"
    r"[\"']?\s*[:=]\s*[\"']?(?:bearer\s+)?))(?!" + re.escape(MARK) + r")([^\s\"',;&]{6,})"
)
_USER_INFO = re.compile(r"(?<=://)[^/\s@]+@")


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without the given secrets and anything shaped like a key, a token or a login."""
    for secret in sorted({s for s in secrets if len(s) >= SHORTEST}, key=len, reverse=True):
        text = text.replace(secret, MARK)
    text = _USER_INFO.sub(f"{MARK}@", text)
    text = _ASSIGNED.sub(lambda match: match[1] + MARK, text)
    return _KEYS.sub(MARK, text)


class KeyFilter:
    """Removes an endpoint's own key from its model's stream, even if split over several pieces."""

    def __init__(self, key: str) -> None:
        self._key = key if len(key) >= SHORTEST else ""
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that can be shown now; a possible start of the key waits for the next piece."""
        if not self._key:
            return piece
        text = (self._held + piece).replace(self._key, MARK)
        cut = len(text) - tail(text, self._key)
        self._held = text[cut:]
        return text[:cut]

    def finish(self) -> str:
        """The remaining text at the end."""
        held, self._held = self._held, ""
        return held

    def whole(self, text: str) -> str:
        return text.replace(self._key, MARK) if self._key else text
