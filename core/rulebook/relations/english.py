"""Relations that English sentences state: verbs between entities, titles, appositions, possession."""

from collections.abc import Iterator, Sequence

from core.graph.model import LOCATION, ORGANIZATION, PERSON
from core.rulebook.entities.lexicon import words
from core.rulebook.relations.arguments import Argument, NamedPhrase, Sentence
from core.rulebook.relations.said import Said
from core.rulebook.relations.stance import is_fact, is_noun_fact
from core.rulebook.syntax.parser import Word

_COMMON = ("NN", "NNS")
_LONGEST_NAME = 5
"""Words of a relation's name."""
_TITLE = 4
"""Words between the two ends of "Apple chief executive Tim Cook"."""


def said_in(sentence: Sentence) -> Iterator[Said]:
    if sentence.words[-1].text == "?":
        return
    for word in sentence.words:
        if word.is_verb and not sentence.within(word) and is_fact(word, sentence):
            yield from _of_verb(word, sentence)
    for named in sentence.named:
        if _is_certain(sentence.words[named.head], sentence):
            yield from _of_name(named, sentence)


def _is_certain(word: Word, sentence: Sentence) -> bool:
    """Whether the parser knows how the word depends; what is said of it in passing then holds in any clause."""
    return word.head < 0 or word.label != "dep" or sentence.head_of(word) is None


def _of_verb(verb: Word, sentence: Sentence) -> Iterator[Said]:
    subjects, is_passive = _subjects(verb, sentence)
    if not subjects:
        yield from _defined(verb, sentence)
        yield from _done_to(verb, sentence)
        return
    stem = " ".join([verb.lower if is_passive else verb.verb, *(each.lower for each in verb.of("prt"))])
    ends = list(_ends(verb, "" if stem == "be" else stem, sentence))
    for subject in subjects:
        for name, end, sure, pattern in ends:
            yield from _said(subject, name, end, sure, pattern)
        if is_passive:
            active = " ".join([verb.verb, *(each.lower for each in verb.of("prt"))])
            for agent in _agents(verb, sentence):
                yield from _said(agent, active, subject, 0.9, "agent")


def _said(source: Argument, name: str, target: Argument, sure: float, pattern: str) -> Iterator[Said]:
    if name and source.entity.name != target.entity.name and len(name.split()) <= _LONGEST_NAME:
        yield Said(source.entity, name, target.entity, sure * source.factor * target.factor, pattern)


def _subjects(verb: Word, sentence: Sentence) -> tuple[list[Argument], bool]:
    """(subjects of the verb, whether it is passive)."""
    if patients := verb.of("nsubjpass"):
        return [each for word in patients for each in sentence.arguments(word)], True
    if doers := verb.of("nsubj"):
        return [each for word in doers for each in sentence.arguments(word)], False
    head = sentence.head_of(verb)
    return _shared_subjects(verb, head, sentence) if head and not verb.of("csubj") else ([], False)


def _shared_subjects(verb: Word, head: Word, sentence: Sentence) -> tuple[list[Argument], bool]:
    """Of a verb without a subject of its own: those of what it depends on."""
    if verb.label == "acl" and verb.tag in ("VBN", "VBG"):
        return _described_subjects(verb, head, sentence)
    if (verb.label == "conj" and head.is_verb) or (verb.label == "advcl" and verb.tag == "VBG" and not verb.of("mark")):
        found, head_passive = _subjects(head, sentence)
        is_joined = verb.label == "conj" and verb.tag == head.tag == "VBN" and not verb.of("aux")
        passive = bool(verb.of("auxpass")) or (is_joined and head_passive)
        return [Argument(each.entity, each.factor * 0.9) for each in found], passive
    return [], False


