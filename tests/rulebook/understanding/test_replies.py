"""Tests of replies to what was offered or done, with the sentence encoder and without."""

import pytest

from core.memory.model import MemoryReply
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.classifiers import Replies
from tests.fakes.models import replies


@pytest.mark.parametrize(
    ("message", "reply"),
    [
        ("Yes, please remember it.", MemoryReply.YES),
        ("sounds good, save it", MemoryReply.YES),
        ("对，记下来", MemoryReply.YES),
        ("yes, use that in place of the old one", MemoryReply.REPLACE),
        ("拿新的换掉旧的", MemoryReply.REPLACE),
        ("please don't save that", MemoryReply.NO),
        ("这个就别存了", MemoryReply.NO),
        ("no, stay with the one from before", MemoryReply.NO),
        ("不换，还是用之前那个", MemoryReply.NO),
        ("hold on, reverse that", MemoryReply.UNDO),
        ("no wait, he's 23", MemoryReply.CORRECT),
        ("说错了，是三个", MemoryReply.CORRECT),
        ("What is KelpNet?", MemoryReply.OTHER),
        ("My printer does not print.", MemoryReply.OTHER),
        ("浮标多久校准一次？", MemoryReply.OTHER),
        ("", MemoryReply.OTHER),
    ],
)
def test_a_reply_is_told_from_other_messages(message: str, reply: MemoryReply) -> None:
    assert replies().of(message) is reply


def test_without_an_encoder_the_examples_alone_are_known() -> None:
    plain = Replies(HashedEmbedder())
    assert plain.of("Yes please.") is MemoryReply.YES
    assert plain.of("sounds good, save it") is MemoryReply.OTHER
