"""What is left out before anything is looked for."""

from core.platform.language.stretches import merged
from core.rulebook.entities.boilerplate import masks

REFERENCES = (
    "[1] A. Gal and M. Franz. Incremental dynamic code generation. Technical report, 2006.\n"
    "[2] M. Arnold, S. Fink. A survey of optimization. Proceedings of the IEEE, 93(2), 2005.\n"
    "[3] V. Bala, E. Duesterwald. Dynamo. In Proceedings of the ACM Conference, pp. 1-12, 2000.\n"
    "[4] C. Chambers. The SELF compiler. Journal of Systems, 1992.\n"
)


def left(texts: list[str]) -> list[str]:
    kept = []
    for text, stretches in zip(texts, masks(texts), strict=True):
        characters = list(text)
        for start, end in stretches:
            characters[start:end] = " " * (end - start)
        kept.append("".join(characters).strip())
    return kept


def test_addresses_and_markup_are_masked() -> None:
    text = "See https://example.org/a?b and <b>bold</b>, ask ada@example.org or $x^2$ at 10.1000/xyz now"
    assert left([text])[0].split() == ["See", "and", "bold", ",", "ask", "or", "at", "now"]


def test_a_reference_list_is_masked_up_to_the_appendix() -> None:
    assert left([f"The end.\n\nReferences\n{REFERENCES}\nAppendix A\nMore text."])[0].startswith("The end.")
    assert "Franz" not in left([f"The end.\n\nReferences\n{REFERENCES}"])[0]
    assert left([f"References\n{REFERENCES}\nAppendix A\nMore text."]) == ["Appendix A\nMore text."]


def test_a_reference_list_may_name_addresses_on_the_web_alone() -> None:
    sources = "".join(
        f"Tarn {number} The Tarn desktop, http://tarn{number}.example/desktop.html\n\n" for number in range(9)
    )
    assert left([f"The end.\n\nReferences\n\n{sources}"]) == ["The end."]
    assert "Tarn 1" in left([f"The end.\n\nDesktops\n\n{sources}"])[0]


def test_a_reference_list_goes_on_in_the_next_texts() -> None:
    assert left(["Text.\n\nReferences", REFERENCES, "Now prose again without any sources at all. " * 10])[:2] == [
        "Text.",
        "",
    ]
    assert left(["Prose about the year 2005. " * 20])[0] != ""


def test_a_reference_list_without_heading_is_known_by_its_density() -> None:
    assert left([REFERENCES]) == [""]


def test_a_chinese_reference_list_is_masked() -> None:
    sources = "[1] 李航. 统计学习方法[M]. 清华大学出版社, 2012.\n[2] 周志华. 机器学习[M]. 清华大学出版社, 2016."
    text = f"结论。\n\n参考文献\n{sources}"
    assert left([text]) == ["结论。"]


def test_citations_in_parentheses_are_masked_where_a_document_cites() -> None:
    cited = "It works (Smith et al., 2019; Li, 2020). It fails (Jones and Lee, 2018). So (see Brown, 2001) it is."
    assert "Smith" not in left([cited])[0]
    assert "Berlin" in left(["He was born there (Berlin, 1999)."])[0]


def test_lines_that_run_through_the_pages_are_masked() -> None:
    texts = [f"Annual Report {n}\nPage text number {n} is about another thing each time {'x' * n}." for n in range(8)]
    assert all("Annual Report" not in text for text in left(texts))
    assert "Annual Report" in left(texts[:2])[0]


def test_lines_that_are_all_alike_are_what_a_text_says() -> None:
    """Thousands of sentences that differ by their numbers are no page headers."""
    texts = ["\n".join(f"Day {at}: Anna Berg met Jonas Keller." for at in range(8)) for _ in range(12)]
    assert left(texts) == texts


def test_hostile_texts_take_no_time() -> None:
    hostile = ["(" * 20_000, "a" * 50_000 + "@", "(A, " + "2001, " * 5_000, "[" * 20_000, "\n" * 20_000, "( " * 20_000]
    assert len(masks(hostile)) == len(hostile)


def test_stretches_are_merged() -> None:
    assert merged([(5, 9), (0, 2), (2, 4), (6, 12)]) == [(0, 4), (5, 12)]


def test_code_and_formulas_are_left_out_but_amounts_and_cells_beside_them_are_not() -> None:
    text = (
        "We store primes.\nst sp[0], v0 v1 := ld state[764]\nf(x) = a*x + b\nNet income (loss) | $ | (1,234) | x=y*z+1"
    )
    left_out = [text[start:end].strip() for start, end in masks([text])[0]]
    assert left_out == ["st sp[0], v0 v1 := ld state[764]", "f(x) = a*x + b", "x=y*z+1"]
