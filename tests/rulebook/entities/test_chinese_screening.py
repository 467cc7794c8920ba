"""Chinese candidates that the way a document writes them tells to be no names."""

from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.rulebook.entities.chinese.extractor import read_chinese
from core.rulebook.entities.chinese.screening import WEIGHTS, candidates, probability
from core.rulebook.entities.chinese.segmentation import dictionary

STORY = [
    "林雨晴在杭州主持潮汐模型的校准，潮汐模型由临江水务公司维护。",
    "临江水务公司委托林雨晴检查潮汐模型；她从杭州出发。",
    "后来，潮汐模型在杭州运行。林雨晴说潮汐模型可靠。",
] * 5
LOOSE = "在其内部监测方案之时，其内部监测方案另行通知。"


def found(texts: list[str]) -> set[str]:
    return {entity.name for row in BuiltinExtractor().extract(texts, "zh-hans") for entity in row}


def test_names_that_stand_in_many_places_are_kept() -> None:
    assert found(STORY) >= {"林雨晴", "杭州", "潮汐模型", "临江水务公司"}


def test_what_always_stands_in_one_place_is_dropped_from_long_documents_alone() -> None:
    assert "监测方案" in found([LOOSE, *STORY[:3]])
    assert "监测方案" not in found([LOOSE, *STORY])


def test_every_feature_of_a_candidate_has_a_weight_and_latin_names_are_none() -> None:
    texts = [*STORY, "服务器使用 PostgreSQL 存储，PostgreSQL 很快。"]
    read = read_chinese(texts, [[] for _ in texts], dictionary())
    by_name = dict(candidates(read.documents, read.found(), read.names.known, dictionary()))
    weights = WEIGHTS.read_text(encoding="utf-8")
    assert all(f'"{feature}"' in weights for features in by_name.values() for feature in features)
    assert "PostgreSQL" not in by_name
    assert probability(by_name["杭州"]) < probability({**by_name["杭州"], "contexts": 0.0, "confidence": 0.5})
