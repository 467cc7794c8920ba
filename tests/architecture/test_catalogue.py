"""The catalogue of texts: complete, with the same placeholders in every language, and nothing in it is dead."""

import ast
import re
import string
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jinja2 import nodes

from core.platform.settings.settings import Settings
from core.platform.texts import FOLDER, LANGUAGES, catalogue, known, text
from tests.architecture.test_templates import parsed

ROOT = Path(__file__).parents[2]


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_text_exists_in_english_and_chinese_with_the_same_placeholders() -> None:
    texts = catalogue()
    assert [key for key, said in texts.items() if not {"en", "zh-hans"} <= set(said) <= {*LANGUAGES, "one"}] == []
    asked = {key: [placeholders(words) for words in said.values()] for key, said in texts.items()}
    assert {key: names for key, names in asked.items() if any(one != names[0] for one in names)} == {}


def test_every_text_of_a_file_is_read_as_it_stands_there() -> None:
    files = [tomllib.loads(path.read_text(encoding="utf-8")) for path in FOLDER.glob("*.toml")]
    assert {key: languages for file in files for key, languages in texts_in(file)} == catalogue()
    assert sum(len([*texts_in(file)]) for file in files) == len(catalogue())
    assert all(known(key) for key in catalogue())
    assert not known("run")
    assert not known("nothing.of_it")


def texts_in(table: dict[str, Any], key: str = "") -> Iterator[tuple[str, dict[str, str]]]:
    if "en" in table:
        yield key, table
        return
    for name, child in table.items():
        yield from texts_in(child, f"{key}.{name}" if key else name)


def test_one_thing_is_counted_in_the_singular() -> None:
    assert text("documents.count.pages", count=1) == "1 page"
    assert text("documents.count.pages", count="1") == "1 page"
    assert text("documents.count.pages", count=2) == "2 pages"
    assert text("documents.count.pages", "zh-hans", count=1) == "1 页"
    assert text("graph.scope.relations", shown="1", count="1") == "1 of 1 relation"
    assert text("evaluation.writing", read=2, passages=30, count=1) == "Read 2 of 30 passages, 1 question so far"
    assert "1 call and" in text("evaluation.written_spent", count=1, tokens="840")
    assert "1 thread;" in text("settings.here.limits", context="4,096", count=1, memory="2.2")


def test_chinese_has_blanks_beside_latin_names_alone() -> None:
    asked = {
        names: text("chat.example.relation", "zh-hans", first=names[0], second=names[1])
        for names in (("邱海峰", "魏敏"), ("KelpNet", "浮标"))
    }
    assert [*asked.values()] == ["邱海峰与魏敏有什么关系？", "KelpNet 与浮标有什么关系？"]
    assert text("chat.follow.what", "zh-hans", name="NC-40A") == "NC-40A 是什么？"
    assert text("documents.count.pages", "zh-hans", count=1) == "1 页"


def test_traditional_chinese_is_derived_from_simplified() -> None:
    assert text("error.cancelled", "zh-hant") == "已停止。"
    assert text("error.run_missing", "zh-hant") == "該執行記錄已不存在。"
    assert text("graph.types", "zh-hant") == "類型"


def test_traditional_chinese_has_no_word_that_conversion_gives_another_sense() -> None:
    """Such as 聯絡 (to get in touch) for 联系 (a connection), 天后 (a goddess) for 天后 (days later)."""
    twisted = re.compile("型別|許可權|引數|賬戶|智慧體|天后|資料資料夾|(?<!請)聯絡|沒有隻|先嚐|(?<!合)併為|嚮應|箇中")
    texts = {key: text(key, "zh-hant") for key in catalogue()}
    assert {key: words for key, words in texts.items() if twisted.search(words)} == {}


def test_traditional_chinese_has_the_words_of_taiwan() -> None:
    mainland = re.compile(
        "創建|獲取|當前|響應|許可證|掃描件|令牌|協議|訪問|後臺|這臺|鍵入|匹配|文本|識別|件位址"
        "|撤銷(?!金鑰|$|：)|吊銷|配置|發送|請回復|應用(?!程式)|工作流(?!程)|(?<!連接)埠|雲服務|模板|所有者|丟失|個文件|立立"
    )
    texts = {key: text(key, "zh-hant") for key in catalogue()}
    assert {key: words for key, words in texts.items() if mainland.search(words)} == {}
    assert text("graph.search", "zh-hant") == "尋找實體"
    assert text("run.detail.query", "zh-hant") == "查詢"
    assert text("graph.edit.undo", "zh-hant") == "復原"
    assert text("people.audit.key.revoked", "zh-hant") == "撤銷金鑰"


