"""The sample knowledge base: documents written for this project, one click away on first start."""

from pathlib import Path

from core.documents.lifecycle.intake import Intake
from core.documents.model import KnowledgeBase
from core.documents.ports.bases import Bases
from core.platform.identity import acting_id

NAME = "Marlow Sound (sample)"
FOLDER = Path(__file__).parents[3] / "assets" / "samples"
TITLES = {
    "marlow-sound-handbook.pdf": "Marlow Sound station handbook.pdf",
    "kelpnet-technical-note.pdf": "KelpNet technical note.pdf",
    "qingyu-station-manual-zh.pdf": "青屿海洋观测站运行手册.pdf",
    "joint-working-group-2025.md": "Joint working group 2025.md",
}
"""Files and their display names, in reading order."""


def load_sample(bases: Bases, intake: Intake) -> KnowledgeBase:
    """The acting person's own sample base; adds whatever is missing."""
    base = bases.named(NAME)
    if base is None or base.owner_id != acting_id():
        base = bases.create(NAME)
    for file, title in TITLES.items():
        intake.add(base.id, title, FOLDER / file)
    return base
