"""Untrusted text on the page: nothing runs, nothing loads, everything is bounded, and reads as it was written."""

import html
import re

import pytest

from pages.components.shell.language import use_language
from pages.components.shell.templates import without_layout
from pages.components.shell.text import (
    MAX_ANSWER,
    answer_html,
    clean,
    growing_html,
    html_of,
    label,
    markdown_of,
    render,
)

HOSTILE = (
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<svg/onload=alert(1)>",
    "![pixel](https://evil.example/p.png?secret=1)",
    "[click](javascript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](vbscript:x)",
    "<https://evil.example>",
    "https://evil.example/auto",
    '[x](https://evil.example "onmouseover=alert(1)")',
    "[1]: https://evil.example 'reference'\n\n[1]",
    '<a href="https://evil.example">x</a>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "</div></dialog><style>*{display:none}</style>",
    "`` <b> ``",
    "    <b>indented</b>",
    "```html\n<b>fenced</b>\n```",
    "| <b> | ![x](//evil.example/y) |\n|---|---|\n| <i> | [z](//evil.example) |",
    "<!-- comment --> <![CDATA[x]]>",
    "\u202enimda\u202c \ufeff\x00\x1b[31m",
    "\U0010fff0 forged marks \U0010fff1",
    "\ud800 lone surrogate",
    ":material/home: :smile: :red[x] $\\href{javascript:x}{y}$",
)
ADDRESSES = "https://evil.example //evil.example/y https://evil.example/auto https://evil.example/p.png?secret=1"
ALLOWED = {
    "p", "br", "strong", "em", "s", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "a", "span", "mark", "button",
    "table", "thead", "tbody", "tr", "th", "td", "h3", "h4", "h5", "h6",
}  # fmt: skip


def tags(markup: str) -> set[str]:
    return {name.lower() for name in re.findall(r"<\s*/?\s*([a-zA-Z!][^\s/>]*)", markup)}


@pytest.mark.parametrize("text", HOSTILE)
def test_an_answer_makes_only_harmless_elements(text: str) -> None:
    markup = answer_html(text, {1}, lambda number: f"<button>{number}</button>", [text])
    assert tags(markup) <= ALLOWED
    assert not re.search(r"<[^>]*\s(on\w+|src|style|srcdoc|formaction)\s*=", markup, re.IGNORECASE)


@pytest.mark.parametrize("text", HOSTILE)
def test_links_of_an_answer_lead_to_the_web_only_and_name_their_host(text: str) -> None:
    markup = answer_html(text, sources=[ADDRESSES])
    targets = re.findall(r'href="([^"]*)"', markup)
    assert all(target.startswith(("http://", "https://")) for target in targets)
    assert markup.count('<span class="gt-host">') == len(targets)


def test_the_host_behind_a_link_is_the_one_it_leads_to() -> None:
    address = "https://bank.example@evil.example/login"
    markup = answer_html(f"[bank.example]({address})", sources=[f"See {address}."])
    assert '<span class="gt-host">evil.example</span>' in markup


@pytest.mark.parametrize(
    ("address", "is_link"),
    [
        ("https://example.org/manual", True),
        ("https://example.org/list?page=2", True),
        ("https://example.org/manual?d=secret", False),
        ("https://example.org/man", False),
        ("https://example.org/", False),
        ("https://evil.example/?d=secret", False),
    ],
)
def test_only_an_address_of_the_sources_can_be_clicked(address: str, is_link: bool) -> None:
    sources = ["The manual is at https://example.org/manual.", "https://example.org/list?page=2"]
    markup = answer_html(f"Read [this]({address}).", sources=sources)
    assert ("<a href" in markup) is is_link
    assert is_link or f'<span class="gt-host">{html.escape(address)}</span>' in markup, "it can still be read"


