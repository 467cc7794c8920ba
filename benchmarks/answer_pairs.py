"""`python -m benchmarks answer_pairs`: does the check of support tell right answers from changed ones?

Right answers are made of public questions with their short answers, and of the sample questions: the question as a
statement, and the sentence of the passage shortened to the clauses with the answer. Each is changed once: another
number or name (of the same passage, where it has one), or a denial. Answers in another language than the passage are
compared on parallel texts.
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import read_lines
from benchmarks.output import say_line
from core.app.bench.retrieval import RetrievalRow, read_corpus
from core.documents.model import Chunk
from core.models.embedding.sentence_encoder import UniversalSentenceEncoder
from core.platform.language.numbers import NUMBER
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.sentences import sentences
from core.rulebook.understanding.topics import names_in
from core.rulebook.verification import unsupported_sentences
from core.search.model import Passage

SETS = ("answers/squad2_dev600", "retrieval/cmrc2018_zh400", "retrieval/xquad_en2zh_dev", "retrieval/xquad_zh2en_dev")
HALVES = ("development", "held out")
_WHICH_ZH = re.compile(
    r"(?:哪一?[年月日天个位种座家所部支条]|什么(?:时候|地方|人)?|谁|多少|几|哪里|哪儿|何[时处地人]|为何物)"
)
_AUXILIARY = r"(?:is|are|was|were|has|have|had|can|could|will|would|does|do|did)"
_WHO = re.compile(rf"^(?:who|what|which)\s+(?!{_AUXILIARY}\b)(?P<rest>.+)$", re.IGNORECASE)
_BE = re.compile(r"^(?:who|what)\s+(?P<be>is|are|was|were)\s+(?P<rest>.+)$", re.IGNORECASE)
_OTHER = re.compile(rf"^(?:when|where|how many|how much|in what|in which)\b.*?\b{_AUXILIARY}\s+(?P<rest>.+)$", re.I)
_CLAUSE = re.compile(r"[,，；;]\s*")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]")
_VERB = re.compile(r"\b(is|are|was|were|can|will|has|had|have)\b")
_VERB_ZH = re.compile(r"(?<!不)(?:是(?!否)|有(?!关)|在(?!于)|能|由|被)")


@dataclass(frozen=True, slots=True)
class Pair:
    kind: str
    """right, or what was changed: number, name or denial."""
    set: str
    answer: str
    question: str
    passages: tuple[Passage, ...]

    @property
    def half(self) -> str:
        """By the question, so that a right answer and its changes are in one half."""
        return HALVES[hashlib.sha256(self.question.encode()).digest()[0] % 2]


Judge = Callable[[Pair], bool]
"""Whether it takes the answer for supported."""


def main(data: Path) -> None:
    pairs, encoder = list(pairs_of(data)), UniversalSentenceEncoder()
    judges: dict[str, Judge] = {
        "support": lambda pair: not unsupported_sentences(pair.answer, pair.passages, encoder=encoder),
    }
    say_line("| judge | half | set | right taken | of | number | of | name | of | denial | of | balanced accuracy |")
    say_line("|---" * 12 + "|")
    for name, judge in judges.items():
        taken = {pair: judge(pair) for pair in pairs}
        for half in HALVES:
            for of in (*SETS, ""):
                chosen = [pair for pair in pairs if pair.half == half and (not of or pair.set == of)]
                say_line(f"| {name} | {half} | {of or 'all'} | {' | '.join(_figures(chosen, taken))} |")


def _figures(pairs: Sequence[Pair], taken: dict[Pair, bool]) -> Iterator[str]:
    shares = []
    for kind in ("right", "number", "name", "denial"):
        judged = [taken[pair] is (kind == "right") for pair in pairs if pair.kind == kind]
        shares += judged if kind != "right" else []
        yield str(sum(judged))
        yield str(len(judged))
    right = [taken[pair] for pair in pairs if pair.kind == "right"]
    yield f"{(_share(right) + _share(shares)) / 2:.3f}"


def _share(judged: Sequence[bool]) -> float:
    return sum(judged) / max(1, len(judged))


def pairs_of(data: Path) -> Iterator[Pair]:
    for name in SETS:
        rows = {row.id: row for row in read_corpus(data / name)}
        ordered = list(rows)
        for asked in read_lines(data / name / "queries.jsonl"):
            if not asked["answers"] or asked["relevant"][0] not in rows:
                continue
            row = rows[asked["relevant"][0]]
            at = ordered.index(row.id)
            beside = [rows[ordered[(at + step) % len(ordered)]] for step in (1, 2)]
            passages = tuple(_passage(one) for one in (row, *beside))
            for right in right_answers(asked["question"], asked["answers"][0], row.text):
                yield Pair("right", name, right, asked["question"], passages)
                for kind, changed in changes(right, asked["answers"][0], row.text):
                    yield Pair(kind, name, changed, asked["question"], passages)


def _passage(row: RetrievalRow) -> Passage:
    return Passage(Chunk(row.id, row.id, 0, row.text, (), ()), row.title, 0.9)


def right_answers(question: str, answer: str, text: str) -> Iterator[str]:
    """The question as a statement, and the clauses of the passage's sentence that have the answer."""
    if stated := statement(question, answer):
        yield stated
    told = next((sentence for sentence in sentences(text) if answer in sentence), "")
    clauses = _CLAUSE.split(_ASIDE.sub("", told))
    at = next((at for at, clause in enumerate(clauses) if answer in clause), None)
    if at is not None and len(clauses) > 1:
        joint = "，" if HAN_CHARACTER.search(told) else ", "
        yield joint.join(clauses[max(0, at - 1) : at + 1]).rstrip(".。") + ("。" if joint == "，" else ".")


