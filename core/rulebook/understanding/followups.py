"""Resolves follow-ups ("and its neighbours?", "它呢?") into standalone questions."""

import re
from collections.abc import Sequence
from dataclasses import replace

from core.platform.language.answer_marks import VALUE
from core.platform.language.numbers import YEAR
from core.platform.language.patterns import any_of, pattern
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.clauses import (
    MODAL,
    WITHOUT_SUBJECT,
    around_interrogative,
    asks,
    before_interrogative,
    clauses_of,
    has_interrogative,
)
from core.rulebook.understanding.coreference import named_of_kind, points_back, sides_of, taking_up, told_in
from core.rulebook.understanding.ellipsis import PREPOSITION, counterpart
from core.rulebook.understanding.questions import kind_of, strip_frames
from core.rulebook.understanding.topics import (
    PARTICLES,
    KnownNames,
    has_han,
    names_in,
    occurs,
    outer_names,
    topic_of,
    topics_of,
    whole_title,
)
from core.runs.model import Turn

_SHE_HE = r"(?:he|him|his|she|her|hers)"
_IT = r"(?:it|its|they|them|their|theirs|this|that|these|those|one)"
_IMPERSONAL = r"(?!\s+(?:possible|true|likely|necessary|allowed|required|correct|safe|ok|takes?\s+to)\b)"
_EN_REFERENCE = pattern(rf"\b(?P<who>{_SHE_HE})\b|\b(?P<what>{_IT})\b{_IMPERSONAL}", re.IGNORECASE)
_ZH_REFERENCE = pattern(
    r"(?P<who>(?<![其吉结結])[他她]们?|此人|该人)|(?P<what>[它牠]们?|其(?!他|它|中|实|余|次|實|餘)|前者|后者|後者|上述的?|(?:这|那"
    r"|這)(?:个|些|個)?(?=[呢的有是？?]|$))"
)
_POSSESSIVE = frozenset({"its", "their", "his", "her"})
_POINTING = frozenset({"this", "that", "these", "those", "one"})
_NOUN_AFTER = pattern(
    r"\s+(?!(?:is|are|was|were|do|does|did|has|have|can|and|or|in|on|at|to|mean|work|happen|matter)\b)[a-z]", re.I
)
_VERB_AFTER = pattern(r"\s+(?:mean|work|happen|matter|come|differ)s?\b", re.I)
_LEADS_ON = any_of(
    r"^(?:and|but|also|then|so|or)\b(?!\s+(?:who|what|when|where|why|how|which)\b.{25,})",
    r"^(?:what|how)\s+about\b",
    r"^(?:那么?|那麼|还有|還有|以及|另外|而且)(?![个些里天年時时])",
)
_MORE = any_of(
    r"^(?:tell me |say |give me |some |any(?:thing)? )?(?:more|else|further)(?: (?:about (?:it|this|that)|details?"
    r"|please|on that))*$",
    r"^(?:go on|continue|elaborate|explain|in more detail|and then)$",
    r"^(?:继续|繼續|还有|還有|更多|详细(?:点|一点|说说|介绍)?|說說更多|展开说说|然后|再说说)$",
)
_BARE = any_of(
    r"^(?:and |but )?(?:why|how|when|where|who|how so|how come|since when)$",
    r"^(?:为什么|為什麼|为何|怎么会|什么时候|在哪里?|谁|如何)呢?$",
)
_LEAD_WORDS = pattern(
    r"^(?:and|but|also|then|so|or|what about|how about|in case of|for|那么?|那麼|还有|還有|以及|另外|而且)\s*[,，]?\s*",
    re.IGNORECASE,
)
_ONE = pattern(r"he|him|his|she|her|hers|it|its|[他她它牠其]|此人|该人", re.IGNORECASE)
"""Singular pronouns."""
_NEW_TOPIC = any_of(
    r"^(?:换(?:一?个)?话题|換(?:一?個)?話題|another topic|(?:let's )?change (?:of |the )?(?:topic|subject)"
    r"|(?:on )?(?:a|another) (?:different )?(?:note|subject))\s*[,，:：.。;；]\s*(?=\S)"
)
OF_A_VERB = 3
"""Characters behind the interrogative, the rest of 几时 among them; a question with more may name its own thing."""
SHORT = 5
"""Terms; a longer question without a subject may stand alone."""


