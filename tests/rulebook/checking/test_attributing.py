"""Citations for answers whose writer gave none: behind what the passages bear out, and behind nothing else."""

from core.documents.model import Chunk
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.checking.attributing import with_citations
from core.rulebook.checking.support import Evidence
from core.search.model import Passage
from tests.fakes.models import sentence_encoder

TEXTS = (
    "The observatory watches a narrow inlet. It was founded in 2011.",
    "KelpNet is a neural network. It was developed by Lena Vogt.",
    "红色预警由值班员提出，经站长林雨晴批准后发布。",
)
PASSAGES = [Passage(Chunk(f"c{at}", "d1", at, text, (), ()), "handbook.pdf", 0.9) for at, text in enumerate(TEXTS)]


def test_each_sentence_is_cited_with_the_passage_that_bears_it_out() -> None:
    answer = (
        "KelpNet was developed by Lena Vogt. The observatory was founded in 2011.\n- 红色预警经站长林雨晴批准后发布。"
    )
    marked, citations = with_citations(answer, Evidence(PASSAGES, sentence_encoder()))
    assert marked == (
        "KelpNet was developed by Lena Vogt [1]. The observatory was founded in 2011 [2].\n"
        "- 红色预警经站长林雨晴批准后发布 [3]。"
    )
    assert [(citation.number, citation.chunk_id) for citation in citations] == [(1, "c1"), (2, "c0"), (3, "c2")]


def test_what_no_passage_bears_out_is_not_cited() -> None:
    answer = "The observatory was founded in 1997. A bank in Paris bought it later. Hello! Who knows?"
    assert with_citations(answer, Evidence(PASSAGES, sentence_encoder())) == (answer, ())


def test_a_sentence_in_another_language_is_compared_by_meaning_or_not_cited() -> None:
    answer = "该观测站成立于2011年。"
    assert with_citations(answer, Evidence(PASSAGES[:2], sentence_encoder()))[0] == "该观测站成立于2011年 [1]。"
    for encoder in (None, HashedEmbedder()):
        assert with_citations(answer, Evidence(PASSAGES[:2], encoder)) == (answer, ())


def test_numbers_without_words_are_left_out() -> None:
    assert with_citations("[1][2]", Evidence(PASSAGES)) == ("", ())
