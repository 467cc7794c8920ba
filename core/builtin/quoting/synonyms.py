"""Synonyms of questions and statements, which count less than the word itself, and implied terms."""

import re
from functools import cache

from core.language.terms import content_terms, terms

_GROUPS = """
lead leads led leader head heads headed director chief chair chairs run runs manage manages managed
write writes wrote written author authored writer
found founded founder establish established create created creator start started begin began set-up launch launched
inception founded founding established establishment
develop developed developer build built invent invented inventor design designed make made propose proposed introduce
die died death dead deceased
born birth birthplace birthday
work works worked employ employed employee job
live lives lived reside resided home
cost costs price priced charge fee expense spend spent pay paid
buy bought purchase purchased acquire acquired
sell sold sale sales
locate located location lies situated position based headquarters headquartered place
use used uses apply applied employ utilize
goal aim purpose objective intend
duty duties task tasks responsibility responsible obligation
happen happens occur occurs event
measure measures measured measurement
contain contains include includes comprise comprises consist consists
large big great
small little
fast quick speed speedup
need needs require requires required requirement must
stop stops cease halt end ends
allow allowed permit permitted may
limit limits limitation limitations weakness drawback
advantage benefit strength
result results finding findings outcome show shows
reason because cause causes caused due
name named called known
depth deep
length long
height high tall
width wide
weight weigh weighs
age old
often frequency interval every
film movie
wife husband spouse married consort
father parent child children son daughter
mother parent child children son daughter
country nation nationality citizenship citizen
performer performed perform singer sang sung recorded
employee employees staff personnel worker workers
company firm corporation
member membership
revenue sales turnover
director directed
win won winner award awarded
teach taught teacher
keep keeps kept
hold holds held
take takes took taken
give gives gave given
grow grows grew grown
know knows knew
leave leaves left
lose loses lost
meet meets met
send sends sent
speak speaks spoke spoken
stand stands stood
choose chooses chose chosen
break breaks broke broken
fall falls fell fallen
rise rises rose risen
bring brings brought
think thinks thought
成立 创立 建立 创办 创建 设立 始建
位于 坐落 地处 地址 地点 位置 所在
负责 主管 领导 负责人 主持 站长 管理
提出 发明 开发 研制 研发 设计 创造
作者 编写 撰写 著 编著
数量 总数 个数 人数
目的 目标 宗旨 旨在
原因 因为 由于 导致 造成
别名 又名 别称 亦称 又称 简称 俗称
去世 逝世 死亡 病逝
出生 生于 诞生
毕业 就读 学校
职务 职位 担任 任职
价格 费用 金额 票价
面积 占地 大小
时间 日期 年份
优点 优势 好处
缺点 不足 局限 限制 问题
措施 做法 处置 应对
要求 规定 应当 必须
包括 包含 分为 组成
用途 作用 用于 用来
定义 含义 是指 意思
籍贯 祖籍 出生
长度 全长 长达 长约
高度 海拔 高达
生活 栖息 生长 分布
妻子 丈夫 配偶 夫人 结婚
员工 职工 雇员
总部 本部
批准 核准 审批
来自 源自 起源
"""


def synonyms(term: str) -> frozenset[str]:
    """Terms with the same meaning."""
    return _table().get(term, frozenset())


def other_words(text: str) -> list[str]:
    """Words that mean the same as a word of the text, as people write them; the first two of each."""
    held = set(terms(text))
    found = [[word for word in words if word not in text][:2] for words, group in _groups() if held & group]
    return list(dict.fromkeys(word for words in found for word in words))


@cache
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for _, group in _groups():
        for term in group:
            table.setdefault(term, set()).update(group - {term})
    return {term: frozenset(others) for term, others in table.items()}


@cache
def _groups() -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    """The words of every group and their terms."""
    lines = (tuple(line.split()) for line in _GROUPS.strip().splitlines())
    return tuple((words, frozenset(term for word in words for term in terms(word)[:1])) for words in lines)


_DATES = r"[^()（）]{0,80}?\d{3,4}[^()（）]{0,30}?[–—－~～-][^()（）]{0,30}?\d{3,4}[^()（）]{0,30}"
_LIFESPAN = re.compile(rf"[(（]{_DATES}[)）]")
_NATION = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the)\s+(?:\S+\s+){0,3}?[A-Z]\w+(?:an|ish|ese|ch|ic)\b")


def implied_terms(sentence: str) -> frozenset[str]:
    """Terms that a reader would take for said."""
    found: list[str] = []
    if _LIFESPAN.search(sentence):
        found += content_terms("born died 出生 去世")
    if _NATION.search(sentence):
        found += content_terms("nationality country")
    return frozenset(found)
