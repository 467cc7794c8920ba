"""Messages that no document answers: greetings, thanks, questions about the app itself, play."""

import re
from enum import StrEnum

from core.language.terms import normal_form
from core.nodes.rules.questions import any_of
from core.nodes.rules.statements import is_only_a_statement


class Social(StrEnum):
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    WELLBEING = "wellbeing"
    ABILITIES = "abilities"
    ABOUT_USER = "about_user"
    IDENTITY = "identity"
    STATEMENT = "statement"
    CHAT = "chat"


MAX_LENGTH = 200
"""Characters; longer messages have something to say."""
_TAIL = r"(?:\s+(?:there|ai|bot|again|all|everyone|friend|assistant|buddy|dear|sir|to you|graphtalk|how are you))*"
_MY_THINGS = r"(?:name|job|work|profession|preferences?|team|project)"
_ACTS: dict[Social, re.Pattern[str]] = {
    Social.GREETING: any_of(
        rf"^(?:hi+|hello+|hey+|hiya|howdy|greetings|yo|sup|good (?:morning|afternoon|evening|day)|nice to (?:meet"
        rf"|see) you){_TAIL}$",
        r"^(?:[你您]们?好|大家好|嗨+|哈[喽罗]|喂|在吗|早上好|上午好|下午好|晚上好|早安?|很高兴认识你)[啊呀哦吗]*$",
    ),
    Social.THANKS: any_of(
        r"^(?:\w+\s+){0,4}(?:thanks|thank you|thankyou|thx|cheers)\b(?!.*\b(?:what|who|when|where|why|how"
        r"|which)\b).{0,60}$",
        r"\bmy (?:\w+ )?(?:gratitude|thanks)\b|\b(?:appreciate|grateful)\b|\byou(?:'ve| have|'re| are"
        r"|r)? (?:been )?(?:\w+ )?(?:helpful|the best|great|awesome)\b",
        r"\b(?:nice|good|great|pleasant|lovely) (?:conversation|chat|talk)\b|\b(?:happy|glad) (?:that )?you (?:did"
        r"|helped)\b",
        r"^(?:great|perfect|awesome|nice|cool|wonderful|excellent|good|well|got|okay|ok|i)(?: (?:job|answer|work|one"
        r"|it|done|see))?$",
        r"^(?:非常|太|十分|多)?(?:谢谢|感谢|多谢|谢了|辛苦)[^?？]{0,12}$|^(?:好的|明白了?|知道了|不错|很好|太好了"
        r"|收到|了解了?)$",
    ),
    Social.FAREWELL: any_of(
        r"^(?!which|what|who)(?:[\w']+ ){0,7}(?:bye+|goodbye|good ?night|farewell|see (?:you|ya)|catch you"
        r"|talk (?:to you )?(?:later|soon))\b.{0,20}$",
        r"^i(?:'ve| have|'m| am)? ?(?:got to|gotta|have to|must|need to)? ?(?:go|going|leav\w+|run)(?: now)?$",
        r"\b(?:nice|great|good) (?:chatting|talking|speaking)\b",
        r"^(?:再见|拜拜|晚安|回头见|下次见|88)[啦了吧]*$",
    ),
    Social.WELLBEING: any_of(
        r"^(?:\w+ ){0,2}how(?:'s|'re| is| are| have| do)? (?:you|ya|u|it|things|everything|your (?:day"
        r"|things))\b(?: (?:doing|been|going|feeling|feel|do|about|today|now))*$",
        r"^what'?s (?:up|new|going on)$",
        r"^[你您]?(?:最近|今天)?(?:过得)?(?:怎么样|好吗|还好吗|心情如何)$",
    ),
    Social.ABILITIES: any_of(
        r"\bwhat (?:\w+ ){0,4}(?:can|could|should|may) (?:i|we) ask\b|\b(?:tell me )?what (?:\w+ ){0,4}you (?:can"
        r"|could) (?:do|help|answer|talk)\b",
        r"\bwhat (?:\w+ ){0,4}(?:can|could) (?:you|u) (?:do|help|answer|offer|talk)\b|\b(?:can"
        r"|may) i ask you (?!.*\babout\b).*(?:question|anything|type|kind)",
        r"\bwhat are (?:some )?(?:things|questions|topics) i can\b|\bwhat are you (?:able to|capable of|good at)\b"
        r"|^help(?: me)?$|\bhow do i use (?:you|this app)\b",
        r"\bwhat (?:topics|subjects|areas) (?:are|do) you\b",
        r"[你您](?:都?能|都?会|可以)(?:够)?(?:做|干|回答|帮我?做|帮我干|提供)?(?:些|一些)?(?:什么|啥|哪些)|^帮助$"
        r"|[你您]有(?:什么|哪些)功能|怎么使?用[你您]",
    ),
    Social.ABOUT_USER: any_of(
        rf"\b(?:what(?:'s| is| was| are)|do you (?:know|remember)|tell me) my {_MY_THINGS}\b|\bwho am i\b",
        r"\bwhat (?:do|did) you (?:know|remember|learn) (?:about|of) me\b|\bwhat (?:did|have) i (?:told|tell) you\b",
        r"\b(?:where do i (?:work|live)|what do i (?:like|prefer|do))\b",
        r"我(?:叫|是)(?:什么|谁)|我的(?:名字|职业|工作|偏好|喜好)(?:是|叫)?(?:什么|啥)",
        r"[你您]还?(?:记得|知道|记住)了?(?:关于)?我(?!们)的?(?:什么|哪些|吗|是谁|叫什么|喜欢什么)",
    ),
    Social.IDENTITY: any_of(
        r"\b(?:who|what) (?:exactly )?are you\b|\byour (?:\w+ )?(?:name|age|birthday|hometown)\b|\bdo you go by\b"
        r"|\b(?:call|address) you\b",
        r"\bam i (?:talking|speaking|chatting) (?:to|with) (?:an? )?(?:real |actual )?(?:human|person|bot|robot"
        r"|machine|computer|ai)\b",
        r"\byou(?:'re| are)? an? (?:\w+ )?(?:bot|robot|human|machine|computer|ai|person)\b|\b(?:who|what \w+) (?:made"
        r"|built|created|designed|invented|programmed|developed) (?:you|this (?:ai|bot|app))\b",
        r"^(?:[你您]是谁|[你您](?:到底)?是(?:什么|机器人|人|真人|人工智能|ai)|[你您](?:叫什么|的名字)|谁(?:创造|开发"
        r"|制造|设计|训练|做)了?的?[你您])",
        r"^(?:自我介绍|介绍一下[你您]自己)|^[你您](?:今年)?(?:几岁|多大)",
    ),
    Social.CHAT: any_of(
        r"\bmeaning of (?:life|existence)\b|\b(?:purpose|point) of (?:life|existence|living|all (?:of )?this)\b"
        r"|\blife'?s (?:purpose|meaning|point)\b",
        r"\bwhy (?:are|do|were|did) (?:we|humans|people) (?:here|alive|exist|created|live)\b"
        r"|\bwe (?:\w+ )?on earth for\b",
        r"\b(?:roll|throw)\b.*\b(?:dice|die|d\d+)\b|\b(?:flip|toss)\b.*\bcoin\b|\bheads or tails\b",
        r"\b(?:jokes?|riddles?)\b(?=.{0,20}$)|\bmake me laugh\b|^i(?:'m| am) (?:bored|sad|tired|happy)\b",
        r"\b(?:fun|interesting|random|cool|neat|trivia) facts?\b|\b(?:tell|give) me (?:a|an|another|some) (?:fact"
        r"|trivia)\b",
        r"\b(?:tell me|say|know) something (?:fun|interesting|random|cool|neat|funny)\b",
        r"(?:讲|说|来)(?:一?个|点)?笑话|(?:生命|人生|活着)的意义|(?:掷|扔|投)(?:一?个)?骰子|抛(?:一?个)?硬币|好?无聊"
        r"|[你您](?:喜欢|有没有|吃了)",
    ),
}
_ADDRESSED = re.compile(r"\b(?:you|your|yours|yourself|u|ya|you're|you've)\b")
_ABOUT_APP_WORDS = """
name call called who made make makes maker created create creates creator built build builds builder developed
develop developer programmed programmer program designed design designer manufactured manufacture manufactures
manufacturer trained train bring brought existence existed invented invent born birth birthday age old young live
lives living come came from origin originate where work works working job boss employer supervisor manager company
organization individual person people serve report charge owner own owns pet pets dog dogs cat cats parrot animal
animals hobby hobbies fun like enjoy favorite favourite family mother father parents children married robot bot
human real computer ai artificial intelligence machine language languages speak feel feeling feelings doing question
questions ask answer answers help type types kind kinds different another someone somebody anybody home house await
awaits clear something up are is do does did have has had can could what what's which when why how who's tell me i
i'd if please by way exactly specify the a an to of for in into out on at with be been being or and day days year
years were was chance any there that this so just know get got raised grow grew country city town hometown place
exist alive conscious think smart many much long time free sleep eat love friend friends today now want wish would
curious not about you your yours yourself u ya you're you've
"""
_ABOUT_APP = frozenset(_ABOUT_APP_WORDS.split())
"""A message of only these words that addresses a "you" is about the app."""
_EDGES = re.compile(r"^[\s\W]+|[\s\W]+$")
_WORD = re.compile(r"[\w'-]+")


def plain_words(message: str) -> str:
    """Lower case, one script and width, no punctuation but apostrophes and hyphens, single spaces."""
    plain = normal_form(message).lower().replace("’", "'")
    return " ".join(re.sub(r"[,，.。!！?？;；:：、~～]+", " ", _EDGES.sub("", plain)).split())


def social_act(message: str) -> Social | None:
    """What a message that asks nothing of the documents does; None for everything else."""
    plain = plain_words(message)
    if not plain:
        return Social.CHAT
    if len(plain) > MAX_LENGTH:
        return None
    if is_only_a_statement(message):
        return Social.STATEMENT
    if act := next((act for act, pattern in _ACTS.items() if pattern.search(plain)), None):
        return act
    about_app = _ADDRESSED.search(plain) and set(_WORD.findall(plain)) <= _ABOUT_APP
    return Social.IDENTITY if about_app else None