def _described_subjects(verb: Word, head: Word, sentence: Sentence) -> tuple[list[Argument], bool]:
    """Of a participle behind what it describes: "a company founded by X", "a firm owning Y"."""
    if listed := _listed_with(verb, head, sentence):
        return _subjects(listed, sentence)
    by = sentence.head_of(head) if head.label == "pobj" and verb.tag == "VBN" else None
    noun = sentence.head_of(by) if by and by.lower == "by" and by.label == "prep" else None
    is_passive = verb.tag == "VBN" and not any(each.verb == "have" for each in verb.of("aux"))
    return list(sentence.described(noun or head)), is_passive


def _listed_with(verb: Word, agent: Word, sentence: Sentence) -> Word | None:
    """The verb before: "directed by X, produced by Y" says nothing of X but that; None where there is none."""
    while agent.label == "conj" and (before := sentence.head_of(agent)):
        agent = before
    by = sentence.head_of(agent)
    if verb.tag == "VBN" and by and by.label == "agent" and sentence.words[verb.place - 1].text in (",", "and"):
        return sentence.head_of(by)
    return None


def _agents(verb: Word, sentence: Sentence) -> Iterator[Argument]:
    for by in verb.of("agent"):
        for word in by.of("pobj"):
            yield from sentence.arguments(word)


def _ends(verb: Word, stem: str, sentence: Sentence) -> Iterator[tuple[str, Argument, float, str]]:
    """Yield what the clause says of its subject: the relation's name, its other end, its confidence."""
    for word in verb.of("dobj", "oprd", "attr", "dative"):
        if stem and word.label != "attr":
            yield from ((stem, each, 0.85, "object") for each in sentence.arguments(word))
        yield from _through_noun(stem, word, sentence)
    if stem:
        yield from _through_clauses(verb, stem, sentence)
    yield from _through_prepositions(verb, stem, sentence)
    if not stem:
        yield from _through_adjective(verb, sentence)


def _through_clauses(verb: Word, stem: str, sentence: Sentence) -> Iterator[tuple[str, Argument, float, str]]:
    """Ends in the clauses beside a verb: "requires X to pay", "the city where X was built"."""
    for clause in verb.of("ccomp") if verb.verb not in words("telling_verbs") else ():
        if any(each.tag == "TO" for each in clause.of("aux")):
            told = (each for word in clause.of("nsubj", "nsubjpass") for each in sentence.arguments(word))
            yield from ((stem, each, 0.75, "control") for each in told)
    if verb.label == "relcl" and any(each.lower == "where" for each in verb.of("advmod")):
        yield from ((f"{stem} at", each, 0.7, "where") for each in sentence.arguments(sentence.words[verb.head]))


def _through_prepositions(verb: Word, stem: str, sentence: Sentence) -> Iterator[tuple[str, Argument, float, str]]:
    """Ends behind the prepositions of a verb: "moved to X", "serves as chairman of X"."""
    objects = [each for each in verb.of("dobj") if each.tag in _COMMON and not sentence.within(each)]
    for preposition in verb.of("prep", "dative") if stem else ():
        name = " ".join([stem, *(each.lower for each in objects[:1]), preposition.lower])
        for word in preposition.of("pobj"):
            yield from ((name, each, 0.75, "prep") for each in sentence.arguments(word))
            if preposition.lower == "as" and not verb.of("dobj"):
                yield from _through_noun(name, word, sentence)


def _through_adjective(verb: Word, sentence: Sentence) -> Iterator[tuple[str, Argument, float, str]]:
    """Ends behind an adjective: "is independent of X"."""
    for word in verb.of("acomp"):
        for preposition in word.of("prep"):
            for end in preposition.of("pobj"):
                name = f"{word.lower} {preposition.lower}"
                yield from ((name, each, 0.7, "adjective") for each in sentence.arguments(end))


def _through_noun(stem: str, noun: Word, sentence: Sentence) -> Iterator[tuple[str, Argument, float, str]]:
    """Ends behind a common noun: "holds a stake in X", "is X's chief executive"."""
    for head in (noun, *(each for each in noun.of("conj") if not each.is_verb)):
        is_title = head.tag not in _COMMON and head.label != "dobj" and _is_role(head)
        if (head.tag in _COMMON or is_title) and not sentence.within(head) and is_noun_fact(head, sentence):
            for name, end, sure in _of_noun(head, sentence):
                yield f"{stem} {name}".strip(), end, sure, "verb noun" if stem else "is noun"


