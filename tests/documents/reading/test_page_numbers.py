"""Page numbers are told only of formats in which readers see them."""

import pytest

from core.documents.model import page_number
from core.documents.reading.formats import FORMATS, FileFormat


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.suffix)
def test_a_page_is_named_where_the_format_has_pages(form: FileFormat) -> None:
    for extension in form.extensions:
        assert page_number(f"Report.{extension.upper()}", 2) == (3 if form.has_pages else 0)


def test_a_name_without_extension_may_have_pages() -> None:
    assert page_number("report", 0) == 1