@pytest.mark.parametrize("text", HOSTILE)
def test_html_holds_the_text_and_no_element(text: str) -> None:
    escaped = html_of(text)
    assert "<" not in escaped
    assert '"' not in escaped
    assert html.unescape(escaped) == clean(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_value_of_a_template_is_text(text: str) -> None:
    assert render("parts.html", "note", words=text) == f'<p class="gt-note">{html_of(text)}</p>'
    assert render("parts.html", "note", words=html_of(text)) == f'<p class="gt-note">{html_of(text)}</p>'


def test_a_template_speaks_the_language_of_the_page() -> None:
    said = set()
    for language in ("en", "zh-hans", "zh-hant"):
        with use_language(language):
            said.add(render("run/citation.html", "gone"))
    assert len(said) == 3


@pytest.mark.parametrize(
    ("source", "html"),
    [("\n  <p>\n    a\n    b\n  </p>\n", "<p>a b</p>"), ("<b>a</b> <i>b</i>", "<b>a</b> <i>b</i>"), (" · ", " · ")],
)
def test_line_breaks_of_a_template_are_layout(source: str, html: str) -> None:
    assert without_layout(source) == html


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_escapes_every_sign_that_means_something(text: str) -> None:
    escaped = markdown_of(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)[\[\]<>*_`$!#|~&:()]", escaped.replace("\\\\", ""))
    assert ":material" not in escaped
    assert ":smile" not in escaped


@pytest.mark.parametrize("text", ["see http://a.b/c", "HTTPS://a.b", "www.a.b", "a@b-c.de", "ftp:www.a.b"])
def test_no_address_in_markdown_is_left_that_would_become_a_link_by_itself(text: str) -> None:
    plain = markdown_of(text).replace("\\", "")
    assert not re.search(r"https?://|www\.|@[\w-]+\.", plain, re.IGNORECASE)
    assert plain.replace("\u2060", "") == text


@pytest.mark.parametrize("text", HOSTILE)
def test_text_can_always_be_sent_as_utf8(text: str) -> None:
    for made in (clean(text), label(text), html_of(text), markdown_of(text), answer_html(text)):
        made.encode("utf-8")
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08]", made)


def test_long_text_is_cut_and_says_so() -> None:
    assert clean("x" * 50, 10) == "xxxxxxxxx…"
    assert len(answer_html("word " * MAX_ANSWER)) < 2 * MAX_ANSWER
    assert label("a\n  b\tc") == "a b c"


def test_known_citations_become_chips_and_unknown_ones_stay_text() -> None:
    markup = answer_html("A [1] b [2, 3] c [9] d [1][2].", {1, 2, 3}, lambda number: f"<button>{number}</button>")
    assert re.findall(r"<button>(\d)</button>", markup) == ["1", "2", "3", "1", "2"]
    assert "[9]" in markup


def test_a_citation_in_code_stays_code() -> None:
    assert "<button" not in answer_html("`x[1]`\n\n```\ny[1]\n```", {1}, lambda number: f"<button>{number}</button>")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("First. Second is wrong. Third.", "Second is wrong."),
        ("- Item is wrong.\n- Fine.", "- Item is wrong."),
        ("## Wrong heading\n\nText.", "## Wrong heading"),
        ("1. **Bold** is wrong.\n2. Fine.", "**Bold** is wrong."),
        ("中文句子没有依据。另一句。", "中文句子没有依据。"),
    ],
)
def test_a_sentence_without_support_is_marked(answer: str, sentence: str) -> None:
    markup = answer_html(answer, unsupported=[sentence])
    marked = re.findall(r'<mark class="gt-unsupported">(.*?)</mark>', markup)
    assert len(marked) == 1
    assert re.sub(r"<[^>]+>", "", marked[0]) == re.sub(r"^(- |## )|\*\*", "", sentence)


def test_a_mark_never_reaches_over_paragraphs() -> None:
    markup = answer_html("One.\n\nTwo.", unsupported=["One.\n\nTwo."])
    assert "<mark" not in markup
    assert "One." in markup


@pytest.mark.parametrize(
    ("answer", "html"),
    [
        ("“**每60天校准一次；**台风过后加做。”", "“<strong>每60天校准一次</strong>；台风过后加做。”"),
        ("句。**合作KelpNet。**本手册", "句。<strong>合作KelpNet</strong>。本手册"),
        ("**等级：**红色，**时间（分）：**五", "<strong>等级</strong>：红色，<strong>时间（分）</strong>：五"),
        ("他说**“好”**然后", "他说“<strong>好</strong>”然后"),
        ("**（一）总则**内容", "<strong>（一）总则</strong>内容"),
        ("**Note:** text, **more.**", "<strong>Note:</strong> text, <strong>more.</strong>"),
    ],
)
def test_emphasis_in_chinese_needs_no_blanks(answer: str, html: str) -> None:
    assert answer_html(answer) == f"<p>{html}</p>\n"


def test_headings_of_an_answer_stand_below_those_of_the_page() -> None:
    assert answer_html("# Top\n\n###### Deep") == "<h3>Top</h3><h3>Deep</h3>"


GROWING = (
    "Intro. [1]\n\nNext *para* here. [2]\n\n- item one\n- item two\n\nAfter list.\n\n1. a\n\n2. b",
    "End [1][2] [x](http://a.b) `c` here.\n\nAnd more of it",
    "Words & more; here\n\n```py\nx\n\ny\n```\n\nZ",
    "A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nB ~~s~~ ~ x\n\n> quote\n\nC\n\n    code\n\nD",
    "中文。[1]\n\n第二段 **粗**。\n\n- 一\n\n  续\n\n三",
    "Word\n===\n\nHead\n---\n\n# H\n\nx\u202e y\x00 z",
    "Ab www.x.org https://x.org/a_b 'q' \"q\" -- (c) a|b\tc  \n\n\nA\r\n\r\nB [1](x) [2]: y [12] [1234]",
    "- a\n\nB\n- c\n\n\n\nD  \nline",
    *HOSTILE,
)


@pytest.mark.parametrize("text", GROWING)
def test_an_answer_looks_the_same_at_every_moment_of_its_growth(text: str) -> None:
    for length in range(1, len(text) + 1):
        assert growing_html(text[:length]).strip() == answer_html(text[:length]).strip()
