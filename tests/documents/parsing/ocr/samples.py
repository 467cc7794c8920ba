"""Pictures of pages with known text, painted here; and how far a reading is from it."""

import re
import unicodedata
from html import unescape
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from core.documents.model import Block
from core.documents.reading.normalise import one_line

ENGLISH = (
    "The northern pier has two tide gauges. Gauge NP-7 was",
    "calibrated on 14 March 2024 and reads 3.82 m at spring",
    "tide; gauge NP-8 is a spare and is tested once a year.",
    "Data leave the pier by radio at 169 MHz every 6 minutes.",
)
CHINESE = (
    "北码头装有两台验潮仪，其中一台为备用仪器。",
    "水位数据每六分钟经无线电传送到观测站。",
    "最高潮位为3.82米，出现在2024年3月14日。",
)


def painted(lines: tuple[str, ...], size: int = 26) -> Image.Image:
    """Black Latin text on white, a page wide, and so high that the engine does not enlarge it."""
    image = Image.new("RGB", (1000, max(740, 120 + 2 * size * len(lines))), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    for number, line in enumerate(lines):
        draw.text((60, 60 + 2 * size * number), line, fill="black", font=font)
    return image


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def read_text(blocks: tuple[Block, ...]) -> str:
    """What was read, in its order; the cells of a table once each."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", b.html)) if b.html else b.text.replace(" | ", " ") for b in blocks)


def character_error_rate(truth: str, read: str) -> float:
    """Insertions, deletions and changes of characters (Levenshtein) for each character of the truth, in order.

    Only white space, the width of characters and hyphens at the ends of lines are made alike before.
    """
    wanted, found = _alike(truth), _alike(read)
    previous = list(range(len(found) + 1))
    for row, one in enumerate(wanted, 1):
        current = [row]
        for column, other in enumerate(found, 1):
            current.append(min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (one != other)))
        previous = current
    return previous[-1] / max(1, len(wanted))


def _alike(text: str) -> str:
    """PDFium marks a hyphen at a line's end as U+FFFE; blanks beside Han characters mean nothing."""
    line = unicodedata.normalize("NFKC", one_line(text.replace("\ufffe", "")))
    return re.sub(r"(?<=[\u2e80-\u9fff]) | (?=[\u2e80-\u9fff])", "", " ".join(line.split()))
