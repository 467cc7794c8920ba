"""A model whose words come slowly, so that questions are under way when something happens."""

from typing import Any

from tests.loopback.answers import Answer, Reply
from tests.loopback.derived import derived_reply

SAID = "The tide at Gannet is 4.2 metres high [1]. "


class Slowly:
    """A script of the double."""

    pause_seconds = 0.25

    def __call__(self, body: dict[str, Any]) -> Answer:
        said = Reply(SAID * 3, piece=8, pause_seconds=self.pause_seconds)
        return said if body.get("stream") else derived_reply(body)
