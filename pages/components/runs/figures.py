"""Figures of runs over time, and bar charts as inline SVG: nothing is loaded for them, and they follow the theme."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.runs.history.prices import Price, cost_of
from core.runs.model import AnswerOutcome, RunStatus, Usage
from core.runs.run_lists import RunFilter, RunLine, RunSum, TimeSpan
from pages.components.run.live_html import live_html
from pages.components.run.run_views import price_table
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, render
from pages.components.shell.times import duration

FEWEST = 3
"""Minimum number of days, hours or runs for a chart."""
MOST_RUNS = 60
"""Of which each has a bar."""
MOST_DAYS = 92
"""Number of days above which months are drawn."""
_MONTH, _DAY, _HOUR, _SECOND = "%Y-%m", "%Y-%m-%d", "%Y-%m-%d %H", "%Y-%m-%d %H:%M:%S"
GROUPS = ("answered", "closest", "not_found", "other", "failed")
"""Groups of endings, in the order of the stack."""
_GROUP_OF: dict[str, str] = {
    AnswerOutcome.ANSWERED: "answered",
    AnswerOutcome.DIRECT: "answered",
    AnswerOutcome.UNCONFIRMED: "closest",
    AnswerOutcome.CLOSEST: "closest",
    AnswerOutcome.NOT_FOUND: "not_found",
    AnswerOutcome.UNJUDGED: "failed",
    RunStatus.FAILED: "failed",
    RunStatus.INTERRUPTED: "failed",
}
Values = dict[str, tuple[float, ...]]
"""Values by kind, one per span."""
WIDTH, HEIGHT, FOOT, HEAD = 300.0, 76.0, 14.0, 10.0
_GAP = 0.18
"""Share of the width of a column."""
_WIDEST = 20.0
"""Width of a bar where there are few."""


Bar = tuple[str, float, float, float, float]
"""Kind, x, y, width and height."""


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    total: str
    """The figure next to the title."""
    starts: Sequence[str]
    stacks: Mapping[str, Sequence[float]]
    """Values by kind, from the bottom up; one per start."""
    words: Mapping[str, str]
    """Names of the kinds for the legend; empty for a chart of one kind."""
    format: Callable[[float], str]


def charts_html(charts: Iterable[Chart]) -> Html:
    return render("runs/chart.html", "charts", drawn=[_chart(chart) for chart in charts])


def _chart(chart: Chart) -> Html:
    top = max((sum(column) for column in zip(*chart.stacks.values(), strict=True)), default=0.0)
    ends = " – ".join(dict.fromkeys((chart.starts[0], chart.starts[-1])))
    return render(
        "runs/chart.html",
        "chart",
        chart=chart,
        spoken=f"{chart.title}: {chart.total}. {ends}",
        top=chart.format(top),
        columns=[_column(chart, at, top) for at in range(len(chart.starts))],
        legend=[
            (kind, chart.words[kind], chart.format(sum(values)))
            for kind, values in chart.stacks.items()
            if kind in chart.words
        ],
        width=WIDTH,
        height=HEIGHT,
        base=HEIGHT - FOOT,
    )


def _column(chart: Chart, at: int, top: float) -> tuple[str, list[Bar]]:
    """Title of a column, and its bars from the bottom up."""
    room = WIDTH / len(chart.starts)
    wide = min(room * (1 - _GAP), _WIDEST)
    base, scale = HEIGHT - FOOT, (HEIGHT - FOOT - HEAD) / top if top else 0.0
    bars: list[Bar] = []
    figures: list[str] = []
    for kind, values in chart.stacks.items():
        if not values[at]:
            continue
        height = values[at] * scale
        base -= height
        bars.append((kind, at * room + (room - wide) / 2, base, wide, height))
        figures.append(f"{chart.words.get(kind, '')} {chart.format(values[at])}".strip())
    return f"{chart.starts[at]}: {', '.join(figures)}", bars


def whole(value: float) -> str:
    return f"{value:,.0f}"


@dataclass(frozen=True, slots=True)
class RunFigures:
    starts: tuple[str, ...]
    """Starts of the spans, without gaps, or of the runs."""
    endings: Values
    """Number of runs by group."""
    seconds: tuple[float, ...]
    """Mean seconds of a run."""
    tokens: Values
    """Tokens sent and written."""
    costs: Values
    """Costs by currency."""


def figures_of(sums: Sequence[RunSum], prices: Sequence[Price]) -> RunFigures:
    """Figures of the sums, each of one span, in order of time."""
    rows = _by_month(sums) if _days(sums) > MOST_DAYS else list(sums)
    return _figures(rows, _filled([row.start for row in rows]), prices)


def figures_of_each(runs: Iterable[RunLine], prices: Sequence[Price]) -> RunFigures:
    """Figures of every run that has ended; runs: newest first."""
    ended = [run for run in runs if run.status is not RunStatus.RUNNING][::-1]
    rows = [RunSum(f"{it.started_at:{_SECOND}}", it.engine, it.ending, 1, it.seconds, it.usage) for it in ended]
    return _figures(rows, tuple(dict.fromkeys(row.start for row in rows)), prices)


def _figures(rows: Sequence[RunSum], starts: tuple[str, ...], prices: Sequence[Price]) -> RunFigures:
    count = _added(starts, ((row.start, row.runs) for row in rows))
    seconds = _added(starts, ((row.start, row.seconds) for row in rows))
    return RunFigures(
        starts,
        _grouped(starts, rows, lambda row: [(group_of(row.ending), row.runs)]),
        tuple(total / runs if runs else 0.0 for total, runs in zip(seconds, count, strict=True)),
        _grouped(starts, rows, _tokens),
        _grouped(starts, rows, lambda row: _costs(row, prices)),
    )


def group_of(ending: str) -> str:
    return _GROUP_OF.get(ending, "other")


def _tokens(row: RunSum) -> list[tuple[str, float]]:
    return [("sent", row.usage.prompt_tokens), ("written", row.usage.completion_tokens)]


def _costs(row: RunSum, prices: Sequence[Price]) -> list[tuple[str, float]]:
    usage = Usage(0, row.usage.prompt_tokens, row.usage.completion_tokens)
    cost = cost_of(usage, row.engine, prices)
    return [(cost.currency, cost.amount)] if cost and cost.amount else []


def _grouped(starts: Sequence[str], rows: Iterable[RunSum], of: Callable[[RunSum], list[tuple[str, float]]]) -> Values:
    """Values by kind, without kinds that are always zero."""
    amounts: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for row in rows:
        for kind, amount in of(row):
            amounts[kind].append((row.start, amount))
    added = {kind: _added(starts, listed) for kind, listed in amounts.items()}
    return {kind: values for kind, values in added.items() if any(values)}


def _added(starts: Sequence[str], amounts: Iterable[tuple[str, float]]) -> tuple[float, ...]:
    totals = dict.fromkeys(starts, 0.0)
    for start, amount in amounts:
        totals[start] += amount
    return tuple(totals.values())


def _days(sums: Sequence[RunSum]) -> int:
    if not sums or len(sums[0].start) < 10:
        return 0
    return (_moment(sums[-1].start) - _moment(sums[0].start)).days


def _by_month(sums: Sequence[RunSum]) -> list[RunSum]:
    return [
        RunSum(row.start[: len("2026-11")], row.engine, row.ending, row.runs, row.seconds, row.usage) for row in sums
    ]


def _filled(starts: Sequence[str]) -> tuple[str, ...]:
    """Starts of every span from the first to the last."""
    if not starts:
        return ()
    form = _form(starts[0])
    at, last, filled = _moment(starts[0]), _moment(starts[-1]), []
    while at <= last:
        filled.append(at.strftime(form))
        at = _next(at, form)
    return tuple(filled)


def _next(at: datetime, form: str) -> datetime:
    if form == _MONTH:
        return (at.replace(day=1) + timedelta(days=32)).replace(day=1)
    return at + (timedelta(hours=1) if form == _HOUR else timedelta(days=1))


def _moment(start: str) -> datetime:
    return datetime.strptime(start, _form(start))  # all of them are in UTC


def _form(start: str) -> str:
    return {len("2026-11"): _MONTH, len("2026-11-22"): _DAY}.get(len(start), _HOUR)


def figures_to_draw(wanted: RunFilter) -> RunFigures | None:
    """Figures by day, or by hour if all are of a day or two, or of each run; None if there are too few."""
    lists, prices = services().storage.records.run_lists, price_table()
    sums = lists.sums(wanted, TimeSpan.DAY)
    figures = figures_of(sums, prices) if sums else None
    if figures and len(figures.starts) < FEWEST:
        figures = figures_of(lists.sums(wanted, TimeSpan.HOUR), prices)
    if figures and len(figures.starts) < FEWEST and lists.count(wanted) <= MOST_RUNS:
        figures = figures_of_each(lists.find(wanted, MOST_RUNS), prices)
    return figures if figures and len(figures.starts) >= FEWEST else None


def charts(figures: RunFigures) -> None:
    """Draw the charts of the runs that the filter leaves."""
    live_html("runs-figures", "charts", (("charts", charts_html(_charts(figures))),))


def _charts(figures: RunFigures) -> Iterator[Chart]:
    endings = {group: figures.endings[group] for group in GROUPS if group in figures.endings}
    words = {group: t(f"runs.chart.{group}") for group in GROUPS}
    total = sum(map(sum, endings.values()))
    yield Chart(t("runs.chart.answers"), whole(total), figures.starts, endings, words, whole)
    runs = [sum(column) for column in zip(*endings.values(), strict=True)]
    mean = sum(s * n for s, n in zip(figures.seconds, runs, strict=True)) / total
    yield Chart(t("runs.chart.seconds"), duration(mean), figures.starts, {"mean": figures.seconds}, {}, duration)
    if figures.tokens:
        words = {kind: t(f"runs.chart.{kind}") for kind in ("sent", "written")}
        used = sum(map(sum, figures.tokens.values()))
        yield Chart(t("runs.chart.tokens"), whole(used), figures.starts, figures.tokens, words, whole)
    for currency, amounts in figures.costs.items():
        spent = f"{sum(amounts):,.4f} {currency}"
        yield Chart(t("runs.chart.cost"), spent, figures.starts, {"cost": amounts}, {}, lambda value: f"{value:,.4f}")