def leans_on_history(question: str) -> bool:
    """Whether the question cannot be understood without the preceding one."""
    bare = _bare(question)
    if changed_topic(question):
        return False
    return points_back(bare) or _leans(question, bare)


def _leans(question: str, bare: str) -> bool:
    if _MORE.search(bare) or _BARE.search(bare) or _LEADS_ON.search(bare):
        return True
    if question.rstrip("？? ").endswith("呢") and (len(content_terms(bare)) <= 4 or not has_interrogative(bare)):
        return True
    if _names_nothing(bare):
        return True
    reference = _reference(bare)
    return reference is not None and not _has_own_antecedent(bare, reference)


def _names_nothing(bare: str) -> bool:
    """Return whether it has no content word, or is a short Chinese question that leaves its subject out."""
    words = content_terms(bare)
    lacks_subject = before_interrogative(bare) in WITHOUT_SUBJECT and len(words) <= SHORT and not names_in(bare)
    return (not words and any(map(str.isalpha, bare))) or lacks_subject


def _has_own_antecedent(bare: str, reference: re.Match[str]) -> bool:
    """Whether an earlier question of the same message has the referent of the pronoun."""
    first, *others = clauses_of(bare) or [bare]
    return bool(others) and reference.start() >= len(first) and asks(first)


def resolves_clearly(question: str, history: Sequence[Turn], names: KnownNames) -> bool:
    """Whether the question has a pronoun and the preceding, standalone question has a single topic."""
    last = next((turn.text for turn in reversed(history) if turn.role == "user"), "")
    if not last or leans_on_history(last) or not _only_refers(question):
        return False
    topics = topics_of(last, names)
    return len(topics) == 1 and topics[0] in resolve(question, history, names)


def _only_refers(question: str) -> bool:
    """Whether a pronoun is its only reference to the conversation."""
    bare = _bare(question)
    return _reference(bare) is not None and not _MORE.search(bare) and not _LEADS_ON.search(bare)


def with_told(names: KnownNames, question: str, asked: str, statement: str, label: tuple[str, str]) -> KnownNames:
    """The names with whom or what the statement told after "asked" is about: a person if the question has "she".

    label: what the statement is labelled, or "", and what follows.
    """
    reference = _reference(_bare(question))
    told = told_in(statement, *label, asked, person=bool(reference["who"])) if reference else ""
    if reference is None or not told:
        return names
    if reference["who"]:
        return replace(names, people=(told, *names.people))
    return replace(names, things=(told, *names.things))


def readings(question: str, history: Sequence[Turn], names: KnownNames) -> tuple[str, ...]:
    """The two readings of an ambiguous pronoun; empty if there is only one candidate."""
    bare = PARTICLES.sub("", strip_frames(question).strip())
    reference = _reference(bare) if leans_on_history(question) and not _LEADS_ON.search(bare) else None
    last = next((at for at in range(len(history) - 1, -1, -1) if history[at].role == "user"), None)
    if reference is None or last is None or not _ONE.fullmatch(reference.group()):
        return ()
    asked = resolve(history[last].text, history[:last], names)
    told = "\n".join(turn.text for turn in history[last + 1 :])
    meant = _people_meant(asked, told, names) if reference["who"] else _things_meant(asked, told, names)
    plain = _LEAD_WORDS.sub("", bare) or bare
    found = list(dict.fromkeys(_replaced(plain, name) + _mark(bare) for name in meant))  # a name may be of two entities
    return tuple(found[:2]) if len(found) > 1 else ()


def _people_meant(asked: str, told: str, names: KnownNames) -> list[str]:
    """The person that the preceding question is about, else those whom its answer introduces, else those it names."""
    value = VALUE.match(told)
    if value and value[1] in names.people:
        return [value[1]]
    named = [name for name in names.people if occurs(name, asked)]
    if len(named) == 1 and _is_about(named[0], asked):
        return named
    new = [name for name in names.people if occurs(name, told) and name not in named]
    return sorted(new, key=told.find) or named


