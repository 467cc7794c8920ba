"""The only way untrusted text reaches a page: cleaned, bounded, and escaped for the place it goes to.

Names of files, questions, answers of a model, passages of documents and results from the web are all untrusted. They
reach HTML as values of a template (`render`), through `html_of` and `answer_html`, and Streamlit's Markdown (labels,
messages) through `markdown_of`. Whatever is not Html is escaped, and only this module declares a string to be Html.
Images are never made, links are never followed by themselves, and only http(s) links can be clicked; in an answer, only
those whose address stands in its sources, because a model could write what it has read into another one.
"""

import html
import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from core.platform.plain_text import MAX_LABEL as MAX_LABEL
from core.platform.plain_text import MAX_TEXT as MAX_TEXT
from core.platform.plain_text import clean as clean
from core.platform.plain_text import label as label

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_ANSWER = 40_000

_OPEN, _CLOSE = "\U0010fff0", "\U0010fff1"
"""Mark unsupported sentences while Markdown is rendered; `clean` removes these characters from input."""
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_SHORTCODE = re.compile(r"\\:(?=[\w/+-])")
_ADDRESS = re.compile(r"(?<=http)(?=\\:)|(?<=https)(?=\\:)|(?<=www)(?=\\\.)|(?<=\\@)(?=[\w\\-]+\\\.)", re.IGNORECASE)
"""Places in escaped text where Streamlit would make a link of an address after parsing."""
_APART = re.compile(rf"[{_OPEN}{_CLOSE}]| ?\[(\d{{1,3}}(?:\s*[,，、]\s*\d{{1,3}})*)\]")
"""Marks and citation numbers in the text of an answer."""
_WEB_HOST = re.compile(r"https?://(?:[^/?#]*@)?([^/?#@]+)", re.IGNORECASE)
_MORE_OF_ADDRESS = re.compile(r"[\w/?#&=%@~+-]|[.:,;!]\w")
_BLOCK_MARK = re.compile(r"^(?:\s*(?:[-*+]|\d{1,3}[.)]|#{1,6}|>|\|)\s+)+")
_FENCE = re.compile("```|~~~")
_PARAGRAPH = re.compile(r"\n{2,}(?=[^\W\d_])")
"""Boundary of paragraphs outside fenced code: a letter after a blank line."""
_PLAIN = re.compile(r"[^\W\d_](?:[^\n*_`\[\]<>&~\\!]++|\[\d{1,3}\](?![(\[:]))*+")
"""A paragraph without any Markdown syntax."""
_BOLD = re.compile(
    r"(?:(?<=\w)\*\*([“‘（《「『【])|\*\*)([^*\n]+?)(?:([。，、；：！？…”’）》」』】.,;:!?])\*\*(?=\w)|\*\*)"
)
"""Emphasis, with punctuation at its edge as a group: without a following blank, Markdown would not see emphasis."""
_MARKED = re.compile(
    f"{_OPEN}((?:(?!</?(?:p|li|ul|ol|table|tr|td|th|h[1-6]|pre|blockquote)\\b).)*?){_CLOSE}", re.DOTALL
)

Html = Markup
"""Text that was escaped, with the elements around it; joined or formatted with other strings it escapes those."""
NO_HTML = Html()
Chip = Callable[[int], str]
"""The HTML of a citation's chip, by its number."""
Draw = Callable[[str], Html]
"""The HTML of cleaned words: escaped, perhaps with links in them."""
escaped: Draw = escape

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
"""Begin of an HTML tag; before a number or a blank the sign is a comparison."""


def inert_markdown(text: str, limit: int = MAX_TEXT) -> str:
    """Text for a Markdown file: emphasis, lists and tables stay, pictures and HTML become text.

    A viewer would fetch a picture at once, and its address could carry words out. HTML's sign is written as an entity,
    because a backslash may stand before it already.
    """
    return _MARKUP.sub("&lt;", _with_bold(clean(text, limit))).replace("![", "!\\[")


def html_of(text: str, limit: int = MAX_TEXT) -> Html:
    """Text for HTML, as content or in a quoted attribute."""
    return escape(clean(text, limit))


def web_address(url: str) -> str:
    """The address for a link: empty unless it is one of http(s), because escaping does not stop `javascript:`."""
    return url if _WEB_HOST.match(url) else ""


def render(template: str, macro: str, **values: object) -> Html:
    """The HTML of a macro in a file of `pages/templates`; values that are not Html are cleaned and escaped."""
    return _macro(template, macro)(**values)


@cache
def _macro(template: str, name: str) -> Callable[..., Html]:
    macro: Callable[..., Html] = getattr(_environment().get_template(template).module, name)
    return macro


def warm_templates() -> None:
    """Compile all templates, which takes about 0.1 s."""
    for name in _environment().list_templates():
        _ = _environment().get_template(name).module


def _environment() -> "Environment":
    """Loads Jinja with the first call, 30 ms."""
    from pages.components.shell.templates import environment

    return environment()


def style_element(css: str) -> Html:
    """A style sheet in the page; `</`, which would end it within a string, is written as CSS allows it."""
    return Html("<style>" + css.replace("</", "<\\/") + "</style>")


