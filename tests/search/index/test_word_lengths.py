import json
from pathlib import Path

import pytest
import tantivy
from tantivy import Query

from core.search.index.tantivy_index import TantivyIndex
from core.search.index.word_lengths import corrected, kept
from core.search.ports import IndexEntry


def test_kept_lengths_are_those_of_tantivy() -> None:
    schema = tantivy.SchemaBuilder().add_text_field("body", tokenizer_name="whitespace").build()
    index = tantivy.Index(schema)
    writer = index.writer(15_000_000, 1)
    lengths = [*range(1, 90), 119, 120, 121, 1_000, 5_000]
    for length in lengths:
        document = tantivy.Document()
        document.add_text("body", "word " * length)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher, query = index.searcher(), Query.term_query(schema, "body", "word")
    told = {length_of(json.loads(query.explain(searcher, at).to_json())) for _, at in searcher.search(query, 200).hits}
    assert told == {kept(length) for length in lengths}


def length_of(explained: dict[str, object]) -> int:
    """What an explanation says of `dl, length of field`."""
    found, waiting = 0, [explained]
    while waiting:
        node = waiting.pop()
        if str(node["description"]).startswith("dl,"):
            found = int(float(str(node["value"])))
        waiting += node.get("details", [])  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(("length", "as_kept"), [(0, 0), (24, 24), (40, 40), (41, 40), (63, 60), (151, 144)])
def test_a_length_is_kept_in_one_byte(length: int, as_kept: int) -> None:
    assert kept(length) == as_kept


def test_a_score_falls_by_what_the_length_was_too_short() -> None:
    assert corrected(10.0, 40, 60.0) == 10.0
    assert 9.0 < corrected(10.0, 63, 60.0) < 10.0


def test_of_lengths_that_are_kept_alike_the_shorter_passage_is_first(tmp_path: Path) -> None:
    """144 to 151 words are one length to tantivy."""
    entries = [
        IndexEntry(f"c{length}", "d", "", "", " ".join(["budget", *["otherwise"] * (length - 1)]))
        for length in (151, 145, 148, 60)
    ]
    index = TantivyIndex(tmp_path)
    index.upsert("base", "chunks", entries)
    assert [id for id, _ in index.search("base", "chunks", "budget", 10)] == ["c60", "c145", "c148", "c151"]


def test_an_index_of_before_is_searched_and_written_and_gets_lengths_when_it_is_replaced(tmp_path: Path) -> None:
    for level in ("chunks", "summaries"):
        path = tmp_path / "1" / "base" / level
        path.mkdir(parents=True)
        builder = tantivy.SchemaBuilder()
        for name in ("id", "document", "key"):
            builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
        for name in ("heading", "body"):
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        tantivy.Index(builder.build(), path=str(path))
    long, short = (IndexEntry(f"c{length}", "d", "", "", "budget " + "others " * length) for length in (150, 145))
    index = TantivyIndex(tmp_path)
    index.upsert("base", "chunks", [long])
    index.upsert("base", "chunks", [short])
    assert len({score for _, score in index.search("base", "chunks", "budget", 10)}) == 1
    assert index.replace("base", "chunks", [[long, short]]) == 2
    assert [id for id, _ in index.search("base", "chunks", "budget", 10)] == ["c145", "c150"]
