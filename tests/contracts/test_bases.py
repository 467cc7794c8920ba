"""What every store of knowledge bases does."""

import pytest

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.graph.ports import KnowledgeGraph
from core.platform.errors import InputError, NotFoundError
from tests.contracts.libraries import base, graph, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.samples import publish

__all__ = ["base", "clock", "engine", "graph", "library", "migrated_file"]


class TestBases:
    def test_a_new_base_is_found_by_id_and_by_name_in_any_case(self, library: Library, base: KnowledgeBase) -> None:
        assert library.bases.get(base.id) == base
        assert library.bases.named("  pApErs ") == base
        assert library.bases.all() == [base]

    @pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u200b", "x" * 101])
    def test_a_name_that_nobody_could_read_is_refused(self, library: Library, name: str) -> None:
        with pytest.raises(InputError):
            library.bases.create(name)
        assert library.bases.all() == []

    def test_a_taken_name_is_refused_when_creating_and_renaming(self, library: Library, base: KnowledgeBase) -> None:
        other = library.bases.create("Other")
        with pytest.raises(InputError, match="Papers"):
            library.bases.create("Papers")
        with pytest.raises(InputError, match="papers"):
            library.bases.rename(other.id, "papers")
        assert library.bases.get(other.id).name == "Other"

    def test_a_renamed_base_keeps_its_id_and_frees_its_name(self, library: Library, base: KnowledgeBase) -> None:
        library.bases.rename(base.id, "Articles")
        again = library.bases.create("Papers")
        assert library.bases.get(base.id).name == "Articles"
        assert again.id != base.id

    def test_a_base_keeps_the_entity_classes_it_was_given(self, library: Library, base: KnowledgeBase) -> None:
        assert library.bases.get(base.id).entity_types == ()
        library.bases.set_entity_types(base.id, ["GENE", "药物"])
        assert library.bases.get(base.id).entity_types == ("GENE", "药物")
        library.bases.set_entity_types(base.id, [])
        assert library.bases.all()[0].entity_types == ()

    def test_markup_and_control_signs_in_a_name_are_kept_as_text(self, library: Library) -> None:
        assert library.bases.create("<b>\x00A</b>\r\nB").name == "<b> A</b> B"

    def test_a_deleted_base_takes_everything_with_it(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT uses attention.")
        library.bases.delete(base.id)
        assert library.bases.all() == []
        assert library.passages.chunks(document.id) == []
        assert graph.search(base.id, "bert", 5) == []
        with pytest.raises(NotFoundError):
            library.documents.get(document.id)

    def test_unknown_bases_are_reported(self, library: Library) -> None:
        assert library.bases.named("nothing") is None
        with pytest.raises(NotFoundError):
            library.bases.get("nothing")
        with pytest.raises(NotFoundError):
            library.bases.rename("nothing", "Name")
        with pytest.raises(NotFoundError):
            library.bases.set_entity_types("nothing", ["GENE"])
        with pytest.raises(NotFoundError):
            library.documents.add("nothing", "a.pdf", "0" * 64, 1, "application/pdf")
