"""Relatives and other persons whom somebody calls "my": which words mean the same one, and which one is spoken of."""

from core.platform.language.patterns import pattern

_SAME = tuple(
    frozenset(group.split())
    for group in (
        "mother mum mom mummy mama",
        "father dad daddy papa",
        "wife partner spouse",
        "husband partner spouse",
        "girlfriend partner",
        "boyfriend partner",
        "妈妈 妈 母亲 老妈",
        "爸爸 爸 父亲 老爸",
        "妻子 老婆 太太 爱人",
        "丈夫 老公 先生 爱人",
        "姐姐 姐",
        "妹妹 妹",
        "哥哥 哥",
        "弟弟 弟",
        "女朋友 女友",
        "男朋友 男友",
        "外公 姥爷",
        "外婆 姥姥",
        "姑妈 姑姑",
        "姨妈 阿姨",
        "老板 上司",
    )
)
_OTHERS = (
    "儿子 女儿 孩子 父母 家人 爷爷 奶奶 姑父 姨父 舅舅 舅妈 叔叔 婶婶 伯父 伯母 妹夫 姐夫 嫂子 弟媳 "
    "岳父 岳母 公公 婆婆 侄子 侄女 外甥 外甥女 孙子 孙女 外孙 外孙女 表哥 表姐 表弟 表妹 堂哥 堂姐 "
    "堂弟 堂妹 未婚妻 未婚夫 女婿 儿媳 前妻 前夫 朋友 同事 同学 室友 老师 邻居 经理 老板娘"
)
_HAN = [word for group in (*_SAME, _OTHERS.split()) for word in group if not word.isascii()]
_WORD = "|".join(sorted(_HAN, key=len, reverse=True))
PERSON = pattern(_WORD)
OWN_PERSON = pattern(rf"[我咱]们?(?:的|家)?(?P<chain>(?:{_WORD})(?:的?(?:{_WORD}))*)")
"""我的老板 and 我老板的妻子."""
LABEL_PERSON = pattern(rf"(?P<chain>(?:{_WORD})(?:的?(?:{_WORD}))*)")


def are_same_person(one: str, other: str) -> bool:
    one, other = one.casefold(), other.casefold()
    return one == other or any({one, other} <= group for group in _SAME)
