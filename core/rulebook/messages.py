"""Messages: the kind of a question and the names in it, follow-ups in standalone form, statements of the writer."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.rulebook.assessing.answer_types import lacks_form_asked
from core.rulebook.assessing.question_terms import QuestionTerms, question_terms_of
from core.rulebook.model import QuestionKind
from core.rulebook.understanding import questions, routing
from core.rulebook.understanding.corrections import with_denied
from core.rulebook.understanding.corrections import with_value_of as corrected_by
from core.rulebook.understanding.followups import leans_on_history, readings, resolve, resolves_clearly, with_told
from core.rulebook.understanding.question_splitting import parts_of
from core.rulebook.understanding.statements import PersonalMessage, Statement, joined
from core.rulebook.understanding.topics import KnownNames, names_in, topic_of

__all__ = [
    "KnownNames",
    "PersonalMessage",
    "Question",
    "Statement",
    "corrected_by",
    "joined",
    "readings",
    "resolve",
    "resolves_clearly",
    "with_denied",
    "with_told",
]


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the rules read it, in English or Chinese."""

    text: str

    @property
    def kind(self) -> QuestionKind:
        return questions.kind_of(self.text)

    @property
    def plain(self) -> str:
        """The question without its polite opening."""
        return questions.strip_frames(self.text)

    @property
    def essence(self) -> str:
        """The words to search for: without polite phrases, "this paper" and mere question words."""
        return questions.essence(self.text)

    @property
    def terms(self) -> QuestionTerms:
        """The weighted words that an answer has to cover."""
        return question_terms_of(self.text)

    def is_left_open_by(self, answer: str) -> bool:
        """Whether an answer in words of its own has neither a digit nor the number, date or name that is asked for."""
        return lacks_form_asked(self.text, self.kind, answer)

    @property
    def parts(self) -> tuple[str, ...]:
        """The two standalone questions of "When was X founded and who leads it?"; empty for a single question."""
        return parts_of(self.text)

    @property
    def names(self) -> list[str]:
        """Capitalised names, without a question word at the beginning."""
        return names_in(self.text)

    def topic(self, things: Sequence[str]) -> str:
        """Return what the question is about: one of the things that it names, else another name or its essence."""
        return topic_of(self.text, KnownNames(things)) or self.essence or self.text

    @property
    def is_vague(self) -> bool:
        """Whether the question, in simplified characters, refers to a document without its name: "this paper"."""
        return questions.VAGUE.search(self.text) is not None

    @property
    def works(self) -> list[str]:
        """The words for documents without their names: "the annual report"."""
        return questions.works_named(self.text)

    @property
    def work_terms(self) -> frozenset[str]:
        """Terms that tell which document is meant: "annual" of "the annual report"."""
        return questions.work_asked(self.text)

    @property
    def asks_of_several(self) -> bool:
        """Whether a question about whole documents is about all of them rather than one."""
        return questions.asks_of_several(self.text)

    @property
    def asks_of_contents(self) -> bool:
        """Whether the question asks what documents are about."""
        return questions.asks_of_contents(self.text)

    @property
    def asks_of_section(self) -> bool:
        """Whether the question names a section of a document."""
        return questions.asks_of_section(self.text)

    @property
    def may_name_a_document(self) -> bool:
        """Whether the question may name a document, so that the names of documents are worth reading."""
        return routing.may_name_a_document(self.text)

    @property
    def possible_titles(self) -> frozenset[str]:
        """Every part of the question that may be a document's title or file name, as terms."""
        return routing.names_asked(self.text)

    @property
    def words_to_mention(self) -> str:
        """The words of which the question asks what documents mention them; empty for any other question."""
        return questions.words_to_mention(self.text)

    @property
    def web_query(self) -> str | None:
        """The query of a message that orders a web search; "" where it has none of its own, None without an order."""
        return routing.asked_of_web(self.text)

    @property
    def is_recent(self) -> bool:
        """Whether the question is about current events, which documents seldom cover."""
        return routing.is_recent(self.text)

    @property
    def leans_on_history(self) -> bool:
        """Whether the question cannot be understood without the preceding one."""
        return leans_on_history(self.text)

    def calls_for_graph(self, names: Sequence[str]) -> bool:
        """Return whether the answer is a relation between the named things or a neighbour of one."""
        return routing.calls_for_graph(self.text, names)
