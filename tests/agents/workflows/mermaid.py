"""A workflow's picture as a Mermaid flow chart, the form in which the README shows it."""

from core.agents.workflows.drawing import END, START, Drawing

_ENDS = {START: "start((start))", END: "finish((end))"}


def mermaid(drawing: Drawing) -> str:
    lines = ["flowchart TD"]
    for edge in drawing.edges:
        label = f"|{' / '.join(edge.outcomes)}|" if edge.outcomes else ""
        source, target = (_ENDS.get(name, name) for name in (edge.source, edge.target))
        lines.append(f"  {source} {'-.->' if edge.back else '-->'}{label} {target}")
    return "\n".join(lines) + "\n"
