"""`python -m benchmarks.topic_changes`: of questions that stand alone, how many a question before bends to itself.

Every development question and every one of the public sets follows a development question drawn at random. Some of
the public ones do have a pronoun for what their passage is about.
"""

import random
import sys

from benchmarks.__main__ import DATA
from benchmarks.answers import asked_of
from benchmarks.development import FRESH, HALVES, older_questions, questions
from core.rulebook.messages import KnownNames, resolve
from core.rulebook.understanding.topics import names_in
from core.runs.model import Turn

MOST = 400
"""Of each public set."""


def main() -> None:
    halves = [row["question"] for half in (*HALVES, FRESH) for row in questions(half)]
    before = [*halves, *(row["question"] for row in older_questions())]
    public = [asked.question for _, all_asked, _ in asked_of(DATA, MOST) for asked in all_asked]
    drawn, bent = random.Random(1), 0
    standing = list(dict.fromkeys([*before, *public]))
    for question in standing:
        first = drawn.choice(before)
        known = sorted({*names_in(first), *names_in(question)}, key=len, reverse=True)
        if (
            taken := resolve(question, [Turn("user", first), Turn("assistant", "…")], KnownNames(tuple(known)))
        ) != question:
            bent += 1
            sys.stdout.write(f"{first} / {question}\n    -> {taken}\n")
    sys.stdout.write(f"{bent} of {len(standing)} are bent\n")


if __name__ == "__main__":
    main()
