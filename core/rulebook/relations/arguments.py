"""Entities that the noun phrases of a parsed sentence stand for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.graph.model import ORGANIZATION, PERSON, ExtractedName
from core.rulebook.entities.lexicon import is_legal_form
from core.rulebook.relations.subjects import TextSubjects
from core.rulebook.syntax.parser import Word

_PEOPLE = frozenset({"he", "she", "him", "her", "his"})
_THINGS = frozenset({"it", "its"})
_WE = frozenset({"we", "our", "us"})
_DEFINITE = frozenset({"the", "this"})
_LOOSE = frozenset({"det", "case", "punct", "relcl", "appos", "advmod"})
"""What a noun may have with it that still stands for something named before: not "the new company"."""
_RELATIVE = frozenset({"who", "which", "that", "whom"})
_QUOTES = frozenset('"“”')
_REFERRED = 0.7
"""Factor of the confidence in a relation whose end is a pronoun."""


@dataclass(frozen=True, slots=True)
class NamedPhrase:
    """An entity where a sentence names it."""

    entity: ExtractedName
    first: int
    last: int
    head: int
    """Places of words."""


@dataclass(frozen=True, slots=True)
class Argument:
    entity: ExtractedName
    factor: float = 1.0
    """Factor of the confidence in what is said of it."""


@dataclass(slots=True)
class Sentence:
    words: list[Word]
    named: Sequence[NamedPhrase]
    topic: ExtractedName | None = None
    """Subject of the sentence before."""
    person: ExtractedName | None = None
    """The person that the sentences before are about."""
    by_word: Mapping[int, NamedPhrase] = field(default_factory=dict)
    context: TextSubjects | None = None

    def at(self, word: Word) -> NamedPhrase | None:
        """The entity whose head the word is."""
        named = self.by_word.get(word.place)
        return named if named and named.head == word.place else None

    def within(self, word: Word) -> NamedPhrase | None:
        return self.by_word.get(word.place)

    def head_of(self, word: Word) -> Word | None:
        return self.words[word.head] if word.head >= 0 else None

    def arguments(self, word: Word) -> Iterator[Argument]:
        """Return the entities of the phrase with that head, and those joined to it; of "neither X nor Y" none."""
        if any(each.lower == "neither" for each in word.children):
            return
        own = list(self._own(word))
        yield from own
        for joined in word.of("conj") if own else ():
            if not joined.is_verb:
                yield from self.arguments(joined)

    def _own(self, word: Word) -> Iterator[Argument]:
        if named := self.at(word):
            yield Argument(named.entity)
        elif word.lower in _RELATIVE:
            yield from self._related_to(word)
        elif word.tag in ("NN", "NNS") and not self.within(word):
            for other in word.of("appos"):
                if named := self.at(other):
                    yield Argument(named.entity)
        if referred := self.referred(word):
            yield Argument(referred, _REFERRED)

    def _related_to(self, pronoun: Word) -> Iterator[Argument]:
        verb = self.head_of(pronoun)
        while verb and verb.label == "conj":
            verb = self.head_of(verb)
        noun = self.head_of(verb) if verb and verb.label == "relcl" else None
        for each in self.described(noun) if noun else ():
            if (pronoun.lower in ("who", "whom")) <= (each.entity.type == PERSON):
                yield each

    def described(self, noun: Word) -> Iterator[Argument]:
        """Subject of a clause after the noun: the name itself, or what the noun describes."""
        if named := self.at(noun):
            yield Argument(named.entity)
            return
        head = self.head_of(noun)
        if self.within(noun) or head is None:
            return
        yield from (Argument(named.entity) for other in noun.of("appos") if (named := self.at(other)))
        if noun.label == "appos" and (named := self.at(head)):
            yield Argument(named.entity)
        elif noun.label == "attr" and head.lower in ("is", "was", "are", "were"):
            for subject in head.of("nsubj"):
                yield from self.arguments(subject)

    def referred(self, word: Word) -> ExtractedName | None:
        """Return the referent of a pronoun: the subject before it, in this sentence or the one before."""
        said = word.lower
        if said in _WE:
            return None if self.is_quoted else self._above(ORGANIZATION)
        if said not in _PEOPLE | _THINGS:
            return self._described_before(word)
        type = PERSON if said in _PEOPLE else ORGANIZATION
        before = (self.person if said in _PEOPLE else self.topic) or self._above(type)
        subject = next(self._owners(word) if word.label == "poss" else self._subjects(word), before)
        return subject if subject and subject.type == type else None

    @property
    def is_quoted(self) -> bool:
        return any(word.text in _QUOTES for word in self.words)

    def _above(self, type: str) -> ExtractedName | None:
        above = self.context.above(self.words[0].start) if self.context else ()
        return next((each for each in above if each.type == type), None)

    def _described_before(self, word: Word) -> ExtractedName | None:
        """What "the museum" stands for."""
        if not word.is_noun or self.within(word) or not _LOOSE.issuperset(child.label for child in word.children):
            return None
        is_definite = any(child.lower in _DEFINITE for child in word.of("det"))
        return self.context.known_as(word.lower, word.start, self.topic) if self.context and is_definite else None

    def _owners(self, pronoun: Word) -> Iterator[ExtractedName]:
        """Subjects of the clause in which "its" stands."""
        within, at = pronoun, self.head_of(pronoun)
        while at is not None and not at.is_verb:
            within = within if within.label == "conj" else at
            at = self.head_of(at)
        for subject in at.of("nsubj", "nsubjpass") if at else ():
            if subject is not within:
                yield from (each.entity for each in self._own(subject))

    def _subjects(self, before: Word) -> Iterator[ExtractedName]:
        """Subjects of the sentence that stand before a pronoun that is not one of their own clause."""
        for word in self.words[: before.place]:
            named = self.at(word)
            if named and word.label in ("nsubj", "nsubjpass"):
                yield named.entity


def read_names(words: list[Word], entities: Sequence[ExtractedName]) -> Sequence[NamedPhrase]:
    """The entities between the first and the last of the words, each with a legal form behind it."""
    found: list[NamedPhrase] = []
    at = 0
    for entity in entities:
        while at < len(words) and words[at].end <= entity.start:
            at += 1
        last = at
        while last + 1 < len(words) and words[last + 1].start < entity.end:
            last += 1
        if _are_a_legal_form(words[last + 1 : last + 4]):
            last += 2
        if at < len(words) and words[at].start < entity.end:
            inside = range(at, last + 1)
            heads = [place for place in inside if words[place].head not in inside]
            found.append(NamedPhrase(entity, at, last, heads[-1]))
            at = last + 1
    return found


def _are_a_legal_form(words: Sequence[Word]) -> bool:
    """Whether they are the form between the commas of "X, Inc., a subsidiary of Y"."""
    match words:
        case [before, form, after]:
            return before.text == after.text == "," and is_legal_form(form.text)
    return False


def sentence_of(
    words: list[Word],
    named: Sequence[NamedPhrase],
    before: "Sentence | None",
    context: TextSubjects | None = None,
) -> Sentence:
    """Without terms that only say what something is: "is a drama film directed by X" tells of the film's name."""
    kept = [each for each in named if not _only_says_what(words[each.head])]
    topic = topic_of(before) if before else None
    person = topic if topic and topic.type == PERSON else before.person if before else None
    by_word = {place: each for each in kept for place in range(each.first, each.last + 1)}
    return Sentence(words, kept, topic, person, by_word, context)


def _only_says_what(word: Word) -> bool:
    return word.tag in ("NN", "NNS") and word.text.islower() and word.label in ("attr", "appos", "nmod", "compound")


def topic_of(sentence: Sentence) -> ExtractedName | None:
    """The first subject of the main clause, to which a pronoun in the next sentence refers."""
    root = next((word for word in sentence.words if word.head < 0), None)
    subjects = root.of("nsubj", "nsubjpass") if root else []
    found = [argument.entity for subject in subjects for argument in sentence.arguments(subject)]
    return found[0] if found else None
