"""Detects the answer's language and script: the latest question's, or the conversation's if that is too short."""

import unicodedata
from dataclasses import replace

from core.agents.nodes.runtime import noted
from core.agents.state import Deps, NodeRuntime, State, Update
from core.models.ports import IntentReader
from core.platform.language import detect

SIGNIFICANT_LETTERS = 12
"""A single Latin word with fewer letters ("BERT?") may be part of a conversation in any language."""


def language_of(question: str, earlier: list[str], interface: str, intents: IntentReader) -> str:
    """Return the question's language, or the conversation's for a single word, unless that is small talk in English.

    earlier: the user's previous questions, oldest first; interface: the language of the pages, if known.
    """
    found = detect.detect_language(question)
    said = [detect.detect_language(words) for words in reversed(earlier) if not _is_one_word(words)]
    said += [interface] if interface else []
    if not said:
        return found
    if _is_one_word(question):
        return found if _is_english_talk(question, said[0], intents) else said[0]
    if found.startswith("zh") and detect.script_evidence(question) == 0:  # all characters exist in both scripts
        of_script = [words for words in reversed(earlier) if detect.script_evidence(words)]
        known = [*map(detect.detect_language, of_script), interface]
        return next((language for language in known if language.startswith("zh")), found)
    return found


def _is_one_word(question: str) -> bool:
    letters = sum(map(str.isalpha, question))
    return letters < SIGNIFICANT_LETTERS and " " not in question.strip() and detect.detect_language(question) == "en"


def _is_english_talk(word: str, language: str, intents: IntentReader) -> bool:
    """Whether a word is a greeting, thanks or the like; "merci" in a French conversation is no English."""
    return language.startswith("zh") and any(map(str.isalpha, word)) and intents.of(word).is_small_talk


def usual_language(state: State, deps: Deps) -> str:
    """Language of the answer, if no other one is requested."""
    earlier = [turn.text for turn in state.history if turn.role == "user"]
    return language_of(state.question, earlier, state.interface_language, deps.intents)


def answer_language(state: State, deps: Deps) -> str:
    """Language requested by the question, else by a memory, else the question's own."""
    return _wished_language(state, deps) or usual_language(state, deps)


def _wished_language(state: State, deps: Deps) -> str:
    preferred = next((one.form.language for one in deps.preferred if one.form.language), "")
    return state.options.language or preferred


def detect_language(state: State, runtime: NodeRuntime) -> Update:
    language = answer_language(state, runtime.context)
    reason = "run.reason.language_wished" if _wished_language(state, runtime.context) else "run.reason.language"
    return {"language": language, "note": noted(language, reason, language=language)}


def normalized(question: str) -> str:
    """NFC and single spaces; script and words are unchanged."""
    return " ".join(unicodedata.normalize("NFC", question).split())


def language_normalizer(state: State, runtime: NodeRuntime) -> Update:
    """Detects the language and normalises the question."""
    found = detect_language(state, runtime)
    question = normalized(state.question)
    note = found["note"]
    if question != state.question:
        note = replace(note, details=(*note.details, ("resolved", question)))
    return {**found, "resolved_question": question, "note": note}
