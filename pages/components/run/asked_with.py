"""What is special about how a question was asked, in words."""

from core.models.ports import BUILT_IN
from core.platform.texts import NAMES
from core.runs.model import Continuation, Run
from pages.components.run.run_words import engine_words, node_words
from pages.components.shell.language import t


def asked_with(run: Run) -> list[str]:
    options = run.options
    scope = len(options.documents) + len(options.entities)
    return [
        *([t("chat.turn.engine", engine=engine_words(options.engine))] if options.engine else []),
        *([t("chat.turn.scoped", count=scope)] if scope else []),
        *([t("chat.turn.bases", count=len(options.bases))] if options.bases else []),
        *([t("chat.turn.insisted")] if options.insisted else []),
        *([t("chat.turn.without_memory")] if options.without_memories else []),
        *([t(f"chat.turn.length.{options.length}")] if options.length else []),
        *([t("chat.turn.in_language", language=NAMES.get(options.language, ""))] if options.language else []),
        *([t("chat.turn.form_only")] if (options.length or options.language) and run.engine == BUILT_IN else []),
        *([_continued(options.continues)] if options.continues else []),
    ]


def _continued(continues: Continuation) -> str:
    changed = [t(f"run.changed.{name}") for name in continues.changed]
    step = node_words(continues.node)
    if not changed:
        return t("chat.turn.repeated", step=step)
    return t("chat.turn.continued", step=step, changed=", ".join(changed))
