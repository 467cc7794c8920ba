"""The one catalogue of texts that people read, in English, 简体中文 and 繁體中文.

One TOML file an area, one table a text, `en` and `zh-hans` side by side; traditional Chinese is derived by OpenCC
(Taiwan standard with phrases) unless `zh-hant` is given. Placeholders are `{name}`.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

from core.platform.language.scripts import HAN

NAMES = {"en": "English", "zh-hans": "简体中文", "zh-hant": "繁體中文"}
LANGUAGES = tuple(NAMES)
FOLDER = Path(__file__).parent
_TRADITIONAL = ("hant", "tw", "hk", "mo")
_QUOTES = str.maketrans("“”‘’", "「」『』")
"""Traditional Chinese has its own marks."""
_EDGE = "\1"
"""Stands around a name that is filled in until the blanks beside it are set."""
_BLANKS = (
    (re.compile(rf"(?<=[{HAN}]) ?{_EDGE}(?=[A-Za-z0-9])|(?<=[A-Za-z0-9]){_EDGE} ?(?=[{HAN}])"), " "),
    (re.compile(rf"(?<=[{HAN}]) ?{_EDGE}(?=[{HAN}])|(?<=[{HAN}]){_EDGE} ?(?=[{HAN}])"), ""),
)
"""Chinese has a blank between its characters and Latin letters, and none between two characters."""
_LOOKED_FOR = ("查找", "尋找")
"""OpenCC writes 查找 (to look for) as 查詢, like 查询 (a query)."""
_TAIWAN = {
    "型別": "類型", "許可權": "權限", "引數": "參數", "賬戶": "帳戶", "智慧體": "智慧代理",
    "創建": "建立", "當前": "目前", "響應": "回應", "應答": "回應", "許可證": "授權條款", "掃描件": "掃描檔",
    "令牌": "權杖", "協議": "協定", "訪問": "存取", "後臺": "背景", "這臺": "這台", "匹配": "符合", "搜索": "搜尋",
    "地址": "位址", "郵件位址": "郵件地址", "文本": "文字", "列表": "清單", "識別": "辨識", "示例": "範例",
    "語義": "語意", "置信度": "信賴度", "連字元": "連字號", "憑據": "憑證", "軟體包": "套件", "套餐": "方案",
    "充值": "儲值", "反饋": "回報", "審計": "稽核", "退出登入": "登出", "滑塊": "滑桿", "全屏": "全螢幕",
    "為只讀": "為唯讀", "佈局": "版面", "印度尼西亞": "印尼", "泰米爾": "坦米爾", "加泰羅尼亞": "加泰隆尼亞",
    "新建知識庫": "建立知識庫", "新建關係": "建立關係", "新建對話": "開始新對話", "頁面新建": "頁面建立",
    "先新建": "先建立", "更改": "變更", "撤銷": "復原", "吊銷": "撤銷", "配置": "設定", "發送": "傳送",
    "請回復": "請回覆", "應用": "應用程式", "工作流": "工作流程", "埠": "連接埠", "雲服務": "雲端服務",
    "雲主機": "雲端主機", "模板": "範本", "所有者": "擁有者", "自定": "自訂", "丟失": "遺失", "解壓後": "解壓縮後",
    "壓縮包": "壓縮檔", "空格鍵": "空白鍵", "安裝驅動": "安裝驅動程式", "所需的庫": "所需的程式庫",
    "本地磁碟": "本機磁碟", "鏈路本地位址": "連結本機位址",
    "條待確認": "則待確認", "條記憶": "則記憶", "條內容": "則內容", "條訊息": "則訊息", "兩條都": "兩則都",
    "這條": "這則", "條與問題": "則與問題", "條與第一條": "則與第一則", "結論：{count} 條": "結論：{count} 則",
    "新增 {count} 條，已有 {known} 條": "新增 {count} 則，已有 {known} 則",
    "條記錄": "筆記錄", "條結果": "筆結果", "條數字記錄": "筆數字記錄", "哪一條": "哪一筆", "該條": "該筆",
    "{row} 條": "{row} 筆", "{limit} 條": "{limit} 筆", "/ {count} 條": "/ {count} 筆", "{last} 條": "{last} 筆",
    "共 {count} 條": "共 {count} 筆", "{count} 條來自": "{count} 筆來自", "最新的 {count} 條": "最新的 {count} 筆",
    "每條保留": "每筆保留", "個文件": "份文件", "份文件中的 {count} 個": "份文件中的 {count} 份",
    "此處 {count} 個": "此處 {count} 份", "{reading} 個": "{reading} 份",
}  # fmt: skip
"""Words of OpenCC that mean something narrower, or that nobody in Taiwan says, and what these texts mean."""

Languages = dict[str, str]
"""One text, by language."""


@cache
def catalogue() -> dict[str, Languages]:
    """Every text, by its key."""
    return {key: _languages(key) for key in _tables()}


@cache
def _tables() -> dict[str, str]:
    """TOML of each text, by its key; parsed on use, because answering one question needs forty of two thousand."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        for table in f"\n{path.read_text(encoding='utf-8')}".split("\n[")[1:]:
            key, _, inside = table.partition("]\n")
            if key in found:
                raise ValueError(f"{path.name} defines {key} a second time")
            found[key] = inside
    return found


@cache
def _languages(key: str) -> Languages:
    return {language: str(words) for language, words in tomllib.loads(_tables()[key]).items()}


def text(key: str, language: str = "en", /, **params: object) -> str:
    """The text of key in language (English where it has none), placeholders filled; unknown keys raise KeyError.

    In English it is the one named `one`, where the key has it, if `count` is 1, as a number or written out.
    """
    languages = _languages(key)
    template = languages.get(language) or _derived(key, language) or languages["en"]
    if str(params.get("count")) == "1" and template is languages["en"]:
        template = languages.get("one", template)
    if not params:
        return template
    return _spaced(template, params) if language.startswith("zh") else template.format(**params)


def _spaced(template: str, params: dict[str, object]) -> str:
    """The Chinese template filled, with blanks beside names as the script of each wants them."""
    marked = {name: f"{_EDGE}{it}{_EDGE}" if isinstance(it, str) else it for name, it in params.items()}
    filled = template.format(**marked)
    for beside, blank in _BLANKS:
        filled = beside.sub(blank, filled)
    return filled.replace(_EDGE, "")


def of_locale(locale: str) -> str:
    """The interface language for a BCP 47 tag such as zh-TW or en-GB; English for unsupported languages."""
    primary, *rest = locale.lower().replace("_", "-").split("-")
    if primary != "zh":
        return "en"
    return "zh-hant" if any(part in _TRADITIONAL for part in rest) else "zh-hans"


def beginnings(key: str, placeholder: str, **params: object) -> tuple[str, ...]:
    """The text of key up to the placeholder in every language, the other placeholders filled."""
    return tuple(text(key, code, **params | {placeholder: "\0"}).partition("\0")[0] for code in LANGUAGES)


def known(key: str) -> bool:
    return key in _tables()


@cache
def _derived(key: str, language: str) -> str:
    if language != "zh-hant":
        return ""
    simplified = _languages(key).get("zh-hans", "").replace(*_LOOKED_FOR)
    words: str = _to_traditional().convert(simplified).translate(_QUOTES)
    for converted, meant in _TAIWAN.items():
        words = words.replace(converted, meant)
    return words


@cache
def _to_traditional():  # type: ignore[no-untyped-def]  # opencc ships no types
    from opencc import OpenCC

    return OpenCC("s2twp")