def _things_meant(asked: str, told: str, names: KnownNames) -> list[str]:
    """Return what the last question asks for and its topic, else the things it names, without parts of longer names."""
    if whole_title(asked):
        return []
    if found := named_of_kind(asked, told, names):
        topic = topic_of(asked, names)
        return [found, topic] if topic in names.things or topic in names_in(asked) else [found]
    outer = outer_names([name for name in names.things if name not in names.people], asked)
    return sorted(outer, key=asked.casefold().find) if len(outer) > 1 else []


def resolve(question: str, history: Sequence[Turn], names: KnownNames) -> str:
    """The question in standalone form; earlier questions are resolved one by one."""
    if rest := changed_topic(question):
        return rest
    names = replace(names, people=_latest_first(names.people, history))
    standing = told = ""
    for turn in history:
        if turn.role == "user":
            standing, told = _resolve_by(turn.text, standing, told, names) if standing else turn.text, ""
        else:
            told = turn.text
    return _resolve_by(question, standing, told, names) if standing else question


def _resolve_by(question: str, standing: str, told: str, names: KnownNames) -> str:
    if not leans_on_history(question):
        return question
    bare = _bare(question)
    if _MORE.search(bare):
        return standing
    if _BARE.search(bare) or (kind_of(bare) is QuestionKind.WHY and not content_terms(bare)):
        return f"{_LEAD_WORDS.sub('', bare)}: {standing}"
    taken_up = taking_up(bare, standing, told, names)
    if taken_up and not _reference(taken_up):
        return _LEAD_WORDS.sub("", taken_up) + _mark(bare)
    if not taken_up and points_back(bare) and not _leans(question, bare):
        return question
    return _continued(question, taken_up or bare, standing, told, names)


def _continued(question: str, bare: str, standing: str, told: str, names: KnownNames) -> str:
    """Return the question with the referent of its pronoun, or combined with the earlier question."""
    if reference := _reference(bare):
        if found := _meant(reference, standing, told, names):
            return _replaced(_LEAD_WORDS.sub("", bare) or bare, found) + _mark(bare)
        return f"{bare} ({standing})"
    topic = topic_of(standing, names)
    if _names_nothing(bare):
        return f"{topic}{question}" if has_han(bare) and topic and topic != _bare(standing) else f"{bare}: {standing}"
    return _varied(_LEAD_WORDS.sub("", bare), standing, topic, names)


def _mark(bare: str) -> str:
    return "？" if has_han(bare) else "?"


def _meant(reference: re.Match[str], standing: str, told: str, names: KnownNames) -> str:
    """Return the referent of a pronoun: a person, two things, or what the earlier question asks for or is about."""
    if reference["who"]:
        return _person_meant(standing, told, names)
    sides = sides_of(standing, names) if _is_plural(reference.group()) else ""
    thing = sides or named_of_kind(standing, told, names) or topic_of(standing, names)
    return thing or _told_alone(standing, told, names)


def _person_meant(standing: str, told: str, names: KnownNames) -> str:
    """Return the person last spoken of, else whom the earlier question may be about; "" for what it asks "who" of."""
    meant = _people_meant(standing, told, names)
    if names.people:
        return meant[0] if len(meant) == 1 else names.people[0]
    topic = topic_of(standing, names)
    is_asked_of = kind_of(standing) is QuestionKind.WHO and not _is_about(topic, standing)
    return "" if topic in names.things or is_asked_of else topic.partition(" of ")[2] or topic


def _is_about(person: str, asked: str) -> bool:
    """ "Who is Ada?" and "What does Ada do?" are about Ada, "Who wrote to Ada?" about somebody else."""
    return kind_of(asked) is not QuestionKind.WHO or not content_terms(asked.replace(person, " "))


def _is_plural(pronoun: str) -> bool:
    """ "they", "theirs", "these", 它们."""
    return pronoun.casefold().startswith("the") or pronoun.endswith("们")


def _bare(question: str) -> str:
    """The question without polite phrases ("could you tell me") and final particles."""
    return PARTICLES.sub("", strip_frames(question).strip())


def _told_alone(asked: str, told: str, names: KnownNames) -> str:
    """The one thing that the answer names and the question before it does not."""
    new = [name for name in outer_names(names.things, told) if name not in names.people and not occurs(name, asked)]
    return new[0] if len(new) == 1 else ""


