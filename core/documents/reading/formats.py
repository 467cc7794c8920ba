"""Detects file formats by content; names and extensions are only hints."""

from dataclasses import dataclass
from pathlib import Path, PurePath
from zipfile import ZipFile

from core.documents.model import page_number
from core.documents.reading.result_zip import DAMAGES, check_directory, is_content_list, is_result
from core.platform.errors import InputError


@dataclass(frozen=True, slots=True)
class FileFormat:
    suffix: str
    media_type: str
    extensions: tuple[str, ...]

    @property
    def has_pages(self) -> bool:
        """Whether it has page numbers that readers see."""
        return page_number(f".{self.suffix}", 0) > 0


_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"
PDF = FileFormat("pdf", "application/pdf", ("pdf",))
MARKDOWN = FileFormat("md", "text/markdown", ("md", "markdown", "mdown"))
TEXT = FileFormat("txt", "text/plain", ("txt", "text", "log", "rst"))
RESULT_ZIP = FileFormat("zip", "application/vnd.mineru.result+zip", ("zip",))
RESULT_LIST = FileFormat("json", "application/vnd.mineru.content-list+json", ())
RESULTS = (RESULT_ZIP, RESULT_LIST)
"""Results of MinerU, imported as files."""
TIFF = FileFormat("tif", "image/tiff", ("tif", "tiff"))
"""May hold several pages."""
IMAGES = (
    FileFormat("png", "image/png", ("png",)),
    FileFormat("jpg", "image/jpeg", ("jpg", "jpeg")),
    FileFormat("gif", "image/gif", ("gif",)),
    FileFormat("bmp", "image/bmp", ("bmp",)),
    FileFormat("jp2", "image/jp2", ("jp2",)),
    FileFormat("webp", "image/webp", ("webp",)),
    TIFF,
)
"""Read by OCR, built-in or MinerU's."""
FORMATS = (
    PDF,
    FileFormat("docx", f"{_OOXML}.wordprocessingml.document", ("docx",)),
    FileFormat("pptx", f"{_OOXML}.presentationml.presentation", ("pptx",)),
    FileFormat("xlsx", f"{_OOXML}.spreadsheetml.sheet", ("xlsx",)),
    FileFormat("doc", "application/msword", ("doc",)),
    FileFormat("ppt", "application/vnd.ms-powerpoint", ("ppt",)),
    FileFormat("xls", "application/vnd.ms-excel", ("xls",)),
    FileFormat("rtf", "application/rtf", ("rtf",)),
    FileFormat("odt", f"{_ODF}.text", ("odt",)),
    FileFormat("ods", f"{_ODF}.spreadsheet", ("ods",)),
    FileFormat("odp", f"{_ODF}.presentation", ("odp",)),
    FileFormat("epub", "application/epub+zip", ("epub",)),
    FileFormat("html", "text/html", ("html", "htm", "xhtml", "shtml")),
    FileFormat("csv", "text/csv", ("csv",)),
    FileFormat("tsv", "text/tab-separated-values", ("tsv",)),
    MARKDOWN,
    TEXT,
    *RESULTS,
    *IMAGES,
)
BY_MEDIA_TYPE = {form.media_type: form for form in FORMATS}
BY_EXTENSION = {extension: form for form in FORMATS for extension in form.extensions}
_BY_SUFFIX = {form.suffix: form for form in FORMATS}
_WRITTEN = {"html", "csv", "tsv", "md", "txt"}
"""Plain text formats, which only the name can tell apart."""
_IMAGE_STARTS = (
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"\x00\x00\x00\x0cjP", "jp2"),
    (b"II*\x00", "tif"),
    (b"MM\x00*", "tif"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (("WordDocument", "doc"), ("PowerPoint Document", "ppt"), ("Workbook", "xls"), ("Book", "xls"))
_PACKAGES = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_HEAD = 8192
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x0c\x1b")


def extension_of(name: str) -> str:
    return PurePath(name.replace("\\", "/")).suffix.lower().lstrip(".")


def recognise(path: Path, name: str) -> FileFormat:
    """The file's format. Raises InputError for unreadable files and for content that contradicts the name."""
    claimed = BY_EXTENSION.get(extension_of(name))
    found = _by_content(path, name)
    if found is TEXT and claimed and claimed.suffix in _WRITTEN:
        return claimed
    if claimed and claimed is not found:
        raise InputError("ingest.error.mislabelled", name=name, extension=extension_of(name), actual=found.suffix)
    return found


def _by_content(path: Path, name: str) -> FileFormat:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if b"%PDF-" in head[:1024]:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return _package(path, name)
    if head.startswith(_OLE):
        return _compound(path, name)
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{\\rtf"):
        return _BY_SUFFIX["rtf"]
    if image := _image(head):
        return image
    if not _is_text(head):
        raise _unknown_content(name)
    if _is_list(head, name):
        return RESULT_LIST
    start = head[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return _BY_SUFFIX["html"] if start.startswith((b"<!doctype html", b"<html")) else TEXT


def _unknown_content(name: str) -> InputError:
    """Why content of no known type is refused, by the type that the name claims."""
    extension = extension_of(name)
    claimed = BY_EXTENSION.get(extension)
    if claimed is None:
        return InputError("ingest.error.unsupported", name=name)
    if claimed.suffix in _WRITTEN:
        return InputError("ingest.error.not_text", name=name)
    return InputError("ingest.error.wrong_content", name=name, extension=extension)


def _image(head: bytes) -> FileFormat | None:
    found = "webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else ""
    found = found or next((suffix for start, suffix in _IMAGE_STARTS if head.startswith(start)), "")
    return _BY_SUFFIX.get(found)


def _is_list(head: bytes, name: str) -> bool:
    """Whether it is a content list, by its name or by the fields that every entry has."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    named = is_content_list(name.replace("\\", "/"))
    return start.startswith(b"[") and (named or (b'"page_idx"' in start and b'"type"' in start))


def _package(path: Path, name: str) -> FileFormat:
    """Format of a zip: Office, OpenDocument, EPUB or a MinerU result; None for other archives."""
    check_directory(path, name)
    try:
        with ZipFile(path) as package:
            members = package.namelist()
            kind = _declared(package) if "mimetype" in members else ""
    except DAMAGES as error:
        raise InputError("ingest.error.damaged", name=name) from error
    if kind in BY_MEDIA_TYPE:
        return BY_MEDIA_TYPE[kind]
    if "[Content_Types].xml" in members:
        for folder, suffix in _PACKAGES:
            if any(member.startswith(folder) for member in members):
                return _BY_SUFFIX[suffix]
    if is_result(members):
        return RESULT_ZIP
    raise InputError("ingest.error.archive", name=name)


def _declared(package: ZipFile) -> str:
    with package.open("mimetype") as member:
        return member.read(100).decode("ascii", "replace").strip()


def _compound(path: Path, name: str) -> FileFormat:
    """Format of an OLE file (old Office, encrypted new Office) by the UTF-16 names of its streams."""
    content = path.read_bytes()
    if "EncryptedPackage".encode("utf-16-le") in content:
        raise InputError("ingest.error.encrypted", name=name)
    found = [suffix for stream, suffix in _OLE_STREAMS if stream.encode("utf-16-le") in content]
    if not found:
        raise _unknown_content(name)
    claimed = extension_of(name)
    return _BY_SUFFIX[claimed if claimed in found else found[0]]


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return b"\0" not in head and controls * 50 <= len(head)