def markdown_of(text: str, limit: int = MAX_LABEL * 4) -> str:
    """Text for Streamlit's Markdown, as one literal line: no formatting, link, icon, formula or HTML."""
    escaped = _SHORTCODE.sub("\\:\u2060", _PUNCTUATION.sub(r"\\\1", label(text, limit)))
    return _ADDRESS.sub("\u2060", escaped)


def answer_html(
    answer: str,
    numbers: Collection[int] = (),
    chip: Chip = str,
    unsupported: Sequence[str] = (),
    sources: Collection[str] = (),
    draw: Draw = escaped,
) -> Html:
    """An answer's Markdown as HTML: [n] of known citations become chips, unsupported sentences are marked.

    sources: texts in which an address has to stand for its link to be one; draw: for words outside of links and code.
    """
    source = clean(answer, MAX_ANSWER)
    for sentence in unsupported:
        source = _with_mark(source, clean(sentence, MAX_ANSWER).strip())
    source = _with_bold(source)
    given = {"numbers": frozenset(numbers), "chip": chip, "sources": sources, "draw": draw}
    rendered = str(_markdown().render(source, given))
    marked = _MARKED.sub(r'<mark class="gt-unsupported">\1</mark>', rendered)
    return Html(marked.replace(_OPEN, "").replace(_CLOSE, ""))


def growing_html(answer: str) -> Html:
    """An answer in progress, drawn like answer_html, rendering each finished paragraph once."""
    source = answer[:MAX_ANSWER]
    parts = [source] if _FENCE.search(source) else _PARAGRAPH.split(source)
    return NO_HTML.join([*map(_finished_html, parts[:-1]), _begun_html(parts[-1])])


@lru_cache(maxsize=512)
def _finished_html(part: str) -> Html:
    return answer_html(part)


def _begun_html(part: str) -> Html:
    """Last part of a growing answer; plain text, the most common case, is drawn without the parser."""
    words = clean(part, MAX_ANSWER).strip()
    return Html(f"<p>{escape(words)}</p>\n") if _PLAIN.fullmatch(words) else answer_html(part)


def _with_bold(source: str) -> str:
    """`**等级：**红色` as `**等级**：红色`, which Markdown reads as bold."""
    return _BOLD.sub(r"\1**\2**\3", source)


def _with_mark(source: str, sentence: str) -> str:
    """Marks the sentence's first occurrence, leaving a list or heading marker in front of it outside."""
    words = _BLOCK_MARK.sub("", sentence)
    return source.replace(words, f"{_OPEN}{words}{_CLOSE}", 1) if words else source


@cache
def _markdown() -> Any:
    """CommonMark with tables, without HTML, images and reference definitions."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 20})
    parser.enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline", "image", "autolink", "reference"])
    parser.add_render_rule("text", _render_text)
    parser.add_render_rule("heading_open", _render_heading)
    parser.add_render_rule("heading_close", _render_heading)
    parser.add_render_rule("link_open", _render_link_open)
    parser.add_render_rule("link_close", _render_link_close)
    return parser


def _render_text(_: Any, tokens: Sequence[Any], index: int, options: Any, env: dict[str, Any]) -> str:
    del options
    words, draw = tokens[index].content, escaped if "ends" in env else env["draw"]
    drawn: list[str] = []
    end = 0
    for match in _APART.finditer(words):
        drawn += [draw(words[end : match.start()]), _chips(match, env) if match.group(1) else match.group()]
        end = match.end()
    return "".join([*drawn, draw(words[end:])])


def _chips(match: re.Match[str], env: dict[str, Any]) -> str:
    """[1, 2] as two chips, kept with the preceding word; numbers without a citation stay text."""
    numbers = [int(number) for number in re.findall(r"\d+", match.group(1))]
    if not all(number in env["numbers"] for number in numbers):
        return match.group()
    before = "\u00a0" if match.group().startswith(" ") else ""
    return before + "".join(str(env["chip"](number)) for number in numbers)


def _render_heading(_: Any, tokens: Sequence[Any], index: int, options: Any, env: dict[str, Any]) -> str:
    """Heading of one level for all, because skipped levels mislead screen readers."""
    del options, env
    return "<h3>" if tokens[index].nesting > 0 else "</h3>"


def _render_link_open(_: Any, tokens: Sequence[Any], index: int, options: Any, env: dict[str, Any]) -> str:
    del options
    address = str(tokens[index].attrs.get("href", ""))
    web = _WEB_HOST.match(address)
    is_link = web and any(_has_address(source, address) for source in env["sources"])
    env["after"] = web.group(1) if web and is_link else address if web else ""
    env["ends"] = "</a>" if is_link else "</span>"
    if not is_link:
        return "<span>"
    return f'<a href="{html.escape(address)}" target="_blank" rel="noopener noreferrer nofollow">'


def _render_link_close(_: Any, tokens: Sequence[Any], index: int, options: Any, env: dict[str, Any]) -> str:
    """End of a link with its host, because the text may name another one; or with the address if it is no link."""
    del tokens, index, options
    after = env.pop("after")
    return str(env.pop("ends")) + (f' <span class="gt-host">{html.escape(after)}</span>' if after else "")


def _has_address(source: str, address: str) -> bool:
    """Whether the source contains exactly this address, not a longer or shorter one."""
    at = source.find(address)
    return at >= 0 and not _MORE_OF_ADDRESS.match(source, at + len(address))