def _varied(fragment: str, standing: str, topic: str, names: KnownNames) -> str:
    """The earlier question with the fragment in the place of its counterpart or its topic, or added to it."""
    if of_year := _of_year(fragment, standing):
        return of_year
    if subject := _subject_left_out(fragment, standing, topic):
        return f"{subject}{fragment}？"
    return _with_counterpart(fragment, standing, topic, names)


def _with_counterpart(fragment: str, standing: str, topic: str, names: KnownNames) -> str:
    """The same for a fragment that is no year and leaves no subject out."""
    if _is_question(fragment):
        return fragment
    part, new = counterpart(fragment, standing, names.encoder)
    if part:
        return standing.replace(part, new)
    if names.encoder and PREPOSITION.match(fragment):
        return f"{PARTICLES.sub('', standing)} {fragment}?"
    if _is_name(topic) and topic in standing and topic != _bare(standing):
        return standing.replace(topic, fragment)
    joint = "：" if has_interrogative(fragment) else "，"  # of two questions with a comma each would be answered
    return f"{fragment}{joint}{standing}" if has_han(fragment) else f"{fragment} ({standing})"


def _subject_left_out(fragment: str, standing: str, topic: str) -> str:
    """What the earlier question is about, for a Chinese question of an interrogative and a verb: 要几时退."""
    before, after = around_interrogative(fragment) or (fragment, "")
    if before.rstrip(MODAL) or not 0 < len(after) <= OF_A_VERB:
        return ""
    earlier = before_interrogative(standing)
    return topic or standing[: len((earlier or "").rstrip(MODAL))]


def _is_name(topic: str) -> bool:
    return has_han(topic) or bool(names_in(topic))


def _of_year(fragment: str, standing: str) -> str:
    """The earlier question of the year that the fragment consists of; "" where it says more, or none."""
    year, earlier = YEAR.search(fragment), YEAR.search(standing)
    if not year or len(content_terms(fragment)) > 2:
        return ""
    return standing.replace(earlier.group(), year.group()) if earlier else f"{PARTICLES.sub('', standing)} {fragment}"


def changed_topic(question: str) -> str:
    """The question after "another topic, ..."; "" if no change of topic is announced."""
    announced = _NEW_TOPIC.match(question.strip())
    return question.strip()[announced.end() :].strip() if announced else ""


def _latest_first(people: Sequence[str], history: Sequence[Turn]) -> list[str]:
    """Names ordered by their last occurrence in the conversation, latest first."""
    said = "\n".join(turn.text for turn in history)
    return sorted(people, key=lambda name: -said.rfind(name))


def _reference(bare: str) -> re.Match[str] | None:
    """The first pronoun without a name in front of it."""
    if match := _ZH_REFERENCE.search(bare):
        return match
    for match in _EN_REFERENCE.finditer(bare):
        before = bare[: match.start()]
        if before and not match.group().islower() and not bare.isupper():
            continue  # of a title, or an abbreviation: "She Shall Have Music", "IT assets"
        if match.group().lower() in _POINTING and before.strip() and not _VERB_AFTER.match(bare, match.end()):
            continue
        if match.group().lower() in _POINTING and _NOUN_AFTER.match(bare, match.end()):
            continue
        if not names_in(before):
            return match
    return None


def _replaced(bare: str, name: str) -> str:
    if match := _ZH_REFERENCE.search(bare):
        before = bare[match.end() : match.end() + 1]
        joint = "的" if match.group().startswith("其") and before not in {"的", ""} else ""
        return bare[: match.start()] + name + joint + bare[match.end() :]
    match = _reference(bare)
    if not match:
        return bare
    word = match.group().lower()
    owner = word in _POSSESSIVE and _NOUN_AFTER.match(bare, match.end())
    return bare[: match.start()] + (f"{name}'s" if owner else name) + bare[match.end() :]


def _is_question(fragment: str) -> bool:
    """Whether the fragment has a question word and content of its own."""
    first = fragment.split(" ", 1)[0].lower()
    asks = first in {"what", "who", "which", "where", "when", "why", "how"} or re.search(
        r"什么|哪|谁|多少|如何|怎么|几", normal_form(fragment)
    )
    return bool(asks) and len(content_terms(fragment)) >= 2
