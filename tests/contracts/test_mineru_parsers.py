"""MinerU's cloud and servers over their wire protocols: what is read, what goes wrong, what a crash leaves."""

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pypdfium2
import pytest

from core.documents.parsing.mineru.cloud import MineruCloudParser
from core.documents.parsing.mineru.server import MineruServerParser
from core.documents.ports.parsing import DocumentParser, Parsed
from core.models.meter import Cancel
from core.platform.errors import (
    AppError,
    CancelledError,
    ConfigurationError,
    InputError,
    RetryableServiceError,
    ServiceError,
)
from tests.loopback.mineru_cloud_server import TOKEN, Fault, MineruCloudServer, result_zip, text
from tests.loopback.mineru_server import MineruServer
from tests.loopback.server import Recorded, Wire


@dataclass
class Stop:
    after: float = 1e9
    began: float = field(default_factory=time.monotonic)

    def requested(self) -> bool:
        return time.monotonic() - self.began > self.after


def pdf(tmp_path: Path, pages: int = 2) -> Path:
    document = pypdfium2.PdfDocument.new()  # type: ignore[no-untyped-call]
    for _ in range(pages):
        document.new_page(200, 200)
    buffer = BytesIO()
    document.save(buffer)
    path = tmp_path / "file"
    path.write_bytes(buffer.getvalue())
    return path


def cloud(server: MineruCloudServer, tmp_path: Path, wait_seconds: float = 20.0) -> MineruCloudParser:
    return MineruCloudParser(TOKEN, server.base_url, tmp_path / "work", 0.01, wait_seconds)


def read(parser: DocumentParser, path: Path, name: str = "Bericht 年报.pdf", stop: Cancel | None = None) -> Parsed:
    return parser.parse(path, name, "application/pdf", stop or Stop(), lambda done, total: None)


class _StopAtUpload:
    """Requested once the server waits for what came with this upload."""

    def __init__(self, server: MineruCloudServer, number: int) -> None:
        self._server = server
        self._number = number

    def requested(self) -> bool:
        jobs = list(self._server.jobs.values())
        return len(jobs) >= self._number and all(job.asked > 0 for job in jobs)


