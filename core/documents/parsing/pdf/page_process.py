"""Child process that renders pages and locates quotes on them: `python -m core.documents.parsing.pdf.page_process`.

{"path", "page", "width", "target"} paints a page of a PDF or of a picture file as PNG into target; the answer is
{"painted": true or false}. {"path", "page", "quote", "within"} asks where words stand; the answer is {"boxes"}.
"""

import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from core.documents.model import Box
from core.documents.parsing.pdf.text_layer import on_device, pdfium_with_fonts
from core.platform.errors import InputError
from core.platform.processes.isolated_process import limit_process, open_channel, tell

Result = TypeVar("Result")
MAX_CHARACTERS = 100_000
"""Limit for the text layer of a page."""
SHORTEST = 4
"""Fewest characters of a quote to look for; shorter ones occur anywhere."""
_MEMORY_BYTES = 2_000_000_000
_SECONDS_A_PAGE = 20
_MOST_PIXELS = 40_000_000
"""A page a kilometre high is rendered smaller."""


def quote_boxes(page: Any, quote: str, within: Sequence[Box]) -> list[Box]:
    """One box per line of the quote; empty if it is not in the text layer. within: boxes to look in first.

    Of several places the one in a box of `within` counts; blanks, hyphens, case and the form of signs do not.
    """
    with closing(page.get_textpage()) as layer:
        signs, places = _signs(layer)
        found: list[Box] = []
        for piece in _pieces(quote):
            spots = [_lines(page, layer, places[at], places[at + len(piece) - 1]) for at in _found(signs, piece)]
            found += next((spot for spot in spots if _inside(spot, within)), spots[0] if spots else [])
    return found


def _pieces(quote: str) -> list[str]:
    return [signs for piece in quote.split("…") if len(signs := _plain(piece)) >= SHORTEST]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def _signs(layer: Any) -> tuple[str, list[int]]:
    """The letters and digits of the layer, and the index in it of each."""
    signs: list[str] = []
    places: list[int] = []
    count = min(layer.count_chars(), MAX_CHARACTERS)
    text = layer.get_text_range(0, count) if count else ""
    if len(text) != count:  # signs outside of the first plane count twice in the layer
        return "", []
    for index, character in enumerate(text):
        for sign in _plain(character):
            signs.append(sign)
            places.append(index)
    return "".join(signs), places


def _found(signs: str, piece: str) -> Iterator[int]:
    at = signs.find(piece)
    while at >= 0:
        yield at
        at = signs.find(piece, at + 1)


def _lines(page: Any, layer: Any, first: int, last: int) -> list[Box]:
    width, height = page.get_size()
    boxes = []
    for number in range(layer.count_rects(first, last - first + 1)):
        left, bottom, right, top = layer.get_rect(number)
        (x0, y0), (x1, y1) = on_device(page, left, top), on_device(page, right, bottom)
        horizontal = sorted((round(1000 * x0 / width), round(1000 * x1 / width)))
        vertical = sorted((round(1000 * y0 / height), round(1000 * y1 / height)))
        boxes.append((horizontal[0], vertical[0], horizontal[1], vertical[1]))
    return _joined(boxes)


def _joined(boxes: Sequence[Box]) -> list[Box]:
    """Boxes of words, in reading order, as boxes of lines."""
    lines: list[Box] = []
    for box in boxes:
        known = lines[-1] if lines else None
        if known and min(box[3], known[3]) > max(box[1], known[1]):
            lines[-1] = (min(box[0], known[0]), min(box[1], known[1]), max(box[2], known[2]), max(box[3], known[3]))
        else:
            lines.append(box)
    return lines


def _inside(lines: Sequence[Box], boxes: Sequence[Box]) -> bool:
    """The middle of the first line lies in one of the boxes."""
    if not lines or not boxes:
        return bool(lines)
    x, y = (lines[0][0] + lines[0][2]) / 2, (lines[0][1] + lines[0][3]) / 2
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)


def main() -> int:
    channel = open_channel()
    limit_process(_MEMORY_BYTES, _SECONDS_A_PAGE)
    for line in sys.stdin:
        request = json.loads(line)
        _allow_more_time()
        if "quote" in request:
            tell(channel, boxes=_quoted(Path(request["path"]), request["page"], request["quote"], request["within"]))
            continue
        tell(channel, painted=_paint(Path(request["path"]), request["page"], request["width"], Path(request["target"])))
    return 0


def _allow_more_time() -> None:
    """CPU time is limited per page, not in total. The system ends a page that takes longer, even without us."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + _SECONDS_A_PAGE, hard))


def _paint(path: Path, number: int, width: int, target: Path) -> bool:
    if not _is_pdf(path):
        return _paint_image(path, number, width, target)

    def paint(page: Any) -> bool:
        points, height = page.get_size()
        scale = min(width / points, (_MOST_PIXELS / (points * height)) ** 0.5)
        page.render(scale=scale, may_draw_forms=False).to_pil().save(target, "PNG")
        return True

    return _on_page(path, number, paint, False)


def _quoted(path: Path, number: int, quote: str, within: list[list[int]]) -> list[Box]:
    """No boxes in a picture file, and where the page has no text layer."""
    boxes = [(box[0], box[1], box[2], box[3]) for box in within]
    return _on_page(path, number, lambda page: quote_boxes(page, quote, boxes), []) if _is_pdf(path) else []


def _on_page(path: Path, number: int, do: Callable[[Any], Result], otherwise: Result) -> Result:
    """otherwise: the result where the file or the page cannot be read."""
    pdfium = pdfium_with_fonts()
    try:
        with closing(pdfium.PdfDocument(path)) as document:
            if 0 <= number < len(document):
                with closing(document[number]) as page:
                    return do(page)
    except (pdfium.PdfiumError, OSError, ValueError, ZeroDivisionError, MemoryError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    return otherwise


def _is_pdf(path: Path) -> bool:
    with path.open("rb") as file:
        return b"%PDF-" in file.read(1024)


def _paint_image(path: Path, number: int, width: int, target: Path) -> bool:
    """A picture file's frame, upright, not larger than it is."""
    from core.documents.parsing.pdf.image_file import frame, frame_count, open_image

    try:
        image = open_image(path, path.name)
        if not 0 <= number < frame_count(image):
            return False
        shown = frame(image, number, max(width, round(width * image.height / max(1, image.width))))
        if shown.width > width:
            shown = shown.resize((width, max(1, round(shown.height * width / shown.width))))
        shown.save(target, "PNG")
    except (InputError, OSError, ValueError, SyntaxError, EOFError, MemoryError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
