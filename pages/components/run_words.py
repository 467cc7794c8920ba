"""What a run's own names are called in the interface: nodes, outcomes, details, reasons."""

from collections.abc import Sequence

from core.texts import known
from pages.components.document_facts import LANGUAGES, language_name
from pages.components.language import t


def shown_name(name: str) -> str:
    """The name itself, readable: what the trace and the code call it."""
    return name.replace("_", " ")


def node_words(node: str) -> str:
    return _words(f"run.node.{node}", node)


def outcome_words(outcome: str) -> str:
    return language_name(outcome) if outcome in LANGUAGES else _words(f"run.outcome.{outcome}", outcome)


def engine_words(engine: str) -> str:
    """Of a model its name."""
    return t("settings.model.none") if engine == "built-in" else engine


def detail_words(name: str) -> str:
    return _words(f"run.detail.{name}", name)


def value_words(name: str, value: str) -> str:
    """Routes and tasks have names for people, other details are shown as they are."""
    return outcome_words(value) if name in {"route", "task"} else value


def source_words(source: str) -> str:
    return _words(f"chat.run.source.{source}", source)


def sentence(reason: str, details: Sequence[tuple[str, str]] = ()) -> str:
    """A catalogue key with the details as its placeholders, or the sentence of a model as it is."""
    if not known(reason):
        return reason
    try:
        return t(reason, **{"reason": "", **dict(details)})
    except KeyError:  # written by a version whose sentence had other placeholders
        return t("chat.run.reason_unknown")


def _words(key: str, name: str) -> str:
    return t(key) if known(key) else shown_name(name)
