"""Pictures on pages of a PDF that may hold words."""

from contextlib import closing
from typing import Any

from core.documents.parsing.pdf.text_layer import on_device, picture_areas

DOTS_AN_INCH = 150
POINTS_AN_INCH = 72
LEAST_PICTURE = (60, 24)
"""Pixels in width and height at that resolution; a smaller picture is a logo or a rule."""
_MOST_PICTURES = 40
"""Pictures of one page; more are a pattern or strips of one picture."""
_LETTER = 60.0
"""Area of a letter of ordinary text, in square points."""
_COVERED = 0.4
"""Share of a picture covered by letters of the text layer from which it is their background."""


def readable_pictures(page: Any) -> list[tuple[float, float, float, float]]:
    """left, top, right, bottom of pictures that may hold words, in shares of the page as it is shown, from its top."""
    width, height = page.get_size()
    shares = []
    for left, bottom, right, top in _not_under_text(page):
        (x0, y0), (x1, y1) = on_device(page, left, top), on_device(page, right, bottom)
        across, down = sorted((x0 / width, x1 / width)), sorted((y0 / height, y1 / height))
        dots = DOTS_AN_INCH / POINTS_AN_INCH
        wide, high = (across[1] - across[0]) * width * dots, (down[1] - down[0]) * height * dots
        if wide >= LEAST_PICTURE[0] and high >= LEAST_PICTURE[1]:
            clipped = [min(1.0, max(0.0, share)) for share in (across[0], down[0], across[1], down[1])]
            shares.append((clipped[0], clipped[1], clipped[2], clipped[3]))
    return list(dict.fromkeys(shares)) if len(shares) <= _MOST_PICTURES else []


def _not_under_text(page: Any) -> list[tuple[float, float, float, float]]:
    areas = picture_areas(page)
    if not areas:
        return []
    with closing(page.get_textpage()) as layer:
        return [area for area in areas if not _is_under_text(layer, area)]


def _is_under_text(layer: Any, area: tuple[float, float, float, float]) -> bool:
    left, bottom, right, top = area
    letters = "".join(layer.get_text_bounded(*area).split())
    return len(letters) * _LETTER >= _COVERED * (right - left) * (top - bottom)
