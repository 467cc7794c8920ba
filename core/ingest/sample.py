"""The sample knowledge base: documents that this project wrote, one click away on the first start."""

from pathlib import Path

from core.domain.documents import KnowledgeBase
from core.ingest.intake import Intake
from core.ports import Library

NAME = "Marlow Sound (sample)"
FOLDER = Path(__file__).parents[2] / "assets" / "samples"
TITLES = {
    "marlow-sound-handbook.pdf": "Marlow Sound station handbook.pdf",
    "kelpnet-technical-note.pdf": "KelpNet technical note.pdf",
    "qingyu-station-manual-zh.pdf": "青屿海洋观测站运行手册.pdf",
    "joint-working-group-2025.md": "Joint working group 2025.md",
}
"""Files and the names that they are shown under, in the order they are read."""


def load_sample(library: Library, intake: Intake) -> KnowledgeBase:
    """Adds what is missing of it; a second call changes nothing."""
    base = library.base_named(NAME) or library.create_base(NAME)
    for file, title in TITLES.items():
        intake.add(base.id, title, FOLDER / file)
    return base
