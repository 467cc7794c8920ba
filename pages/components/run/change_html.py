"""At a step of a finished run: the form in which its result is changed, to run on from there."""

from core.runs.events import Scored
from core.runs.fork.editable_steps import Changeable
from core.runs.model import MAX_QUESTION
from pages.components.documents.facts import place_words
from pages.components.run.run_words import outcome_words
from pages.components.shell.icons import form_buttons
from pages.components.shell.language import t
from pages.components.shell.text import html_of, label

MAX_DRAFT = 20_000
MAX_PASSAGE = 160


def change_html(changeable: Changeable | None) -> str:
    if changeable is None:
        return ""
    fields = "".join(
        (
            _field("question", _label("question"), changeable.question),
            _field("query", _label("query"), changeable.query),
            *(
                _field(f"arguments-{at}", html_of(t("chat.change.arguments", tool=tool)), arguments)
                for at, (tool, arguments) in enumerate(changeable.arguments)
            ),
            _field("answer", _label("answer"), changeable.answer, rows=6),
            _passages(changeable.passages),
            _outcomes(changeable.outcomes),
        )
    )
    return (
        f'<details class="gt-change" data-key="change"><summary>{html_of(t("chat.change.title"))}</summary>'
        f'<div class="gt-form" data-form><p class="gt-note">{html_of(t("chat.change.help"))}</p>'
        f'<input type="hidden" name="node" value="{html_of(changeable.node)}">'
        f'<input type="hidden" name="attempt" value="{changeable.attempt}">{fields}'
        f"{form_buttons('continue', t('chat.change.go'))}</div></details>"
    )


def _label(name: str) -> str:
    words = t(f"run.changed.{name}")
    return html_of(words[:1].upper() + words[1:])


def _field(name: str, label: str, value: str, rows: int = 2) -> str:
    if not value:
        return ""
    limit = MAX_DRAFT if name == "answer" else MAX_QUESTION
    return (
        f'<label>{label}<textarea name="{name}" rows="{rows}" maxlength="{limit}">'
        f"{html_of(value, limit)}</textarea></label>"
    )


def _passages(passages: tuple[Scored, ...]) -> str:
    if not passages:
        return ""
    listed = "".join(
        f'<label><input type="checkbox" name="kept" value="{html_of(passage.chunk_id)}"'
        f"{'' if passage.reason else ' checked'}><span>{html_of(passage.text, MAX_PASSAGE)} "
        f"<small>{html_of(place_words(label(passage.document_name, 60), passage.page))}</small>"
        "</span></label>"
        for passage in passages
    )
    return f"<fieldset><legend>{_label('kept')}</legend>{listed}</fieldset>"


def _outcomes(outcomes: tuple[str, ...]) -> str:
    if not outcomes:
        return ""
    listed = "".join(f'<option value="{html_of(it)}">{html_of(outcome_words(it))}</option>' for it in outcomes)
    same = html_of(t("chat.change.same"))
    return f'<label>{_label("outcome")}<select name="outcome"><option value="">{same}</option>{listed}</select></label>'
