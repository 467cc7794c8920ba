import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.platform.errors import RetryableServiceError, ServiceError
from core.search.index.tantivy_index import TantivyIndex
from core.search.ports import IndexEntry, LexicalIndex
from tests.fakes.indexes import FakeLexicalIndex

ENTRIES = [
    IndexEntry("c1", "d1", "Levity (film)", "", "Levity is a drama directed by Ed Solomon."),
    IndexEntry("c2", "d2", "Ed Solomon", "Life\nEarly years", "Edward Solomon is an American writer and director."),
    IndexEntry("c3", "d2", "Ed Solomon", "Life\nAwards", "He was nominated for prizes in 2,021."),
    IndexEntry("c4", "d3", "软件工程", "", "软件工程师设计程序。"),
]


@pytest.fixture(params=["tantivy", "fake"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> LexicalIndex:
    made: LexicalIndex = TantivyIndex(tmp_path) if request.param == "tantivy" else FakeLexicalIndex()
    made.upsert("base", "chunks", ENTRIES)
    return made


@pytest.fixture
def tantivy_index(tmp_path: Path) -> TantivyIndex:
    made = TantivyIndex(tmp_path, lock_seconds=0.2)
    made.upsert("base", "chunks", ENTRIES)
    return made


def ids(index: LexicalIndex, query: str, documents: tuple[str, ...] = ()) -> list[str]:
    return [id for id, _ in index.search("base", "chunks", query, 10, documents)]


@pytest.mark.parametrize(
    ("query", "first"),
    [("dramas", "c1"), ("American writers", "c2"), ("awards", "c3"), ("2021", "c3"), ("軟體工程師", "c4")],
)
def test_terms_of_text_title_and_section_are_found_in_any_spelling(index: LexicalIndex, query: str, first: str) -> None:
    assert ids(index, query)[0] == first


def test_best_come_first_with_positive_scores(index: LexicalIndex) -> None:
    hits = index.search("base", "chunks", "Ed Solomon awards", 10)
    assert hits[0][0] == "c3"
    assert [score for _, score in hits] == sorted((score for _, score in hits), reverse=True)
    assert all(score > 0 for _, score in hits)


def test_limit_and_documents_narrow_a_search(index: LexicalIndex) -> None:
    assert len(index.search("base", "chunks", "Ed Solomon", 2)) == 2
    assert set(ids(index, "Ed Solomon", ("d2",))) == {"c2", "c3"}
    assert ids(index, "Ed Solomon", ("unknown",)) == []


@pytest.mark.parametrize("query", ["", "?!", "zeppelin", 'title:"' + "(" * 50, "a" * 100_000])
def test_a_query_without_known_terms_finds_nothing(index: LexicalIndex, query: str) -> None:
    assert ids(index, query) == []


def test_a_title_is_found_by_name_without_its_remark_in_brackets(index: LexicalIndex) -> None:
    assert index.titled("base", "chunks", ["levity", "Ed", "Paris"], "", 10) == [("c1", "d1", "levity")]


def test_the_last_heading_is_a_name_too_and_the_query_decides_the_order(index: LexicalIndex) -> None:
    found = index.titled("base", "chunks", ["Awards", "ED SOLOMON", "Life"], "American writer", 10)
    assert found[0] == ("c2", "d2", "ED SOLOMON")
    assert set(found[1:]) == {("c3", "d2", "Awards"), ("c3", "d2", "ED SOLOMON")}


def test_matches_say_which_terms_an_entry_holds(index: LexicalIndex) -> None:
    terms = ["american", "solomon", "award", "zeppelin"]
    assert index.matches("base", "chunks", terms, ["c2", "c3", "nowhere"]) == {
        "c2": {"american", "solomon"},
        "c3": {"solomon", "award"},
    }


def test_more_terms_than_fit_one_search_are_matched(index: LexicalIndex) -> None:
    terms = [f"filler{number}" for number in range(45)] + ["drama"]
    assert index.matches("base", "chunks", terms, ["c1", "c4"]) == {"c1": {"drama"}, "c4": set()}


def test_frequencies_count_entries(index: LexicalIndex) -> None:
    assert index.frequencies("base", "chunks", ["solomon", "zeppelin"]) == (4, {"solomon": 3, "zeppelin": 0})


def test_documents_of_entries_are_known(index: LexicalIndex) -> None:
    assert index.documents_of("base", "chunks", ["c3", "c4", "nowhere"]) == {"c3": "d2", "c4": "d3"}


def test_an_entry_written_again_replaces_itself(index: LexicalIndex) -> None:
    index.upsert("base", "chunks", [IndexEntry("c1", "d1", "Levity (film)", "", "A comedy.")])
    assert index.count("base", "chunks") == 4
    assert ids(index, "drama") == []
    assert ids(index, "comedy") == ["c1"]


def test_deleted_documents_are_gone_and_others_stay(index: LexicalIndex) -> None:
    index.delete_documents("base", ["d2", "unknown"])
    assert index.count("base", "chunks") == 2
    assert ids(index, "solomon") == ["c1"]


def test_levels_and_bases_are_apart(index: LexicalIndex) -> None:
    index.upsert("other", "summaries", [IndexEntry("s1", "d9", "Summary", "", "A drama of its own.")])
    assert index.search("other", "summaries", "drama", 5)[0][0] == "s1"
    assert ids(index, "drama") == ["c1"]
    index.delete_base("other")
    assert ids(index, "drama") == ["c1"]


def test_deleting_what_was_never_written_is_no_error(index: LexicalIndex) -> None:
    index.delete_documents("nowhere", ["d1"])
    index.delete_base("nowhere")


READS: list[Callable[[TantivyIndex], object]] = [
    lambda index: index.search("base", "chunks", "drama", 5),
    lambda index: index.search("base", "chunks", "", 5),
    lambda index: index.titled("base", "chunks", ["Levity"], "", 5),
    lambda index: index.matches("base", "chunks", ["drama"], ["c1"]),
    lambda index: index.frequencies("base", "chunks", ["drama"]),
    lambda index: index.count("base", "chunks"),
]


@pytest.mark.parametrize("read", READS)
def test_a_lost_index_is_an_error_with_the_remedy(
    tantivy_index: TantivyIndex, tmp_path: Path, read: Callable[[TantivyIndex], object]
) -> None:
    shutil.rmtree(tmp_path)
    with pytest.raises(ServiceError, match="rebuild-index"):
        read(tantivy_index)


@pytest.mark.parametrize("ending", ["term", "idx", "store", "fieldnorm", "json"])
def test_a_damaged_file_is_an_error_with_the_remedy(tmp_path: Path, ending: str) -> None:
    TantivyIndex(tmp_path).upsert("base", "chunks", ENTRIES)
    for path in tmp_path.rglob(f"*.{ending}"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ServiceError, match="rebuild-index"):
        TantivyIndex(tmp_path).search("base", "chunks", "drama", 5)


def test_a_lost_list_of_files_is_not_taken_for_a_new_index(tmp_path: Path) -> None:
    TantivyIndex(tmp_path).upsert("base", "chunks", ENTRIES)
    for path in tmp_path.rglob("meta.json"):
        path.unlink()
    with pytest.raises(ServiceError, match="rebuild-index"):
        TantivyIndex(tmp_path).upsert("base", "chunks", ENTRIES[:1])


def test_a_deleted_base_can_be_written_again(tantivy_index: TantivyIndex) -> None:
    tantivy_index.delete_base("base")
    tantivy_index.upsert("base", "chunks", ENTRIES[:1])
    assert tantivy_index.count("base", "chunks") == 1
    assert tantivy_index.count("base", "summaries") == 0


def test_a_name_of_a_base_cannot_leave_the_folder(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path / "in")
    index.upsert("../../out", "chunks", ENTRIES[:1])
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_threads_write_one_after_the_other(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: index.upsert("base", "chunks", [IndexEntry(f"c{n}", "d", "", "", "text")]), range(12)))
    assert index.count("base", "chunks") == 12


WRITER = """
import sys
from pathlib import Path
import tantivy
index = tantivy.Index.open(sys.argv[1])
writer = index.writer(15_000_000, 1)
document = tantivy.Document()
document.add_text("id", "half")
writer.add_document(document)
print("writing", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other_writer(tantivy_index: TantivyIndex, tmp_path: Path) -> "subprocess.Popen[str]":
    """A process that holds the writer's lock with an entry not committed."""
    folder = next(path.parent for path in tmp_path.rglob("meta.json") if path.parent.name == "chunks")
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "writing\n"
    return process


def test_another_process_that_keeps_writing_is_named_and_reading_goes_on(
    tantivy_index: TantivyIndex, other_writer: "subprocess.Popen[str]"
) -> None:
    with pytest.raises(RetryableServiceError, match="Another process"):
        tantivy_index.upsert("base", "chunks", ENTRIES[:1])
    assert ids(tantivy_index, "drama") == ["c1"]
    other_writer.kill()
    other_writer.communicate()


def test_a_writer_that_was_killed_leaves_the_last_commit_and_no_lock(
    tantivy_index: TantivyIndex, other_writer: "subprocess.Popen[str]"
) -> None:
    other_writer.kill()
    other_writer.communicate()
    assert tantivy_index.count("base", "chunks") == 4
    tantivy_index.upsert("base", "chunks", [IndexEntry("c5", "d5", "", "", "after the crash")])
    assert ids(tantivy_index, "crash") == ["c5"]


def test_a_reader_sees_what_another_process_commits(tantivy_index: TantivyIndex, tmp_path: Path) -> None:
    assert ids(tantivy_index, "zeppelin") == []
    code = (
        "from pathlib import Path; import sys; from core.search.index.tantivy_index import TantivyIndex;"
        "from core.search.ports import IndexEntry;"
        "TantivyIndex(Path(sys.argv[1])).upsert('base', 'chunks', [IndexEntry('c6', 'd6', '', '', 'A zeppelin.')])"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=Path(__file__).parents[2])
    assert ids(tantivy_index, "zeppelin") == ["c6"]


def test_a_replaced_level_holds_exactly_the_new_entries(index: LexicalIndex) -> None:
    assert index.replace("base", "chunks", [ENTRIES[:1], [ENTRIES[3]]]) == 2
    assert index.count("base", "chunks") == 2
    assert ids(index, "Ed Solomon awards") == ["c1"]
    assert index.replace("new", "summaries", []) == 0
    assert index.count("new", "summaries") == 0


def test_a_replacement_that_is_interrupted_leaves_the_level_as_it_was(index: LexicalIndex) -> None:
    def interrupted() -> Iterator[list[IndexEntry]]:
        yield ENTRIES[:1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.replace("base", "chunks", interrupted())
    assert index.count("base", "chunks") == len(ENTRIES)
    assert ids(index, "awards")[0] == "c3"


def test_a_replacement_makes_an_unreadable_level_anew(tantivy_index: TantivyIndex, tmp_path: Path) -> None:
    for meta in tmp_path.rglob("chunks/meta.json"):
        meta.unlink()
    assert tantivy_index.replace("base", "chunks", [ENTRIES]) == len(ENTRIES)
    assert ids(tantivy_index, "awards")[0] == "c3"