def test_traditional_chinese_has_its_own_quotation_marks() -> None:
    texts = [text(key, "zh-hant") for key, languages in catalogue().items() if "zh-hant" not in languages]
    assert any("「" in words for words in texts)
    assert not any(mark in words for words in texts for mark in "“”‘’")


def test_every_key_that_the_code_names_is_in_the_catalogue() -> None:
    pattern = re.compile(r'(?:\bt|\btext|Error)\(\s*"([a-z_]+(?:\.[a-z0-9_]+)+)"')
    named = {
        (path.relative_to(ROOT).as_posix(), key)
        for folder in ("core", "pages")
        for path in (ROOT / folder).rglob("*.py")
        for key in pattern.findall(path.read_text(encoding="utf-8"))
    }
    named |= {
        (path, node.node.value)
        for path, template in parsed().items()
        for node in template.find_all(nodes.Filter)
        if node.name == "t" and isinstance(node.node, nodes.Const)
    }
    assert len(named) > 10
    assert {(path, key) for path, key in named if key not in catalogue()} == set()


def test_a_text_sends_to_the_settings_page_only_for_what_is_set_there() -> None:
    on_the_page = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "pages").rglob("*.py"))
    names = [name.upper() for name in Settings.model_fields]
    asked = {
        (key, name)
        for key in catalogue()
        for name in names
        if "in Settings" in text(key) and re.search(rf"\b{name}\b", text(key))
    }
    assert {(key, name) for key, name in asked if f'"{name}"' not in on_the_page} == set()
    assert len(asked) > 5


def product() -> Iterator[ast.AST]:
    for path in [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]:
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def template(node: ast.JoinedStr | nodes.Concat) -> re.Pattern[str] | None:
    """Of the keys that f"run.reason.{...}" may name; None where the string does not begin like a key."""
    values = node.values if isinstance(node, ast.JoinedStr) else node.nodes
    parts = [str(value.value) if isinstance(value, ast.Constant | nodes.Const) else None for value in values]
    if not parts[0] or not re.match(r"[a-z_]+\.", parts[0]):
        return None
    return re.compile("".join(r"([\w.\-]+)" if part is None else re.escape(part) for part in parts))


def word(node: ast.AST) -> str:
    """What a key may be made of: a name or a string of the code."""
    match node:
        case ast.Constant(value=str(text)) | ast.Name(id=text) | ast.Attribute(attr=text):
            return text
        case ast.FunctionDef(name=text) | ast.arg(arg=text) | ast.keyword(arg=str(text)):
            return text
    return ""


def test_every_text_is_used() -> None:
    """As a string of the code, or by an f-string whose gaps are filled by names and strings of the code."""
    code = list(product())
    drawn = [node for each in parsed().values() for node in each.find_all((nodes.Const, nodes.Concat))]
    words = {word(node).lower().replace("-", "_") for node in code}
    words |= {str(node.value) for node in drawn if isinstance(node, nodes.Const)}
    strings = [node for node in (*code, *drawn) if isinstance(node, ast.JoinedStr | nodes.Concat)]
    templates = [made for node in strings if (made := template(node))]

    def used(key: str) -> bool:
        if key in words:
            return True
        fills = [match.groups() for made in templates if (match := made.fullmatch(key))]
        return any(all(part.isdigit() or part.lower().replace("-", "_") in words for part in fill) for fill in fills)

    assert len(templates) > 10
    assert [key for key in sorted(catalogue()) if not used(key)] == []


READERS = [
    "answer",
    "arena",
    "chat",
    "documents",
    "evaluation",
    "extraction",
    "frame",
    "graph",
    "ingest",
    "memory",
    "runs",
]
"""The files of the pages on which people read; the Run view, Settings and programs may name the parts."""
PARTS = re.compile(
    r"\b(chunk|parser|content_list|kg_nodes|embedding|vector|mineru)|分块|文本块|解析器|向量", re.IGNORECASE
)
OFFERED = "documents.parsers.mineru_"
"""Names of readers, shown once somebody has set them up."""


@pytest.mark.parametrize("area", READERS)
def test_where_people_read_no_text_names_parts_of_the_machinery(area: str) -> None:
    texts = texts_in(tomllib.loads((FOLDER / f"{area}.toml").read_text(encoding="utf-8")))
    shown = {key: [re.sub(r"\{\w+\}", "", each) for each in words.values()] for key, words in texts}
    named = {key: words for key, words in shown.items() if any(map(PARTS.search, words))}
    assert not {key for key in named if not key.startswith(OFFERED)}
