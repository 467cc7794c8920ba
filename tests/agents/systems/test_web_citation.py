"""A citation of the web is shown as one: its site and a link, no page and no document."""

from dataclasses import replace

from core.search.model import Citation
from pages.components.run.citation_html import CitedPlaces, panels_html, sources_html

WEB = Citation(1, "web-1", "", "A <b>title</b>", 0, (), "The words.", 0.9, 'https://example.org/a?b=1&c="2')


def test_the_site_and_a_link_are_shown() -> None:
    panel = panels_html([WEB], CitedPlaces())
    assert 'href="https://example.org/a?b=1&amp;c=&#34;2"' in panel
    assert "example.org" in sources_html([WEB], CitedPlaces())
    assert "page" not in sources_html([WEB], CitedPlaces())
    assert "data-event" not in panel
    assert "<b>title</b>" not in panel


def test_an_address_that_is_not_of_the_web_is_no_link() -> None:
    assert "javascript" not in panels_html([replace(WEB, url="javascript:alert(1)")], CitedPlaces())


def test_a_place_in_a_document_is_shown_as_before() -> None:
    citation = Citation(1, "c1", "d1", "report.pdf", 2, (), "The words.", 0.9)
    assert "page 3" in sources_html([citation], CitedPlaces())
    assert 'data-event="document"' in panels_html([citation], CitedPlaces())
