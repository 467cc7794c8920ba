"""Small bar charts as inline SVG: nothing is loaded for them, and they follow the theme."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pages.components.shell.text import html_of

WIDTH, HEIGHT, FOOT, HEAD = 300.0, 76.0, 14.0, 10.0
_GAP = 0.18
"""Of a bar's room."""


@dataclass(frozen=True, slots=True)
class Chart:
    title: str
    total: str
    """The figure beside the title."""
    starts: Sequence[str]
    stacks: Mapping[str, Sequence[float]]
    """By kind, from the bottom up; one value a start."""
    words: Mapping[str, str]
    """Of the kinds, for the legend; empty for a chart of one kind."""
    format: Callable[[float], str]


def chart_html(chart: Chart) -> str:
    sums = [sum(column) for column in zip(*chart.stacks.values(), strict=True)]
    top = max(sums, default=0.0)
    bars = "".join(_column(chart, at, top) for at in range(len(chart.starts)))
    ends = " – ".join(dict.fromkeys((chart.starts[0], chart.starts[-1])))
    spoken = html_of(f"{chart.title}: {chart.total}. {ends}", 300)
    base = HEIGHT - FOOT
    return (
        f'<figure class="gt-chart"><figcaption><b>{html_of(chart.title, 60)}</b><span>{html_of(chart.total, 60)}</span>'
        f'</figcaption><svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{spoken}">'
        f'<line x1="0" x2="{WIDTH:.0f}" y1="{base}" y2="{base}"/>{bars}'
        f'<text x="0" y="{HEIGHT - 3}">{html_of(chart.starts[0], 20)}</text>'
        f"{_last(chart.starts)}"
        f'<text x="{WIDTH:.0f}" y="7" text-anchor="end">{html_of(chart.format(top), 20)}</text></svg>'
        f"{_legend(chart)}</figure>"
    )


def _last(starts: Sequence[str]) -> str:
    """Under the right end; the only one stands on the left already."""
    if len(starts) == 1:
        return ""
    return f'<text x="{WIDTH:.0f}" y="{HEIGHT - 3}" text-anchor="end">{html_of(starts[-1], 20)}</text>'


def _column(chart: Chart, at: int, top: float) -> str:
    room = WIDTH / max(len(chart.starts), 12)
    base, scale = HEIGHT - FOOT, (HEIGHT - FOOT - HEAD) / top if top else 0.0
    x, width, parts, said = at * room + room * _GAP / 2, room * (1 - _GAP), "", []
    for kind, values in chart.stacks.items():
        if not values[at]:
            continue
        height = values[at] * scale
        base -= height
        parts += f'<rect class="is-{kind}" x="{x:.1f}" y="{base:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
        said.append(f"{chart.words.get(kind, '')} {chart.format(values[at])}".strip())
    title = html_of(f"{chart.starts[at]}: {', '.join(said)}", 200)
    return f"<g><title>{title}</title>{parts}</g>" if parts else ""


def _legend(chart: Chart) -> str:
    items = "".join(
        f'<li class="is-{kind}">{html_of(chart.words[kind], 40)} <b>{html_of(chart.format(sum(values)), 20)}</b></li>'
        for kind, values in chart.stacks.items()
        if kind in chart.words
    )
    return f"<ul>{items}</ul>" if items else ""
