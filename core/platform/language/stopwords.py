"""Function words of English and Chinese, which carry no meaning in a question or passage."""

_ENGLISH = """
a about above after again against ain all also although am an and any are aren aren't as at be because been
before being below between both but by can can't cannot could couldn couldn't did didn didn't do does doesn
doesn't doing don don't down during each either else etc ever every few for from further give had hadn hadn't
has hasn hasn't have haven haven't having he he'd he'll he's her here here's hers herself him himself his how
how's however i i'd i'll i'm i've if in into is isn isn't it it's its itself just let let's ll many may me
might more most much must my myself neither nor no not now of off on once one's only or other our ours
ourselves out over own per please re s same shall shan she she'd she'll she's should shouldn shouldn't so some
such t tell than that that's the their theirs them themselves then there there's these they they'd they'll
they're they've this those though through thus to too under until up upon ve very was wasn wasn't we we'd
we'll we're we've were weren weren't what what's when when's where where's whether which while who who's whom
whose why why's will with within without won won't would wouldn wouldn't yes yet you you'd you'll you're
you've your yours yourself yourselves
"""
_HAN = """
什么 甚么 哪些 哪个 哪里 哪儿 哪位 哪年 哪种 哪一 怎么样 怎么 怎样 如何 为什么 为何 多少 多久 多长 多大 几个
几年 几位 是否 有没有 是不是 能不能 可不可以 可以 请问 谁 吗 呢 分别 以及 或者 因为 所以 但是 如果 这个
那个 这些 那些 我们 你们 他们 她们 它们 告诉我 一下
"""

ENGLISH = frozenset(_ENGLISH.split())
"""Folded surface forms, not stems."""
HAN_PHRASES = frozenset(_HAN.split())
"""Question phrases and conjunctions, simplified; a bigram that overlaps one is uninformative."""
HAN_PARTICLES = frozenset("的地得了着过是在有和与及或并而且被把将从对于为以之其所也都就又这那个们一不由于向到上下中")
"""Characters that mean little as neighbours."""
ARTICLES = frozenset({"the", "a", "an"})


def without_article(text: str) -> str:
    first, _, rest = text.partition(" ")
    return rest if rest and first.casefold() in ARTICLES else text
