"""`python -m benchmarks.told_memories [KIND...]`: what is understood of statements that people tell about themselves.

The rows of told_memories.jsonl were written by a language model that knew nothing of the engine. KIND: "statement" (is
it offered to be remembered?), "update" (does the new one replace the old one, or is that offered?) or "ask" (is the
statement told that answers a question in other words?). KIND "request", of memory_requests.jsonl: is what is asked to
be remembered kept, in just these words, and is it seen what is asked to be forgotten? `fit` fits the weights of
core/memory/relevance.probability_of_answer to told_questions.jsonl and, as questions that no statement answers, to
own_words.jsonl.
"""

import json
import math
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answers import fresh_services, load_samples
from benchmarks.output import say_line
from core.app.services import Services
from core.memory.keeping import accept, new_memory, told_on_same_thing
from core.memory.model import Memory, MemoryKind, MemoryRequest, MemoryStatus, Scope
from core.platform.language.detect import is_unspaced
from core.rulebook.messages import PersonalMessage, Statement
from core.runs.model import AnswerOutcome, Run, RunRequest

HERE = Path(__file__).parent
OF_DOCUMENTS = 4
"""Questions for documents beside the statements of each person."""
RIDGE = 0.1
Row = dict[str, Any]


def main(*kinds: str) -> None:
    judges: dict[str, Callable[[Services, str, Row], list[str]]] = {
        "statement": _offered,
        "update": _replaced,
        "ask": _told,
        "request": _requested,
    }
    rows = [*_rows("told_memories.jsonl"), *(row | {"kind": "request"} for row in _rows("memory_requests.jsonl"))]
    with fresh_services() as services:
        base_id = load_samples(services)
        services.warm()
        for kind in kinds or judges:
            counts: Counter[str] = Counter()
            for row in (row for row in rows if row["kind"] == kind):
                _forget_all(services)
                counts.update(judges[kind](services, base_id, row))
            say_line(f"{kind}: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}")


def _offered(services: Services, base_id: str, row: Row) -> list[str]:
    _say(services, base_id, row["message"])
    return [f"{'statement' if row['is_statement'] else 'other'} {'kept' if services.memories.find() else 'not kept'}"]


def _replaced(services: Services, base_id: str, row: Row) -> list[str]:
    older = {memory.id for memory in _keep(services, base_id, row["old"])}
    newer = _keep(services, base_id, row["new"], older)
    near = [one for memory in newer for one in told_on_same_thing(services.memories, memory.text, Scope("", ""))[:1]]
    in_force = {memory.id for memory in services.memories.find(MemoryStatus.ACTIVE)}
    kind = "both stand" if older and newer else "not kept"
    if kind == "both stand" and not older & in_force:
        kind = "replaced"
    elif kind == "both stand" and any(one.id in older for one in near):
        kind = "replacing offered"
    return [f"{'of the same' if row['replaces'] else 'of another'} thing: {kind}"]


def _told(services: Services, base_id: str, row: Row) -> list[str]:
    told: dict[int, list[Memory]] = {}
    for at, statement in enumerate(row["told"]):
        told[at] = _keep(services, base_id, statement, {memory.id for memory in services.memories.find()})
    kinds = []
    for ask in row["asks"]:
        run = _say(services, base_id, ask["q"])
        said = {memory.id for memory in services.memories.find() if memory.text in run.answer}
        wanted = {memory.id for memory in told.get(ask["i"], [])}
        how = "alone" if run.outcome == AnswerOutcome.DIRECT else "beside passages"
        if ask["i"] < 0:
            kinds.append("answered by none: told one" if said else "answered by none: told none")
        else:
            kinds.append(f"told, {how}" if said & wanted else "another told" if said else "none told")
    return kinds