def _of_noun(noun: Word, sentence: Sentence) -> Iterator[tuple[str, Argument, float]]:
    """Entities that a common noun belongs to: "subsidiary of X", "X's subsidiary", "X subsidiary"."""
    title = _title(noun, sentence)
    joined = [each for each in noun.of("conj") if each.place == noun.place + 2]
    prepositions = noun.of("prep") or [each for other in joined for each in other.of("prep")]
    for preposition in prepositions:
        for word in preposition.of("pobj"):
            yield from ((f"{title} {preposition.lower}", each, 0.8) for each in sentence.arguments(word))
    for word in noun.of("poss"):
        yield from ((f"{title} of", each, 0.8) for each in sentence.arguments(word))
    for word in noun.of("compound", "nmod"):
        if word.is_noun and (named := sentence.at(word)):
            yield f"{title} of", Argument(named.entity), 0.65


def _title(noun: Word, sentence: Sentence) -> str:
    """The noun with the words before it that belong to it."""
    first = noun.place
    while first and _is_part(sentence.words[first - 1], noun, sentence):
        first -= 1
    return _spelt(sentence.words[first : noun.place + 1])


def _spelt(title: Sequence[Word]) -> str:
    """Capitals are kept where there are several: CEO."""
    plain = " ".join(word.text if word.text[1:].isupper() else word.lower for word in title)
    return plain.replace(" - ", "-").removeprefix("- ")


def _is_part(word: Word, noun: Word, sentence: Sentence) -> bool:
    at: Word | None = word
    while at is not None and at.label in ("compound", "amod", "nmod", "npadvmod", "punct") and not sentence.within(at):
        if at.tag == "JJS" or (at.label == "punct" and at.tag != "HYPH"):
            return False
        at = sentence.head_of(at)
        if at is noun:
            return True
    return False


def _done_to(verb: Word, sentence: Sentence) -> Iterator[Said]:
    """X's debts are guaranteed by Y."""
    for noun in verb.of("nsubjpass"):
        if noun.tag in _COMMON and not sentence.within(noun):
            for agent in _agents(verb, sentence):
                for name, end, sure in _of_noun(noun, sentence):
                    yield from _said(agent, f"{verb.verb} {name}", end, sure, "done to")


def _defined(verb: Word, sentence: Sentence) -> Iterator[Said]:
    """The capital of France is Paris; its brands include X."""
    if verb.verb not in ("be", "include"):
        return
    for noun in verb.of("nsubj"):
        if not noun.is_noun or sentence.within(noun) or (verb.verb == "include" and noun.tag != "NNS"):
            continue
        for word in verb.of("attr", "dobj"):
            for named in sentence.arguments(word):
                for name, end, sure in _of_noun(noun, sentence):
                    if name.endswith(" of"):
                        yield from _said(named, name, end, sure, "defined")


def _of_name(named: NamedPhrase, sentence: Sentence) -> Iterator[Said]:
    """Relations of a name with what is around it: appositions, titles before it, its owner, where it is."""
    yield from _apposed(named, sentence)
    yield from _titled(named, sentence)
    yield from _placed(named, sentence)
    yield from _between(named, sentence)


def _apposed(named: NamedPhrase, sentence: Sentence) -> Iterator[Said]:
    """X, a subsidiary of Y; the subsidiary of Y, X."""
    word = sentence.words[named.head]
    for noun in word.of("appos"):
        if _is_apposed_role(noun, sentence):
            owner = Argument(_owner(noun, named, sentence).entity)
            for name, end, sure in _of_noun(noun, sentence):
                yield from _said(owner, name, end, sure, "apposition")
    head = sentence.head_of(word)
    if head and word.label == "appos" and _is_apposed_role(head, sentence):
        for name, end, sure in _of_noun(head, sentence):
            yield from _said(Argument(named.entity), name, end, sure, "named noun")


