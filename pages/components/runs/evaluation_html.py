"""Tables of an evaluation as HTML: figures by workflow, and every question with its marks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.runs.evaluation.comparing import Change, EvaluationFigures, Proportion
from pages.components.chat.workflow_choices import title_of
from pages.components.run.run_html import ending_looks
from pages.components.run.run_words import ending_words
from pages.components.shell.language import t
from pages.components.shell.text import html_of
from pages.components.shell.times import duration

COLUMNS = ("answered", "declined", "failed", "right_page", "right_answer", "supported", "seconds", "tokens", "cost")


def figures_html(
    figures: Sequence[EvaluationFigures],
    was: Mapping[str, EvaluationFigures],
    changed: Mapping[tuple[str, str], Change],
) -> str:
    head = "".join(f'<th scope="col">{html_of(t(f"evaluation.column.{name}"))}</th>' for name in COLUMNS)
    rows = "".join(_workflow(one, was.get(one.workflow)) for one in figures)
    counts = Counter(changed.values())
    note = ""
    if changed:
        looks = "is-bad" if counts[Change.WORSE] else "is-good"
        words = t("evaluation.compared", worse=counts[Change.WORSE], better=counts[Change.BETTER])
        note = f'<p><span class="gt-chip {looks}">{html_of(words)}</span></p>'
    first = html_of(t("runs.workflow.label"))
    return (
        f'{note}<div class="gt-wide" tabindex="0"><table class="gt-figures"><thead><tr><th scope="col">{first}</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def rows_html(rows: Sequence[Mapping[str, Any]], count: int) -> str:
    listed = "".join(map(_row, rows))
    cut = (
        f'<p class="gt-note">{html_of(t("evaluation.cut", shown=len(rows), count=count))}</p>'
        if count > len(rows)
        else ""
    )
    return f'<ul class="gt-runs">{listed}</ul>{cut}'


def _workflow(one: EvaluationFigures, was: EvaluationFigures | None) -> str:
    cells = zip(_cells(one), _cells(was) if was and was.asked else [""] * len(COLUMNS), strict=True)
    body = "".join(f"<td>{html_of(now, 60)}{_before(old, now)}</td>" for now, old in cells)
    return f'<tr><th scope="row">{html_of(title_of(one.workflow), 60)}</th>{body}</tr>'


def _cells(one: EvaluationFigures) -> list[str]:
    tokens = one.usage.prompt_tokens + one.usage.completion_tokens
    cost = " + ".join(f"{amount:.4f} {currency}" for currency, amount in one.costs.items())
    return [
        f"{one.answered} / {one.asked}",
        str(one.declined),
        str(one.failed),
        *map(_share, (one.right_pages, one.right_answers, one.supported)),
        duration(one.seconds),
        f"{'≈' if one.usage.estimated else ''}{tokens:,}",
        cost or "–",
    ]


def _share(share: Proportion) -> str:
    return f"{share.some} / {share.all}" if share.all else "–"


def _before(old: str, now: str) -> str:
    return f"<small>{html_of(t('evaluation.before', value=old), 60)}</small>" if old and old != now else ""


def _row(row: Mapping[str, Any]) -> str:
    question = html_of(" ".join(str(row["question"]).split()), 240)
    ending = str(row["ending"])
    marks = "".join(_mark(name, row[name]) for name in ("right_page", "right_answer"))
    facts = [title_of(row["workflow"]), duration(row["seconds"])]
    if row["sentences"]:
        facts.append(t("evaluation.sentences", supported=row["supported"], count=row["sentences"]))
    listed = "".join(f"<li>{html_of(fact, 60)}</li>" for fact in facts)
    return (
        f'<li><button type="button" class="gt-run-open" data-event="open" data-value="{html_of(row["run_id"])}">'
        f'{question}</button><span class="gt-chip {ending_looks(ending)}">{html_of(ending_words(ending), 60)}</span>'
        f'<ul class="gt-facts">{listed}{marks}</ul>{_change(row["change"])}</li>'
    )


def _mark(name: str, right: bool | None) -> str:
    if right is None:
        return ""
    words = html_of(t(f"evaluation.column.{name}"))
    icon, looks = ("check", "is-right") if right else ("close", "is-wrong")
    said = html_of(t("evaluation.yes" if right else "evaluation.no"))
    return f'<li class="{looks}">{words} <span class="gt-symbol" role="img" aria-label="{said}">{icon}</span></li>'


def _change(change: str | None) -> str:
    if change in (None, Change.SAME):
        return "<span></span>"
    looks = "is-bad" if change == Change.WORSE else "is-good"
    return f'<span class="gt-chip {looks}">{html_of(t(f"evaluation.change.{change}"))}</span>'
