"""Interface names of a run's nodes, outcomes, details, reasons and options."""

from collections.abc import Sequence

from core.models.ports import BUILT_IN
from core.platform.texts import known
from core.runs.model import Continuation, Run, RunStatus
from pages.components.documents.facts import LANGUAGES, language_name
from pages.components.shell.language import joined, t


def shown_name(name: str) -> str:
    """A readable form of the name used in the trace and the code."""
    return name.replace("_", " ")


def node_words(node: str) -> str:
    return _words(f"run.node.{node}", node)


def outcome_words(outcome: str) -> str:
    is_language = outcome in LANGUAGES or known(f"documents.language.{outcome}")
    return language_name(outcome) if is_language else _words(f"run.outcome.{outcome}", outcome)


def ending_words(ending: str) -> str:
    """Words for RunLine.ending: an outcome, or the status of a run without one."""
    return t(f"chat.run.status.{ending}") if ending in set(RunStatus) else outcome_words(ending)


def engine_words(engine: str) -> str:
    """Name of an engine; a model is shown by its own name."""
    return t("settings.model.none") if engine == BUILT_IN else engine


def detail_words(name: str) -> str:
    return _words(f"run.detail.{name}", name)


def value_words(name: str, value: str) -> str:
    """Routes and tasks have display names; other details are shown as they are."""
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


def asked_with(run: Run) -> list[str]:
    """The options of the question that differ from the usual ones."""
    options = run.options
    scope = len(options.documents) + len(options.entities)
    return [
        *([t("chat.turn.engine", engine=engine_words(options.engine))] if options.engine else []),
        *([t("chat.turn.scoped", count=scope)] if scope else []),
        *([t("chat.turn.bases", count=len(options.bases))] if options.bases else []),
        *([t(_insisted(run))] if options.insisted else []),
        *([t("chat.turn.without_memory")] if options.without_memories else []),
        *([t(f"chat.turn.length.{options.length}")] if options.length else []),
        *([t("chat.turn.form_only")] if options.length and run.engine == BUILT_IN else []),
        *([_in_language(run)] if options.language else []),
        *([_continued(options.continues)] if options.continues else []),
    ]


def _insisted(run: Run) -> str:
    """Whether an answer that has ended rests on what the reader added."""
    is_cited = any(citation.chunk_id in run.options.insisted for citation in run.citations)
    return "chat.turn.insisted" if is_cited or run.status is RunStatus.RUNNING else "chat.turn.insisted_uncited"


def _in_language(run: Run) -> str:
    """Without a model only the words around the quotes can be in another language."""
    key = "chat.turn.around_quotes" if run.engine == BUILT_IN else "chat.turn.in_language"
    return t(key, language=language_name(run.options.language))


def _continued(continues: Continuation) -> str:
    changed = [t(f"run.changed.{name}") for name in continues.changed]
    step = node_words(continues.node)
    if not changed:
        return t("chat.turn.repeated", step=step)
    return t("chat.turn.continued", step=step, changed=joined(changed))


def _words(key: str, name: str) -> str:
    return t(key) if known(key) else shown_name(name)
