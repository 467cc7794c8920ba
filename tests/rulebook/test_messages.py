"""Questions are understood without loading what reads documents: the parser, the lists of words, the screening."""

import subprocess
import sys

from core.rulebook.messages import PersonalMessage, Question
from core.rulebook.model import QuestionKind


def test_what_a_question_asks() -> None:
    question = Question("Could you tell me when the annual report of KelpNet was written and who wrote it?")
    assert question.plain == "when the annual report of KelpNet was written and who wrote it?"
    assert question.names == ["KelpNet"]
    assert question.may_name_a_document
    assert question.topic(()) == "KelpNet"
    assert Question("What is this paper about?").kind.is_about_whole_documents
    assert Question("What does the annual report say?").work_terms == {"annual"}
    assert Question("Which documents mention Porto?").words_to_mention == "Porto"
    assert Question("How many buoys are there?").kind is QuestionKind.HOW_MANY


def test_a_message_of_nothing_else_is_a_statement_as_a_whole() -> None:
    assert PersonalMessage("The buoys are red.").statement is None
    assert PersonalMessage("The buoys are red.").whole_statement.text == "The buoys are red"
    assert PersonalMessage("What is my name?").terms == {"name"}


def test_questions_are_understood_without_the_parser_and_the_lexicons() -> None:
    heavy = "core.rulebook.syntax core.rulebook.entities core.rulebook.relations"
    script = f"import sys, core.rulebook.messages; print([name for name in '{heavy}'.split() if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
