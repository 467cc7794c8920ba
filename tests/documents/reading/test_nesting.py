import time
from random import Random

import docvortex

from core.documents.reading.markup import flatten_html, headed_html

PARTS = [b"<div>", b"</div>", b"<span class=a>", b"</span>", b"<p>", b"</p>", b"words ", b"<!-- <div> -->"]


def test_texts_in_deep_wrappers_are_kept_and_come_up() -> None:
    page = b"<p>before</p>" + b"<div>" * 300 + b"deep" + b"</div>" * 300 + b"<div>after</div>"
    flat = flatten_html(page)
    assert flat.count(b"<div>") == flat.count(b"</div>") == 151
    assert flat.startswith(b"<p>before</p><div>")
    assert b"<br>deep<br>" in flat
    assert flat.endswith(b"</div><div>after</div>")


def test_neighbours_stay_apart() -> None:
    page = b"<div>" * 200 + b"<span>one</span><span>two</span>"
    assert b"one<br>two" in flatten_html(page)


def test_the_parser_reads_what_it_leaves_out_of_deep_pages() -> None:
    page = b"<html><body>" + b"<div>" * 5_000 + b"<p>The gauge was read in 1998.</p>" + b"</div>" * 5_000
    assert "gauge" not in str(docvortex.parse(page, file_suffix="html").middle_json.to_dict())
    assert "gauge" in str(docvortex.parse(flatten_html(page), file_suffix="html").middle_json.to_dict())


def test_ordinary_pages_stay_as_they_are() -> None:
    for seed in range(200):
        page = b" ".join(Random(seed).choices(PARTS, k=100))
        assert flatten_html(page) == page


def test_what_is_never_closed_takes_no_time() -> None:
    started = time.process_time()
    for opening in (b"<!--", b"<script", b"<div ", b"<details ", b"<summary "):
        page = opening * 50_000
        assert headed_html(flatten_html(page)) == page
    assert time.process_time() - started < 5
