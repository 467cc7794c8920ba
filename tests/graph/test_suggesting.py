"""Which entities are suggested as the same, and why."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from core.graph.duplicates.suggestions import Reason, Suggestion, by_meaning, compatible
from core.graph.duplicates.suggestions import suggestions as suggested
from core.graph.model import Entity


def entities(*named: tuple[str, str] | tuple[str, str, str]) -> list[Entity]:
    """(name, type, aliases...), the most mentioned first."""
    return [
        Entity(f"e{place}", "b", name, type, tuple(aliases), 9 - place)
        for place, (name, type, *aliases) in enumerate(named)
    ]


@dataclass
class Texts:
    """All entities are in one document unless said otherwise, and together in these passages."""

    text: tuple[str, ...] = ("Both are named here.",)
    documents: Mapping[str, Collection[str]] = field(default_factory=dict)

    def documents_of(self, entity_ids: Sequence[str]) -> Mapping[str, Collection[str]]:
        return {id: {"d"} for id in entity_ids} | dict(self.documents)

    def passages(self, one: Entity, other: Entity) -> Sequence[str]:
        return self.text


def suggestions(
    entities: Sequence[Entity], apart: Collection[tuple[str, str]] = (), texts: Texts | None = None
) -> list[Suggestion]:
    return suggested(entities, texts or Texts(), apart)


def test_organizations_that_begin_with_the_name_of_another_in_a_common_document() -> None:
    names = ("Brighton Rock", "Brighton Rock Housing", "Brighton Rock Housing Cooperative", "Brighton Rock Coop")
    named = entities(*((name, "ORGANIZATION") for name in names))
    pairs = {(each.keep.name, each.other.name) for each in suggestions(named)}
    assert {("Brighton Rock Housing", "Brighton Rock"), ("Brighton Rock Coop", "Brighton Rock")} <= pairs
    assert not suggestions(named[:2], texts=Texts(documents={"e0": {"d"}, "e1": {"other"}}))


PAIRS = [
    (("Docling", "TECHNOLOGY"), ("docling", "CONCEPT"), Reason.TYPE),
    (("micro-service", "CONCEPT"), ("Microservice", "CONCEPT"), Reason.LETTERS),
    (("U.S.", "LOCATION"), ("US", "LOCATION"), Reason.LETTERS),
    (("潮汐模型", "CONCEPT"), ("潮汐模型", "TECHNOLOGY"), Reason.TYPE),
    (("圖譜", "CONCEPT"), ("图谱", "CONCEPT"), Reason.SCRIPT),
    (("ＧＰＵ", "TECHNOLOGY"), ("GPU", "TECHNOLOGY"), Reason.SCRIPT),
    (("tide gauge", "TECHNOLOGY"), ("tide-gauges", "TECHNOLOGY"), Reason.PLURAL),
    (("Station's", "CONCEPT"), ("station", "CONCEPT"), Reason.PLURAL),
    (("Bidirectional Encoder", "TECHNOLOGY", "BERT"), ("BERT", "TECHNOLOGY"), Reason.ALIAS),
    (("Costco Wholesale Corporation", "ORGANIZATION"), ("Costco Wholesale Corp.", "ORGANIZATION"), Reason.LEGAL_FORM),
    (("华为技术有限公司", "ORGANIZATION"), ("華為技術", "ORGANIZATION"), Reason.LEGAL_FORM),
    (("Marlow GmbH & Co. KG", "ORGANIZATION"), ("Marlow", "ORGANIZATION"), Reason.LEGAL_FORM),
    (("Securities and Exchange Commission", "ORGANIZATION"), ("SEC", "ORGANIZATION"), Reason.ACRONYM),
    (("JavaScript", "TECHNOLOGY"), ("JS", "TECHNOLOGY"), Reason.ACRONYM),
    (("Maria Lindqvist", "PERSON"), ("Lindqvist", "PERSON"), Reason.FAMILY_NAME),
    (("Craig Jelinek", "PERSON"), ("W. Craig Jelinek", "PERSON"), Reason.FULL_NAME),
    (("Craig Jelinek", "PERSON"), ("Craig M. Jelinek", "PERSON"), Reason.FULL_NAME),
    (("Craig Jelinek", "PERSON"), ("Age Craig Jelinek", "PERSON"), Reason.FULL_NAME),
    (("Costco Wholesale Corporation", "ORGANIZATION"), ("Costco", "ORGANIZATION"), Reason.SHORT_NAME),
    (("Conference on Marine Data and Maps", "CONCEPT"), ("MDM", "CONCEPT"), Reason.ACRONYM),
    (("北京大学", "ORGANIZATION"), ("北大", "ORGANIZATION"), Reason.ACRONYM),
    (("Maria Lindqvist", "PERSON"), ("Maria", "PERSON"), Reason.FAMILY_NAME),
    (("路德维希·普朗特", "PERSON"), ("普朗特", "PERSON"), Reason.FAMILY_NAME),
    (("Securities Exchange Act", "CONCEPT"), ("Exchange Act", "CONCEPT"), Reason.SHORT_NAME),
    (("Treaty of Lisbon 2007", "CONCEPT"), ("Lisbon Treaty", "CONCEPT"), Reason.WORD_ORDER),
    (("manual pages", "CONCEPT"), ("man pages", "CONCEPT"), Reason.ABBREVIATED),
    (("林雨晴", "PERSON"), ("Lin Yuqing", "PERSON"), Reason.PINYIN),
    (("林雨晴", "PERSON"), ("Yu-qing Lin", "PERSON"), Reason.PINYIN),
    (("曾國藩", "PERSON"), ("ZENG Guofan", "PERSON"), Reason.PINYIN),
    (("吕布", "PERSON"), ("Lǚ Bù", "PERSON"), Reason.PINYIN),
    (("欧阳修", "PERSON"), ("Xiu Ouyang", "PERSON"), Reason.PINYIN),
    (("Chongqing", "LOCATION"), ("重庆", "LOCATION"), Reason.PINYIN),
    (("林雨晴", "PERSON"), ("Lin Yu", "PERSON"), None),
    (("林", "PERSON"), ("Lin", "PERSON"), None),
    (("林雨晴", "PERSON"), ("Linyuqing", "TECHNOLOGY"), None),
    (("C++", "TECHNOLOGY"), ("C", "TECHNOLOGY"), None),
    (("New York", "LOCATION"), ("York", "LOCATION"), None),
    (("Company", "ORGANIZATION"), ("Corporation", "ORGANIZATION"), None),
    (("公司", "ORGANIZATION"), ("有限公司", "ORGANIZATION"), None),
    (("AI", "CONCEPT"), ("AIDS", "CONCEPT"), None),
    (("Treaty of Rome 1957", "CONCEPT"), ("Treaty of Rome 1958", "CONCEPT"), None),
    (("decision tree", "CONCEPT"), ("tree", "CONCEPT"), None),
    (("bytecode interpreter", "CONCEPT"), ("interpreter bytecode", "CONCEPT"), None),
    (("Committee of the Harbour Board", "ORGANIZATION"), ("Harbour Board", "ORGANIZATION"), None),
    (("北京大学", "ORGANIZATION"), ("北京", "ORGANIZATION"), None),
    (("tide gauge", "CONCEPT"), ("tidy gauge", "CONCEPT"), None),
]


@pytest.mark.parametrize(("one", "other", "reason"), PAIRS)
def test_two_names_are_suggested_for_a_reason(
    one: tuple[str, str], other: tuple[str, str], reason: Reason | None
) -> None:
    found = suggestions(entities(one, other))
    assert [each.reason for each in found] == ([reason] if reason else [])
    assert all((each.keep.id, each.other.id) == ("e0", "e1") for each in found)


def test_what_could_be_one_of_two_is_not_suggested() -> None:
    assert suggestions(entities(("Ada Byron", "PERSON"), ("Lord Byron", "PERSON"), ("Byron", "PERSON"))) == []
    bank, basket = ("Central Bank", "ORGANIZATION"), ("Community Basket", "ORGANIZATION")
    assert suggestions(entities(bank, basket, ("CB", "ORGANIZATION"))) == []
    assert suggestions(entities(("李伟", "PERSON"), ("李玮", "PERSON"), ("Li Wei", "PERSON"))) == []
    delta = [("Delta Air", "ORGANIZATION"), ("Delta Dental", "ORGANIZATION"), ("Delta", "ORGANIZATION")]
    assert suggestions(entities(*delta)) == []


def test_several_spellings_are_each_suggested_with_the_most_mentioned() -> None:
    found = suggestions(entities(("Web Site", "CONCEPT"), ("website", "CONCEPT"), ("web-site", "CONCEPT")))
    assert [each.pair for each in found] == [("e0", "e1"), ("e0", "e2")]


def test_what_was_said_to_be_different_is_not_suggested_again() -> None:
    named = entities(("Docling", "TECHNOLOGY"), ("docling", "CONCEPT"))
    assert suggestions(named, {("e0", "e1")}) == []


@pytest.mark.parametrize(
    ("short", "long", "text", "suggested"),
    [
        (("VM", "TECHNOLOGY"), ("virtual machine", "TECHNOLOGY"), "Each virtual machine (VM) starts.", True),
        (("VM", "CONCEPT"), ("virtual machine", "TECHNOLOGY"), 'A VM (the "virtual machine") starts.', True),
        (("VM", "TECHNOLOGY"), ("virtual machine", "TECHNOLOGY"), "A VM is no virtual machine, they say.", False),
        (("IT", "CONCEPT", "information technology"), ("income tax", "CONCEPT"), "Both.", False),
        (("NSS", "CONCEPT", "Name Service Switch"), ("Network Security Service", "CONCEPT"), "Both.", False),
        (("NSS", "CONCEPT", "N.S.S."), ("Network Security Service", "CONCEPT"), "Both.", True),
        (("SEC", "TECHNOLOGY"), ("Securities and Exchange Commission", "ORGANIZATION"), "Both.", False),
        (("TLD", "CONCEPT"), ("generic Top-Level Domain", "CONCEPT"), "Both.", False),
        (("LO", "CONCEPT"), ("Los Osos", "LOCATION"), "LO and Los Osos are far apart.", False),
    ],
)
def test_an_acronym_needs_what_bears_it_out(
    short: tuple[str, str], long: tuple[str, str], text: str, suggested: bool
) -> None:
    found = suggestions(entities(short, long), texts=Texts((text,)))
    assert [each.reason for each in found] == ([Reason.ACRONYM] if suggested else [])


def test_an_acronym_and_a_name_of_different_documents_are_not_suggested() -> None:
    named = entities(("SEC", "ORGANIZATION"), ("Securities and Exchange Commission", "ORGANIZATION"))
    assert suggestions(named, texts=Texts(documents={"e0": {"one"}, "e1": {"other"}})) == []
    assert len(suggestions(named, texts=Texts(documents={"e0": {"one"}, "e1": {"one", "other"}}))) == 1


def test_merging_several_makes_nothing_one_that_was_told_apart() -> None:
    named = entities(("Web Site", "CONCEPT"), ("website", "CONCEPT"), ("web-site", "CONCEPT"))
    found = suggestions(named, {("e1", "e2")})
    assert [each.pair for each in compatible(found, {("e1", "e2")})] == [("e0", "e1")]
    assert len(compatible(found, ())) == 2


def test_names_that_mean_the_same_are_surer_where_a_passage_mentions_both() -> None:
    chinese, english, person = entities(("潮汐", "CONCEPT"), ("tide", "TECHNOLOGY"), ("Tidd", "PERSON"))

    def found(cosine: float, related: bool, apart: Collection[tuple[str, str]] = ()) -> list[tuple[str, str]]:
        pairs = [(chinese, english, cosine), (chinese, person, 0.99)]
        return [each.pair for each in by_meaning(pairs, lambda one, two: related, apart)]

    assert found(0.85, False) == found(0.75, True) == [("e0", "e1")]
    assert found(0.75, False) == found(0.65, True) == []
    assert found(0.85, True, {("e0", "e1")}) == []
    one, other = entities(("张伟平", "PERSON"), ("Weiping Chang", "PERSON"))
    assert by_meaning([(one, other, 0.85)], lambda *_: False) == []
    assert len(by_meaning([(one, other, 0.75)], lambda *_: True)) == 1


def test_all_forms_of_a_persons_name_are_suggested_with_one_of_them() -> None:
    names = ("Craig Jelinek", "W. Craig Jelinek", "Age W. Craig Jelinek", "Jelinek", "C. Jelinek", "Ann Jelinek")
    found = suggestions(entities(*((name, "PERSON") for name in names[:5])))
    assert {frozenset((each.keep.name, each.other.name)) for each in found} == {
        frozenset(("Craig Jelinek", other)) for other in ("W. Craig Jelinek", "Age W. Craig Jelinek", "Jelinek")
    }
    two = suggestions(entities(*((name, "PERSON") for name in names)))
    assert all("Jelinek" not in (each.keep.name, each.other.name) for each in two)
