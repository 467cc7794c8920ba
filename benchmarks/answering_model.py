"""A model for the benchmark in a process of its own: knows the questions' answers, answers after a fixed latency."""

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.agents.nodes.answer.generate import REFUSAL
from tests.loopback.answers import Reply
from tests.loopback.derived import blocks_of, derived_reply, items_of
from tests.loopback.openai_server import OpenAiServer

_SENTENCE = re.compile(r"[^。！？!?]+?(?:[。！？]|[.!?](?=\s|$)|$)", re.DOTALL)
_TRUTHS = {"yes", "no"}


class Model:
    """Decides by the known answers: a passage helps when it has one, an answer stands when it states one."""

    def __init__(self, path: Path, latency_seconds: float) -> None:
        rows = json.loads(path.read_text(encoding="utf-8"))
        self.cases: dict[str, Mapping[str, Any]] = {_key(row["question"]): row for row in rows}
        self.cases |= {_key(row["standing"]): row for row in rows}
        self.latency_seconds = latency_seconds

    def __call__(self, request: dict[str, Any]) -> Reply:
        blocks = blocks_of(request["messages"])
        form = request.get("response_format", {}).get("json_schema", {})
        case = self.cases.get(_key(blocks.get("question", "")), {})
        reply = self._decided(form.get("name", ""), case, blocks) if form else self._written(case, blocks)
        reply = reply or derived_reply(request)
        return replace(reply, piece=max(1, len(reply.text)), pause_seconds=self.latency_seconds)

    def _decided(self, task: str, case: Mapping[str, Any], blocks: Mapping[str, str]) -> Reply | None:
        standing = case.get("standing", blocks.get("question", ""))
        said: dict[str, Any] | None = None
        match task:
            case "plan":
                said = {"route": case.get("route", "chunks"), "question": standing, "query": standing, "reason": ""}
            case "rewrite_query":
                said = {"query": standing, "reason": ""}
            case "grade_evidence":
                passages = items_of(blocks.get("passages", ""))
                said = {"relevant": [n for n, text in passages if _helps(case, text)], "reason": ""}
            case "check_answer":
                stands = _states(case, blocks.get("answer", ""))
                said = {"supported": True, "answers": stands, "unsupported": [], "reason": ""}
            case "consolidate_memory":
                said = {"keep": False, "text": "", "kind": "fact", "importance": 1}
        return Reply(json.dumps(said, ensure_ascii=False)) if said else None

    def _written(self, case: Mapping[str, Any], blocks: Mapping[str, str]) -> Reply | None:
        if "passages" not in blocks:
            return None
        helping = [(n, text) for n, text in items_of(blocks["passages"]) if _helps(case, text)]
        if not helping:
            return Reply(f"{REFUSAL}: no passage has the answer.")
        told = [f"{_sentence(case, text)} [{number}]" for number, text in helping[:2]]
        truth = next((answer for answer in case["answers"] if answer in _TRUTHS), "")
        return Reply(" ".join([*told, f"So the answer is {truth} [{helping[0][0]}]."] if truth else told))


def _key(question: str) -> str:
    """Punctuation, spaces and case do not make another question."""
    return "".join(character for character in question.casefold() if character.isalnum())


def _helps(case: Mapping[str, Any], text: str) -> bool:
    """A yes or no stands in no passage: there those help that are about something the question names."""
    answers = [answer for answer in case.get("answers", ()) if answer not in _TRUTHS]
    if answers:
        return any(answer.casefold() in text.casefold() for answer in answers)
    title = text.partition("\n")[0].partition(",")[0].strip()
    return bool(case.get("answers")) and bool(title) and title.casefold() in case["standing"].casefold()


def _sentence(case: Mapping[str, Any], text: str) -> str:
    """The one with the answer, else the first."""
    body = " ".join((text.partition("\n")[2] or text).split())
    found = [match[0].strip() for match in _SENTENCE.finditer(body) if match[0].strip()]
    answers = [answer.casefold() for answer in case["answers"]]
    return next((it for it in found if any(answer in it.casefold() for answer in answers)), found[0] if found else "")


def _states(case: Mapping[str, Any], answer: str) -> bool:
    return any(known.casefold() in answer.casefold() for known in case.get("answers", ()))


def main() -> None:
    """Arguments: the file with the questions, and the latency in seconds. Prints its address."""
    server = OpenAiServer(Model(Path(sys.argv[1]), float(sys.argv[2])))
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()
