"""Picture files as pages: PNG, JPEG, TIFF with all its frames, WebP, GIF, BMP, JPEG 2000. Runs in a limited child."""

from io import BytesIO
from pathlib import Path
from typing import Any

from core.platform.errors import InputError

MOST_PIXELS = 120_000_000
"""Pixels of one picture: a sheet of 1 x 0.7 m at 300 dots an inch."""
_MOST_OF_WEBP = 50_000_000
"""Limit for WebP, whose decoder holds a picture four times."""
_KEPT_LONG = 2.2
"""Ratio of length to width from which a picture keeps its width in pixels, because it is read in pieces."""
_STRIP = 256
"""Rows of a picture with transparency that are made narrower at once."""


def open_image(source: Path | BytesIO, name: str) -> Any:
    """A PIL image whose frames are not decoded yet. Raises InputError."""
    from PIL import Image, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    try:
        image = Image.open(source)
    except Image.DecompressionBombError as error:
        raise InputError("ingest.error.picture_too_large", name=name, limit=MOST_PIXELS // 1_000_000) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise InputError("ingest.error.damaged", name=name) from error
    most = _MOST_OF_WEBP if image.format == "WEBP" else MOST_PIXELS
    if image.width * image.height > most:
        raise InputError("ingest.error.picture_too_large", name=name, limit=most // 1_000_000)
    return image


def frame_count(image: Any) -> int:
    """Pages of a TIFF; a moving GIF or WebP is its first picture."""
    return int(getattr(image, "n_frames", 1)) if image.format == "TIFF" else 1


def frame(image: Any, number: int, longest: int) -> Any:
    """The frame upright by its EXIF data, on white, not larger than longest. Raises OSError, ValueError."""
    from PIL import Image, ImageOps

    image.seek(number)
    if image.width * image.height > MOST_PIXELS:
        raise ValueError("a frame is too large")
    if image.format == "JPEG":
        image.draft("RGB", (longest, longest))
    ratio = max(image.size) / max(1, min(image.size))
    wanted = longest if ratio < _KEPT_LONG else round(longest * ratio / _KEPT_LONG)
    shown = _small_enough(image, wanted)
    shown = ImageOps.exif_transpose(shown)
    if shown.mode in ("RGBA", "LA", "PA") or "transparency" in shown.info:
        shown = shown.convert("RGBA")
        paper = Image.new("RGBA", shown.size, "white")
        paper.alpha_composite(shown)
        shown = paper
    if shown.mode.startswith(("I", "F")):
        shown = ImageOps.autocontrast(shown.convert("F").point(lambda value: value / 257).convert("L"))
    return shown.convert("RGB")


def _small_enough(image: Any, longest: int) -> Any:
    """Resizes without a copy in full size, which may take half a gigabyte."""
    if max(image.size) <= longest:
        image.load()
        return image
    size = [max(1, round(side * longest / max(image.size))) for side in image.size]
    if image.mode in ("LA", "RGBA"):
        image = _narrowed(image, size[0])
    return image.resize(size, reducing_gap=None if image.mode.startswith("I;16") else 2.0)


def _narrowed(image: Any, width: int) -> Any:
    """Strip by strip, because resize first copies the whole of a picture with transparency."""
    from PIL import Image

    narrow = Image.new(image.mode, (width, image.height))
    narrow.info = image.info
    for top in range(0, image.height, _STRIP):
        bottom = min(top + _STRIP, image.height)
        strip = image.crop((0, top, image.width, bottom))
        narrow.paste(strip.resize((width, bottom - top), reducing_gap=2.0), (0, top))
    return narrow
