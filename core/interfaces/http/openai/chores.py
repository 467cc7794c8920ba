"""Prompts that chat programs write themselves: chores such as a title for the chat, and questions about attached texts.

Their form distinguishes them from questions. A model gets them unchanged; without a model, rules do the chore from the
chat that it quotes, or quote an attached text.
"""

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agents.nodes.answer.generate import ANSWER, AnswerRequest
from core.app.services import Services
from core.documents.model import Chunk
from core.interfaces.http.openai.chat_shapes import Message
from core.interfaces.http.openai.writing import Written, json_in, writing_model
from core.models.meter import CountingMeter, Uncancelled
from core.platform.errors import ServiceError
from core.platform.language.detect import detect_language
from core.runs.execution.titles import title_of
from core.search.model import Passage

_LINE = re.compile(r"^[ \t]*(?P<role>user|human|assistant|ai|system)[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"<(?P<tag>[a-z_]{2,40})>", re.IGNORECASE)
_CLOSING = re.compile(r"</(?P<tag>[a-z_]{2,40})>", re.IGNORECASE)
_MEMBER = re.compile(r"\{\s*\"(?P<key>\w{1,40})\"\s*:\s*(?P<opens>[\[\"])")
_CONTEXT = re.compile(r"(?>.*?<context>)(?P<inside>.*)</context>", re.DOTALL | re.IGNORECASE)
"""From the start of a text on; (?>) tries no other opening tag."""
_SOURCE = re.compile(r"<(?P<tag>source)\b(?P<attributes>[^>]{0,500}+)>", re.IGNORECASE)
_NAME = re.compile(r"\bname=\"([^\"]{1,300})\"")
_MARKERS = re.compile(r"<(?P<tag>[a-z_]{2,40})>\s*(?:<[^<>]{0,2000}/>\s*)+</(?P=tag)>", re.IGNORECASE)
"""Tags that contain only tags: attachments, not text."""
_ASKED = re.compile(r"<(?P<tag>user_query|query|question)>", re.IGNORECASE)
_AS_JSON = '\n\nReply with one JSON object: {"text": what you would have replied}'


@dataclass(frozen=True, slots=True)
class Chore:
    prompt: str
    said: tuple[str, ...]
    """Messages of the user in the quoted chat, oldest first."""
    key: str
    """Member of the requested JSON object; empty if text is requested."""
    is_list: bool


@dataclass(frozen=True, slots=True)
class Attached:
    prompt: str
    question: str
    sources: tuple[tuple[str, str], ...]
    """(name, text)"""


def chore_in(messages: Sequence[Message]) -> Chore | None:
    """The chore, if the messages are a single prompt that quotes a chat; else None."""
    if sum(message.role == "user" for message in messages) != 1 or messages[-1].role != "user":
        return None
    asked = messages[-1].text
    system = "\n\n".join(message.text for message in messages if message.role in ("system", "developer"))
    chat = _quoted_chat(asked, bool(system))
    if chat is None or (_CONTEXT.match(asked) and any(_tagged(asked, _SOURCE))):
        return None
    instructions = f"{system}\n\n{asked.replace(chat, '')}"
    member = _MEMBER.search(instructions)
    return Chore(
        prompt=f"{system}\n\n{asked}".strip(),
        said=tuple(words for role, words in _turns(chat) if role in ("user", "human")),
        key=member["key"] if member else "",
        is_list=bool(member and member["opens"] == "["),
    )


def attached_in(message: Message) -> Attached | None:
    """The question and the texts that a chat program attached to it; None without any."""
    prompt = message.text
    context = _CONTEXT.match(prompt)
    if context is None:
        return None
    sources = [(_name_of(tag["attributes"]), words) for tag, words in _tagged(context["inside"], _SOURCE)]
    if not sources:
        return None
    rest = prompt[context.end() :]
    question = without_markers(next((words for _, words in _tagged(rest, _ASKED)), rest))
    return Attached(prompt, question, tuple(sources)) if question else None


def without_markers(text: str) -> str:
    return _MARKERS.sub("", text).strip()


def done(services: Services, chore: Chore) -> Written:
    """Raises AppError."""
    if written := _by_model(services, chore.prompt, chore.key):
        return written
    return Written(_by_rule(chore))


def answered_from(services: Services, attached: Attached) -> Written:
    """The answer; empty if there is no model and no sentence of the sources answers. Raises AppError."""
    if written := _by_model(services, attached.prompt, ""):
        return written
    passages = tuple(
        Passage(Chunk(f"source-{number}", "", number, text, (), ()), name, 1.0)
        for number, (name, text) in enumerate(attached.sources)
    )
    request = AnswerRequest(attached.question, detect_language(attached.question), passages)
    return Written("".join(ANSWER.rule(request)))


def _by_model(services: Services, prompt: str, key: str) -> Written | None:
    """None without a model, if it failed, or for a person with a daily limit, who is counted by questions."""
    model = writing_model(services)
    if model is None or services.answering.has_daily_limit:
        return None
    meter = CountingMeter(Uncancelled())
    try:
        found = json_in(model.write(prompt if key else prompt + _AS_JSON, meter))
    except ServiceError:
        return None
    if found is None or (not key and not isinstance(found.get("text"), str)):
        return None
    return Written(json.dumps(found, ensure_ascii=False) if key else found["text"], meter.usage)


def _by_rule(chore: Chore) -> str:
    """A title from the first question or a query from the last one; empty for other chores."""
    first, last = (chore.said[0], chore.said[-1]) if chore.said else ("", "")
    if not chore.key:
        return title_of(first)
    value: object = [last] if chore.key == "queries" and last else [] if chore.is_list else ""
    if chore.key == "title":
        value = title_of(first)
    return json.dumps({chore.key: value}, ensure_ascii=False)


def _quoted_chat(asked: str, has_instructions: bool) -> str | None:
    """The quoted chat: lines with speakers between tags, or several turns below instructions; None without any."""
    for _, inside in _tagged(asked, _TAG):
        if _LINE.match(inside):
            return inside
    lines = list(_LINE.finditer(asked))
    speakers = {line["role"].lower() for line in lines}
    if len(speakers) < 2 or not (has_instructions or asked[: lines[0].start()].strip()):
        return None
    return asked[lines[0].start() :]


def _tagged(text: str, opening: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Opening tags, each with the text up to the nearest closing tag of its name; tags in that text are passed over.

    One pattern of both tags would look through the rest of the text for each opening one that is never closed.
    """
    closings = defaultdict[str, list[int]](list)
    for closing in _CLOSING.finditer(text):
        closings[closing["tag"].lower()].append(closing.start())
    at = 0
    while opened := opening.search(text, at):
        at, ends = opened.end(), closings[opened["tag"].lower()]
        nearest = bisect_left(ends, at)
        if nearest < len(ends):
            yield opened, text[at : ends[nearest]].strip()
            at = ends[nearest]


def _turns(chat: str) -> list[tuple[str, str]]:
    lines = list(_LINE.finditer(chat))
    ends = [line.start() for line in lines[1:]] + [len(chat)]
    return [
        (line["role"].lower(), without_markers(chat[line.end() : end])) for line, end in zip(lines, ends, strict=True)
    ]


def _name_of(attributes: str) -> str:
    found = _NAME.search(attributes)
    return found[1] if found else ""
