"""Child process that renders pages: `python -m core.documents.parsing.pdf.page_process`.

{"path", "page", "width", "target"} paints a page of a PDF or of a picture file as PNG into target; the answer is
{"painted": true or false}. {"path", "page", "quote", "within"} asks where words stand; the answer is {"boxes"}.
"""

import json
import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from core.documents.parsing.pdf.quote_place import quote_boxes
from core.platform.errors import InputError
from core.platform.processes.isolated_process import limit_process, open_channel, tell

_MEMORY_BYTES = 2_000_000_000
_SECONDS_A_PAGE = 20
_MOST_PIXELS = 40_000_000
"""A page a kilometre high is rendered smaller."""


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
    pdfium = _pdfium()
    try:
        with closing(pdfium.PdfDocument(path)) as document:
            if not 0 <= number < len(document):
                return False
            with closing(document[number]) as page:
                points, height = page.get_size()
                scale = min(width / points, (_MOST_PIXELS / (points * height)) ** 0.5)
                page.render(scale=scale, may_draw_forms=False).to_pil().save(target, "PNG")
    except (pdfium.PdfiumError, OSError, ValueError, ZeroDivisionError, MemoryError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return False
    return True


def _quoted(path: Path, number: int, quote: str, within: list[list[int]]) -> list[tuple[int, int, int, int]]:
    """None in a picture file, and where the page has no text layer."""
    if not _is_pdf(path):
        return []
    pdfium = _pdfium()
    try:
        with closing(pdfium.PdfDocument(path)) as document:
            if not 0 <= number < len(document):
                return []
            with closing(document[number]) as page:
                return quote_boxes(page, quote, [(box[0], box[1], box[2], box[3]) for box in within])
    except (pdfium.PdfiumError, OSError, ValueError, ZeroDivisionError, MemoryError) as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return []


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


@cache
def _pdfium() -> Any:
    """With fonts for Chinese text that is not embedded; they come with the parser's engine."""
    import pypdfium2
    from docvortex.document.pdf import initialize_pdfium_runtime

    initialize_pdfium_runtime()
    return pypdfium2


if __name__ == "__main__":
    sys.exit(main())