class _AllAtOnce(MineruCloudServer):
    """Is done with a document only when so many are there."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def answer(self, request: Recorded, wire: Wire) -> None:
        self.states = ("done",) if len(self.jobs) >= self._number else ("pending",)
        super().answer(request, wire)


class TestCloud:
    def test_a_document_goes_up_and_comes_back_as_blocks(self, tmp_path: Path) -> None:
        seen: list[tuple[int, int]] = []
        with MineruCloudServer() as server:
            path = pdf(tmp_path)
            parsed = cloud(server, tmp_path).parse(path, "a.pdf", "", Stop(), lambda *so_far: seen.append(so_far))
        assert parsed.blocks[0].text == f"{path.stat().st_size} bytes were read."
        assert parsed.blocks[0].box == (100, 100, 900, 140)
        assert parsed.pages == 2
        assert (1, 2) in seen

    def test_the_upload_has_no_type_no_token_and_its_length(self, tmp_path: Path) -> None:
        with MineruCloudServer() as server:
            read(cloud(server, tmp_path), pdf(tmp_path))
        (upload,) = server.uploads()
        assert "content-type" not in upload.headers
        assert "authorization" not in upload.headers
        assert upload.headers["content-length"] == str(len(upload.raw))

    def test_what_the_document_is_called_stays_here(self, tmp_path: Path) -> None:
        with MineruCloudServer() as server:
            read(cloud(server, tmp_path), pdf(tmp_path))
        assert "Bericht" not in json.dumps([request.body for request in server.requests])

    def test_the_token_goes_to_the_service_alone(self, tmp_path: Path) -> None:
        with MineruCloudServer() as server:
            read(cloud(server, tmp_path), pdf(tmp_path))
        elsewhere = [each for each in server.requests if each.path.startswith(("/cdn/", "/upload/"))]
        assert elsewhere
        assert not any("authorization" in each.headers for each in elsewhere)

    def test_a_long_document_goes_in_parts_and_its_pages_stay_absolute(self, tmp_path: Path) -> None:
        zips = {0: result_zip([text("first", 0)]), 200: result_zip([text("second", 3)])}
        with MineruCloudServer(Fault(zips=zips)) as server:
            parsed = read(cloud(server, tmp_path), pdf(tmp_path, 205))
        assert [(block.text, block.page) for block in parsed.blocks] == [("first", 0), ("second", 203)]
        assert len(server.uploads()) == 2
        assert parsed.pages == 205

    def test_the_parts_wait_at_the_same_time(self, tmp_path: Path) -> None:
        with _AllAtOnce(3) as server:
            parsed = read(cloud(server, tmp_path, wait_seconds=60.0), pdf(tmp_path, 405))
        assert [block.page for block in parsed.blocks] == [0, 200, 400]

    def test_a_part_that_cannot_be_read_is_named(self, tmp_path: Path) -> None:
        fault = Fault(zips={200: b"no zip"})
        with MineruCloudServer(fault) as server, pytest.raises(InputError, match=r"p\. 201-205"):
            read(cloud(server, tmp_path), pdf(tmp_path, 205))

    def test_after_a_crash_the_job_goes_on_without_another_upload(self, tmp_path: Path) -> None:
        with MineruCloudServer(states=("pending",)) as server:
            path = pdf(tmp_path)
            with pytest.raises(CancelledError):
                read(cloud(server, tmp_path), path, stop=_StopAtUpload(server, 1))
            server.states = ("done",)
            read(cloud(server, tmp_path), path)
        assert len(server.uploads()) == 1

    def test_after_a_crash_between_parts_nothing_is_uploaded_again(self, tmp_path: Path) -> None:
        zips = {0: result_zip([text("first", 0)]), 200: result_zip([text("second", 3)])}
        with MineruCloudServer(Fault(zips=zips)) as server:
            path = pdf(tmp_path, 205)
            stop = _StopAtUpload(server, 2)
            with pytest.raises(CancelledError):
                read(cloud(server, tmp_path), path, stop=stop)
            parsed = read(cloud(server, tmp_path), path)
        assert [(block.text, block.page) for block in parsed.blocks] == [("first", 0), ("second", 203)]
        assert len(server.uploads()) == 2
        assert list((tmp_path / "work").iterdir()) == []

    @pytest.mark.parametrize(
        "link", ["https://10.0.0.8/x", "https://169.254.169.254/x", "https://[fd00::1]/x", "https://"]
    )
    def test_links_into_private_networks_are_not_followed(self, link: str, tmp_path: Path) -> None:
        fault = Fault(envelope={"code": 0, "data": {"batch_id": "b", "file_urls": [link]}})
        with MineruCloudServer(fault) as server, pytest.raises(ServiceError, match="not from MinerU"):
            read(cloud(server, tmp_path), pdf(tmp_path))

    def test_a_pdf_that_cannot_be_opened_is_not_sent(self, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.write_bytes(b"%PDF-1.7\nnothing more")
        with MineruCloudServer() as server, pytest.raises(InputError, match="damaged"):
            read(cloud(server, tmp_path), path)
        assert server.requests == []

    def test_a_job_that_the_service_lost_begins_anew(self, tmp_path: Path) -> None:
        with MineruCloudServer(states=("pending",)) as server:
            path = pdf(tmp_path)
            with pytest.raises(RetryableServiceError):
                read(cloud(server, tmp_path, wait_seconds=0.2), path)
            server.jobs.clear()
            server.states = ("done",)
            assert read(cloud(server, tmp_path), path).blocks
        assert len(server.uploads()) == 2

    def test_states_that_nobody_knows_are_waited_for_until_the_time_is_over(self, tmp_path: Path) -> None:
        with MineruCloudServer(states=("dreaming",)) as server, pytest.raises(RetryableServiceError, match="in time"):
            read(cloud(server, tmp_path, wait_seconds=0.3), pdf(tmp_path))

    def test_a_download_that_breaks_once_is_tried_again(self, tmp_path: Path) -> None:
        with MineruCloudServer(Fault(broken_downloads=2)) as server:
            assert read(cloud(server, tmp_path), pdf(tmp_path)).blocks

    @pytest.mark.parametrize(
        ("fault", "kind", "words"),
        [
            (Fault(envelope={"code": "A0211", "msg": "expired"}), ServiceError, "expired"),
            (Fault(envelope={"success": False, "msgCode": "A0202", "msg": "no"}), ServiceError, "token"),
            (Fault(envelope={"code": -60018, "msg": "limit"}), ServiceError, "daily limit"),
            (Fault(envelope={"code": -60009, "msg": "full"}), RetryableServiceError, "busy"),
            (Fault(envelope={"code": -60005, "msg": "big"}), InputError, "200 MB"),
            (Fault(envelope={"code": -60002, "msg": "type"}), InputError, "built-in reader"),
            (Fault(envelope={"code": -1, "msg": "odd\nthing"}), ServiceError, "odd thing"),
            (Fault(envelope={"msg": "neither"}), ServiceError, "could not read"),
            (Fault(envelope={"code": 0, "data": {}}), ServiceError, "not from MinerU"),
            (
                Fault(envelope={"code": 0, "data": {"batch_id": "b", "file_urls": ["ftp://x/y"]}}),
                ServiceError,
                "MinerU",
            ),
            (Fault(status=429), RetryableServiceError, "busy"),
            (Fault(status=503), RetryableServiceError, "server error"),
            (Fault(html=True), ServiceError, "not from MinerU"),
            (Fault(entry={"state": "failed", "err_msg": "bad page"}), ServiceError, "bad page"),
            (Fault(entry={"state": "failed", "err_code": -60004}), InputError, "empty"),
            (Fault(entry={"state": "done"}), ServiceError, "not from MinerU"),
            (Fault(redirect="http://127.0.0.1:1/file"), RetryableServiceError, "reached"),
            (Fault(redirect="http://example.org/file"), ServiceError, "not from MinerU"),
            (Fault(zips={0: b"no zip"}), InputError, "damaged"),
            (Fault(zips={0: result_zip(None)}), InputError, "content list"),
            (Fault(zips={0: result_zip([])}), InputError, "no text"),
            (Fault(zips={0: result_zip([text("x")], **{"../evil": b"x"})}), InputError, "not opened"),
        ],
    )
    def test_every_failure_is_a_sentence(self, fault: Fault, kind: type[AppError], words: str, tmp_path: Path) -> None:
        with MineruCloudServer(fault) as server, pytest.raises(kind, match=words) as caught:
            read(cloud(server, tmp_path), pdf(tmp_path))
        assert TOKEN not in str(caught.value)
        assert not list(tmp_path.glob("**/evil*"))

    def test_a_stop_is_heard_while_it_waits(self, tmp_path: Path) -> None:
        began = time.monotonic()
        with MineruCloudServer(states=("running",)) as server, pytest.raises(CancelledError):
            read(cloud(server, tmp_path), pdf(tmp_path), stop=_StopAtUpload(server, 1))
        assert time.monotonic() - began < 5

    def test_a_good_token_passes_the_test_and_a_wrong_one_does_not(self, tmp_path: Path) -> None:
        with MineruCloudServer() as server:
            assert cloud(server, tmp_path).probe() == server.base_url
            with pytest.raises(ServiceError, match="rejected the token"):
                MineruCloudParser("wrong", server.base_url, tmp_path).probe()

    def test_without_a_token_nothing_is_asked(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="MINERU_API_TOKEN"):
            MineruCloudParser(" ", "", tmp_path)

    def test_nothing_listening_is_a_sentence(self, tmp_path: Path) -> None:
        with pytest.raises(RetryableServiceError, match="reached"):
            MineruCloudParser(TOKEN, "http://127.0.0.1:9/api/v4", tmp_path).probe()


def server_parser(server: MineruServer, tmp_path: Path, wait_seconds: float = 20.0) -> MineruServerParser:
    return MineruServerParser(server.url, tmp_path / "work", 0.01, wait_seconds)


class TestServer:
    @pytest.mark.parametrize(
        ("major", "words", "page"), [(2, "this machine", 0), (3, "this machine", 0), (4, "native engine", 1)]
    )
    def test_each_version_is_told_apart_and_read(self, major: int, words: str, page: int, tmp_path: Path) -> None:
        with MineruServer(major) as server:
            parsed = read(server_parser(server, tmp_path), pdf(tmp_path))
            assert server_parser(server, tmp_path).probe().startswith(f"MinerU {major}")
        assert words in parsed.blocks[0].text
        assert parsed.blocks[0].page == page
        assert parsed.parser.startswith(f"MinerU {major}")

    def test_a_server_with_the_flash_tier_alone_is_asked_for_it(self, tmp_path: Path) -> None:
        with MineruServer(4, flash_only=True) as server:
            assert read(server_parser(server, tmp_path), pdf(tmp_path)).blocks

    @pytest.mark.parametrize(
        ("major", "result", "kind", "words"),
        [
            (2, (500, {"error": "CUDA out of memory"}), RetryableServiceError, "server error"),
            (2, (400, {"error": "bad language"}), ServiceError, "bad language"),
            (3, (409, {"status": "failed", "error": "No module named 'torch'"}), ServiceError, "torch"),
            (3, (404, {"detail": "Task not found"}), RetryableServiceError, "restart"),
            (3, (200, {"results": {}}), ServiceError, "not from MinerU"),
            (3, (200, {"results": {"d": {"content_list": "{broken"}}}), ServiceError, "not from MinerU"),
            (3, (200, {"results": {"d": {"content_list": "[]"}}}), InputError, "no text"),
            (4, (409, {"error": {"code": "parse_failed", "message": "broken page"}}), ServiceError, "broken page"),
            (4, (200, {"files": []}), ServiceError, "not from MinerU"),
            (
                4,
                (200, {"files": [{"content": {"middle_json": {"pages": [{"blocks": [{}]}]}}}]}),
                ServiceError,
                "MinerU",
            ),
        ],
    )
    def test_every_failure_is_a_sentence(
        self, major: int, result: tuple[int, object], kind: type[AppError], words: str, tmp_path: Path
    ) -> None:
        with MineruServer(major, results=[result]) as server, pytest.raises(kind, match=words):
            read(server_parser(server, tmp_path), pdf(tmp_path))

    @pytest.mark.parametrize("major", [3, 4])
    def test_a_stop_is_heard_while_it_waits(self, major: int, tmp_path: Path) -> None:
        with MineruServer(major, asks=10_000) as server, pytest.raises(CancelledError):
            read(server_parser(server, tmp_path), pdf(tmp_path), stop=Stop(after=0.3))

    def test_every_wait_ends(self, tmp_path: Path) -> None:
        with MineruServer(3, asks=10_000) as server, pytest.raises(ServiceError, match="in time"):
            read(server_parser(server, tmp_path, wait_seconds=0.3), pdf(tmp_path))

    def test_another_server_is_no_mineru(self, tmp_path: Path) -> None:
        with MineruCloudServer() as server, pytest.raises(ServiceError, match="not MinerU"):
            MineruServerParser(server.url, tmp_path).probe()

    @pytest.mark.parametrize("address", ["", " ", "localhost:8000", "file:///etc", "http://user:pass@host"])
    def test_addresses_that_cannot_be_used(self, address: str, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError):
            MineruServerParser(address, tmp_path)


def test_two_documents_at_once_do_not_mix(tmp_path: Path) -> None:
    found: dict[int, str] = {}

    def one(pages: int, parse: Callable[[], Parsed]) -> None:
        found[pages] = parse().blocks[0].text

    with MineruCloudServer() as server:
        paths = {pages: pdf(_folder(tmp_path, pages), pages) for pages in (1, 3)}
        threads = [
            threading.Thread(target=one, args=(pages, lambda path=path: read(cloud(server, tmp_path), path)))
            for pages, path in paths.items()
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {pages: f"{path.stat().st_size} bytes were read." for pages, path in paths.items()}


def _folder(parent: Path, pages: int) -> Path:
    folder = parent / str(pages)
    folder.mkdir()
    return folder
