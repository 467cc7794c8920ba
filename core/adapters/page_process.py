"""The page painter's child process: `python -m core.adapters.page_process`. One JSON request a line, answers likewise.

{"path", "page", "width", "target"} paints a PDF page as PNG into target and answers {"painted": true or false}.
"""

import json
import sys
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from core.adapters.isolated import limit_process, open_channel, tell

_MEMORY_BYTES = 2_000_000_000
_SECONDS_A_PAGE = 20
_MOST_PIXELS = 40_000_000
"""A page a kilometre high is painted smaller."""


def main() -> int:
    channel = open_channel()
    limit_process(_MEMORY_BYTES, _SECONDS_A_PAGE)
    for line in sys.stdin:
        request = json.loads(line)
        _allow_more_time()
        tell(channel, painted=_paint(Path(request["path"]), request["page"], request["width"], Path(request["target"])))
    return 0


def _allow_more_time() -> None:
    """Processor time is limited by page, not in all; the system ends a page that takes longer, also without us."""
    if sys.platform == "win32":
        return
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + _SECONDS_A_PAGE, hard))


def _paint(path: Path, number: int, width: int, target: Path) -> bool:
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


@cache
def _pdfium() -> Any:
    """With fonts for Chinese text whose own are not embedded, which the parser's engine brings along."""
    import pypdfium2
    from docvortex.document.pdf import initialize_pdfium_runtime

    initialize_pdfium_runtime()
    return pypdfium2


if __name__ == "__main__":
    sys.exit(main())
