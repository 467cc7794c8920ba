"""Names that took in what follows them, companies by their legal form, and what is no name."""

from core.documents.extraction.builtin_extractor import BuiltinExtractor


def names(text: str, language: str) -> set[tuple[str, str]]:
    return {(each.name, each.type) for each in BuiltinExtractor().extract([text], language)[0]}


def test_a_person_is_cut_where_the_text_goes_on() -> None:
    found = names("期间，孙权令元配让出正室。孙权移居秣陵，孙权称帝，孙权希望立步夫人。孙权为王。", "zh-hans")
    assert ("孙权", "PERSON") in found
    assert not {name for name, _ in found if len(name) == 3 and name.startswith("孙权")}


def test_two_persons_of_one_family_stay_two() -> None:
    found = {name for name, _ in names("李小龙见到李小明。李小龙说，李小明来了。", "zh-hans")}
    assert {"李小龙", "李小明"} <= found


def test_a_company_is_what_stands_before_its_legal_form() -> None:
    text = "子公司济南高新实业发展有限公司收购了小米科技有限公司。"
    assert {("济南高新实业发展有限公司", "ORGANIZATION"), ("小米科技有限公司", "ORGANIZATION")} <= names(
        text, "zh-hans"
    )


def test_contractions_and_months_are_no_names() -> None:
    found = names("I'm sure that They're done in mid-April. We've met Ben Horowitz.", "en")
    assert found == {("Ben Horowitz", "PERSON")}