def _requested(services: Services, base_id: str, row: Row) -> list[str]:
    _say(services, base_id, row["message"])
    kept, asks = services.memories.find(), row["asks"]
    request = services.models.meanings.request(row["message"])
    if asks == "remember":
        facts = [Statement.of_request(MemoryRequest(row["fact"])).text.casefold(), row["fact"].casefold()]
        in_words = any(memory.text.casefold() in facts for memory in kept)
        return [f"remember: {'kept' if in_words else 'kept in other words' if kept else 'not kept'}"]
    taken = request is not None and (request.forgets or asks != "forget")
    return [f"{asks.replace('_', ' ')}: {'taken for a request' if taken else 'not taken for one'}"]


def _say(services: Services, base_id: str, message: str) -> Run:
    run_id = services.worker.start(RunRequest(message, base_id))
    deque(services.worker.follow(run_id), maxlen=0)
    return services.runs.get(run_id)


def _keep(services: Services, base_id: str, statement: str, known: set[str] | None = None) -> list[Memory]:
    """What is new after the statement was told and what it offered was accepted."""
    _say(services, base_id, statement)
    for memory in services.memories.find(MemoryStatus.PROPOSED):
        accept(services.memories, memory, services.models.meanings)
    return [memory for memory in services.memories.find() if memory.id not in (known or set())]


def _forget_all(services: Services) -> None:
    for memory in services.memories.find():
        services.memories.delete(memory.id)


def fit() -> None:
    """Print the weights of the search's score, of the cross-encoder and of the question itself, and the constant."""
    features = []
    with fresh_services() as services:
        services.warm()
        for row, others in _people():
            _forget_all(services)
            ids = []
            for statement in row["told"]:
                memory = new_memory(PersonalMessage(statement).whole_statement.text, MemoryKind.FACT, 6)
                services.memories.save(memory)
                ids.append(memory.id)
            asks = [(ask["q"], ids[ask["i"]] if ask["i"] >= 0 else "") for ask in row["asks"]]
            features += [_features(services, *ask) for ask in (*asks, *((other, "") for other in others))]
    given, wanted = np.array([row[:-1] for row in features]), np.array([row[-1] for row in features])
    say_line(" ".join(f"{weight:.2f}" for weight in _logistic(given, wanted)))


def _people() -> Iterator[tuple[Row, list[str]]]:
    """The statements and questions of each, with questions for documents that say "I" or "my" in the same script."""
    own = [row["question"] for row in _rows("own_words.jsonl")]
    own = [question for question in own if PersonalMessage(question).asks_about_self]
    people = _rows("told_questions.jsonl")
    for at, row in enumerate(people):
        fitting = [question for question in own if is_unspaced(question) == (row["lang"] == "zh")]
        yield row, fitting[at :: len(people)][:OF_DOCUMENTS]


def _features(services: Services, question: str, wanted: str) -> tuple[float, float, float, bool]:
    """Log odds of the search and of the cross-encoder, how personal the question is, whether the statement is right.

    Of the likeliest one.
    """
    found = services.memories.search(question, Scope("", ""))
    odds = services.models.cross_encoder.scores(question, [("", one.memory.text) for one in found])
    scores = [min(max(one.score, 1e-6), 1 - 1e-6) for one in found]
    read = [(math.log(score / (1 - score)), each) for score, each in zip(scores, odds, strict=True)]
    best = max(range(len(found)), key=lambda at: sum(read[at]))
    return *read[best], services.models.meanings.asks_of_self(question), found[best].memory.id == wanted


def _logistic(given: Any, wanted: Any) -> Any:
    given = np.c_[given, np.ones(len(given))]
    weights = np.zeros(given.shape[1])
    for _ in range(100):
        likely = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (likely - wanted) + RIDGE * weights
        bend = (given * (likely * (1 - likely))[:, None]).T @ given + RIDGE * np.eye(len(weights))
        weights -= np.linalg.solve(bend, slope)
    return weights


def _rows(name: str) -> list[Row]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    fit() if sys.argv[1:] == ["fit"] else main(*sys.argv[1:])
