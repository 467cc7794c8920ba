"""Small documents made on the spot, so that parsers are tested without any file of the world."""

import io
import zipfile
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

LEFT, RIGHT, TOP = 60, 320, 700
SENTENCES = (
    "The tide gauge at the northern pier records the water level every six minutes.",
    "Its float turns a wheel whose angle is read by an optical encoder.",
    "Readings are sent to the station by radio and checked against the second gauge.",
    "A reading that differs by more than four centimetres is marked as doubtful.",
)


def pdf(draw: Callable[[Any], None], **options: object) -> bytes:
    """What draw puts on a reportlab canvas."""
    buffer = io.BytesIO()
    canvas: Any = import_module("reportlab.pdfgen.canvas").Canvas(buffer, **options)
    draw(canvas)
    canvas.save()
    return buffer.getvalue()


def report(pages: int) -> bytes:
    """A titled report in two columns; page n speaks of station n in both of them, under a heading in the left one."""

    def draw(canvas: Any) -> None:
        canvas.setTitle("Report on Tide Gauges")
        for page in range(pages):
            if page == 0:
                canvas.setFont("Helvetica-Bold", 20)
                canvas.drawString(LEFT, 750, "Report on Tide Gauges")
            canvas.setFont("Helvetica", 9)
            _column(canvas, LEFT, TOP, f"Left column of station {page + 1}.")
            _column(canvas, RIGHT, TOP, f"Right column of station {page + 1}.")
            canvas.setFont("Helvetica-Bold", 13)
            canvas.drawString(LEFT, 400 - 3 * page, f"{page + 1} Pier {'of the old harbour ' * (page % 3)}")
            canvas.setFont("Helvetica", 9)
            _column(canvas, LEFT, 380 - 3 * page, f"The pier of station {page + 1}.")
            canvas.drawCentredString(300, 30, str(page + 1))
            canvas.showPage()

    return pdf(draw)


def _column(canvas: Any, left: int, top: int, first: str) -> None:
    text = canvas.beginText(left, top)
    words = " ".join([first, *SENTENCES * 2]).split()
    line = ""
    for word in words:
        if len(line) + len(word) > 48:
            text.textLine(line)
            line = ""
        line = f"{line} {word}".strip()
    text.textLine(line)
    canvas.drawText(text)


def wrong_ligatures(lines: Sequence[tuple[str, str]]) -> bytes:
    """A page of (font, text) lines. Each font has one ligature, in the text a tilde, and says that it means "!"."""
    content = " ".join(
        f"BT /{font} 11 Tf 72 {720 - 40 * at} Td ({text}) Tj ET" for at, (font, text) in enumerate(lines)
    )
    wrong = "1 beginbfrange <20> <7d> <0020> endbfrange 1 beginbfchar <7e> <0021> endbfchar"
    names = (
        "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        f"{wrong} endcmap end"
    )
    kinds = ("Times-Roman", "Helvetica")
    fonts = [f"<</Type/Font/Subtype/Type1/BaseFont/{kind}/Encoding/WinAnsiEncoding/ToUnicode 5 0 R>>" for kind in kinds]
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
        "/Resources<</Font<</Times 6 0 R/Helvetica 7 0 R>>>>>>",
        *(f"<</Length {len(stream)}>>stream\n{stream}\nendstream" for stream in (content, names)),
        *fonts,
    ]
    made, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(made)}\n%%EOF\n"
    return made + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()


def chinese() -> bytes:
    def draw(canvas: Any) -> None:
        fonts: Any = import_module("reportlab.pdfbase.cidfonts")
        import_module("reportlab.pdfbase.pdfmetrics").registerFont(fonts.UnicodeCIDFont("STSong-Light"))
        canvas.setFont("STSong-Light", 18)
        canvas.drawString(LEFT, 750, "第一章 潮位观测")
        canvas.setFont("STSong-Light", 11)
        for row in range(12):
            canvas.drawString(
                LEFT, TOP - 18 * row, "北码头的验潮仪每六分钟记录一次水位，数据经无线电送到观测站并与第二台仪器核对。"
            )

    return pdf(draw)


def chinese_lines(lines: Sequence[str]) -> bytes:
    def draw(canvas: Any) -> None:
        fonts: Any = import_module("reportlab.pdfbase.cidfonts")
        import_module("reportlab.pdfbase.pdfmetrics").registerFont(fonts.UnicodeCIDFont("STSong-Light"))
        canvas.setFont("STSong-Light", 14)
        for row, line in enumerate(lines):
            canvas.drawString(LEFT, 750 - 28 * row, line)

    return pdf(draw)


def encrypted(password: str = "password") -> bytes:
    return pdf(lambda canvas: canvas.drawString(LEFT, TOP, "secret"), encrypt=password, invariant=1)


def scan() -> bytes:
    """A page that is one picture."""

    def draw(canvas: Any) -> None:
        image: Any = import_module("PIL.Image").new("L", (400, 500), 200)
        canvas.drawInlineImage(image, 0, 0, 595, 842)

    return pdf(draw)


def blank() -> bytes:
    return pdf(lambda canvas: canvas.showPage())


def docx() -> bytes:
    document: Any = import_module("docx").Document()
    document.add_heading("Handbook", 0)
    document.add_heading("Watch", 1)
    document.add_paragraph("The watch begins at six.")
    document.add_heading("Night watch", 2)
    document.add_paragraph("bring a lamp", style="List Bullet")
    table = document.add_table(rows=2, cols=3)
    for row in range(2):
        for column in range(3):
            table.cell(row, column).text = f"r{row}c{column}"
    table.cell(0, 0).merge(table.cell(0, 1))
    return _saved(document)


def xlsx() -> bytes:
    book: Any = import_module("openpyxl").Workbook()
    book.active.title = "Stations"
    for row in (["Name", "Depth"], ["North", 12], ["South", 7]):
        book.active.append(row)
    return _saved(book)


def pptx() -> bytes:
    show: Any = import_module("pptx").Presentation()
    for number in (1, 2):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Slide title {number}"
        slide.placeholders[1].text = f"A point about station {number}"
    return _saved(show)


HTML = (
    b"<html><head><title>Declared</title><script>steal()</script></head><body><noscript>steal on</noscript>"
    b"<h1>Heading one</h1><p>Words <b>in bold</b>.</p><h2>Second</h2><ul><li>item</li></ul>"
    b"<table><tr><th>A</th><th>B</th></tr><tr><td rowspan=2>1</td><td>2</td></tr><tr><td>3</td></tr></table>"
    b"<img src='file:///etc/passwd'><img src='http://192.0.2.1/x.png'></body></html>"
)
CSV = "name,depth\nNorth,12\n南站,7\n".encode()


def epub() -> bytes:
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The Tide Book</dc:title>'
        '<dc:identifier id="i">x</dc:identifier><dc:language>en</dc:language></metadata><manifest>'
        '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine>'
        "</package>"
    )
    chapter = (
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A</title></head>'
        "<body><h1>Chapter of tides</h1><p>Water rises.</p></body></html>"
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", f'<?xml version="1.0"?>{container}')
        archive.writestr("c.opf", f'<?xml version="1.0"?>{package}')
        archive.writestr("a.xhtml", chapter)
    return buffer.getvalue()


def _saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()
