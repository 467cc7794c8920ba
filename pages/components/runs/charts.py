"""Charts of the runs that the filter leaves: answers, seconds, tokens and cost over time."""

from collections.abc import Iterator

from core.runs.run_lists import RunFilter, TimeSpan
from pages.components.run.live_html import live_html
from pages.components.run.run_views import price_table
from pages.components.runs.chart_html import Chart, charts_html
from pages.components.runs.figures import GROUPS, RunFigures, figures_of, figures_of_each
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.times import duration

FEWEST = 3
"""Minimum number of days, hours or runs for a chart."""
MOST_RUNS = 60
"""Of which each has a bar."""


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


def whole(value: float) -> str:
    return f"{value:,.0f}"
