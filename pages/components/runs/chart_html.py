"""Small bar charts as inline SVG: nothing is loaded for them, and they follow the theme."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pages.components.shell.text import Html, render

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
        title=chart.title,
        total=chart.total,
        spoken=f"{chart.title}: {chart.total}. {ends}",
        top=chart.format(top),
        starts=chart.starts,
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