def _is_apposed_role(noun: Word, sentence: Sentence) -> bool:
    return _is_role(noun) and not sentence.within(noun) and is_noun_fact(noun, sentence)


def _placed(named: NamedPhrase, sentence: Sentence) -> Iterator[Said]:
    """Berlin-based X; X in Berlin."""
    word, here = sentence.words[named.head], Argument(named.entity)
    for adjective in word.of("amod"):
        for place in adjective.of("npadvmod"):
            if sentence.words[adjective.place - 1].tag == "HYPH" and (where := sentence.at(place)):
                yield from _said(here, f"{adjective.lower} in", Argument(where.entity), 0.8, "based")
    for preposition in word.of("prep"):
        for each in (each for other in preposition.of("pobj") for each in sentence.arguments(other)):
            if _places(named.entity.type, preposition.lower, each.entity.type):
                yield from _said(here, preposition.lower, each, 0.6, "name prep")


def _between(named: NamedPhrase, sentence: Sentence) -> Iterator[Said]:
    """An agreement between X and Y."""
    word = sentence.words[named.head]
    before = sentence.head_of(word)
    noun = sentence.head_of(before) if before and before.lower == "between" else None
    if noun and noun.is_noun and is_noun_fact(noun, sentence):
        for other in word.of("conj"):
            for each in sentence.arguments(other):
                yield from _said(Argument(named.entity), f"{noun.lower} with", each, 0.7, "between")


def _is_role(noun: Word) -> bool:
    """A common noun, or one with the capital of a title: Director, CEO."""
    return noun.tag in _COMMON or noun.text.isupper() or noun.lower in words("roles")


def _places(type: str, preposition: str, other: str) -> bool:
    """Whether "X in Y" says where X is or to what X belongs."""
    if preposition in ("in", "at", "near"):
        return other == (ORGANIZATION if type == PERSON else LOCATION)
    return preposition == "of" and (type, other) in ((PERSON, ORGANIZATION), (ORGANIZATION, LOCATION))


def _owner(noun: Word, named: NamedPhrase, sentence: Sentence) -> NamedPhrase:
    """Whose apposition it is: of the name right before it, if that is no place in the name's phrase.

    "Anna of Lund, a painter" is Anna; "X Inc., a Nevada company, and Y Inc., a Delaware company" are one each.
    """
    start = min([noun.place, *(child.place for child in noun.children if child.place < noun.place)])
    before = [each for each in sentence.named if each.last < start]
    nearest = before[-1] if before else named
    if nearest.entity.type != LOCATION:
        return nearest
    head = sentence.head_of(sentence.words[named.head])
    while named.entity.type == LOCATION and head is not None:
        named, head = sentence.at(head) or named, sentence.head_of(head)
    return named


def _titled(named: NamedPhrase, sentence: Sentence) -> Iterator[Said]:
    """Apple chief executive Tim Cook; Apple's chief executive Tim Cook."""
    first = named.first
    title: list[Word] = []
    for word in reversed(sentence.words[max(0, first - _TITLE - 1) : first]):
        other = sentence.within(word)
        if other is None:
            if not (word.is_noun or word.tag in ("JJ", "HYPH", "POS")) or not _belongs(word, named, sentence):
                return
            title.insert(0, word)
            continue
        nouns = [each for each in title if each.tag != "POS"]
        if (
            word.is_noun
            and nouns
            and _is_role(nouns[-1])
            and is_noun_fact(nouns[-1], sentence)
            and _belongs(word, named, sentence)
        ):
            yield from _said(Argument(named.entity), f"{_spelt(nouns)} of", Argument(other.entity), 0.7, "title")
        return


def _belongs(word: Word, named: NamedPhrase, sentence: Sentence) -> bool:
    """Whether the word is part of the phrase of the name."""
    at: Word | None = word
    for _ in range(_TITLE):
        at = sentence.head_of(at) if at else None
        if at is not None and named.first <= at.place <= named.last:
            return True
    return False
