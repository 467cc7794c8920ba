"""Entity classes as people write them."""

import pytest

from core.graph.model import ENTITY_TYPES
from core.graph.naming import MOST_CLASSES, classes_text, entity_classes
from core.platform.errors import InputError


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("gene\nprotein", ("GENE", "PROTEIN")),
        (" gene ,  cell line;gene", ("GENE", "CELL_LINE")),
        ("药物、疾病，基因", ("药物", "疾病", "基因")),
        ("", ()),
        (" \n,, ", ()),
        ("\n".join(ENTITY_TYPES), ()),
        ("IL-6 receptor", ("IL-6_RECEPTOR",)),
    ],
)
def test_classes_are_read_from_lines_and_commas(text: str, classes: tuple[str, ...]) -> None:
    assert entity_classes(text) == classes


@pytest.mark.parametrize("text", ["<b>", "a" * 41, "GENE {x}", "-", "a:b", '"x"', "ok, _"])
def test_a_name_that_is_no_name_is_refused_with_its_name(text: str) -> None:
    with pytest.raises(InputError):
        entity_classes(text)


def test_too_many_classes_are_refused() -> None:
    with pytest.raises(InputError, match=str(MOST_CLASSES)):
        entity_classes("\n".join(f"class {number}" for number in range(MOST_CLASSES + 1)))


def test_what_is_shown_for_editing_is_read_back() -> None:
    assert entity_classes(classes_text(("GENE", "CELL_LINE"))) == ("GENE", "CELL_LINE")
    assert entity_classes(classes_text(())) == ()