def statement(question: str, answer: str) -> str:
    """Empty where the form of the question is none that can be turned."""
    if HAN_CHARACTER.search(question):
        plain = question.strip("？?。 ")
        return f"{_WHICH_ZH.sub(answer, plain, count=1)}。" if len(_WHICH_ZH.findall(plain)) == 1 else ""
    plain = question.strip("? .")
    if found := _BE.match(plain):
        return f"{answer} {found['be']} {found['rest']}."
    if found := _WHO.match(plain):
        return f"{answer} {found['rest']}."
    if found := _OTHER.match(plain):
        return f"{found['rest'][:1].upper()}{found['rest'][1:]}: {answer}."
    return ""


def changes(right: str, answer: str, text: str) -> Iterator[tuple[str, str]]:
    """(what was changed, the answer with it)."""
    if numbers := NUMBER.findall(right):
        number = next((one for one in numbers if one in answer), numbers[0])
        others = [one for one in NUMBER.findall(text) if one not in numbers]
        yield "number", right.replace(number, others[0] if others else _another(number), 1)
    if name := next((one for one in _names(right) if one in answer), ""):
        others = [one for one in _names(text) if one not in right and name not in one]
        if others:
            yield "name", right.replace(name, others[0], 1)
    yield from _denials(right)


def _denials(right: str) -> Iterator[tuple[str, str]]:
    if HAN_CHARACTER.search(right):
        if found := _VERB_ZH.search(right):
            denied = "没" if found.group() == "有" else "不"
            yield "denial", f"{right[: found.start()]}{denied}{right[found.start() :]}"
    elif found := _VERB.search(right):
        yield "denial", f"{right[: found.end()]} not{right[found.end() :]}"


def _another(number: str) -> str:
    return f"{number[:-1]}{(int(number[-1]) + 3) % 10}"


def _names(text: str) -> list[str]:
    """Capitalised names, and in Chinese what stands between marks of names or is written in Latin letters."""
    found = [one for one in names_in(text) if len(one) > 2]
    return found + re.findall(rf"[{HAN}]+·[{HAN}]+", text) if HAN_CHARACTER.search(text) else found
