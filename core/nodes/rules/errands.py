"""Things to be done in the world (an alarm, a payment, the weather), which no document answers."""

import re

from core.nodes.rules.questions import any_of
from core.nodes.rules.smalltalk import plain_words

_LEAD = re.compile(
    r"^(?:(?:please|pls|hey|hi|ok|and|also|now)\s+|(?:can|could|would|will) (?:you|u|i) (?:please )?"
    r"|is it possible to |go ahead and "
    r"|let'?s |i(?:'d| would) (?:really )?(?:like|love) (?:you )?(?:to )?|i (?:really )?(?:need|want|wish|have|gotta"
    r"|got|must|will require)"
    r" (?:you )?(?:to |help to |assistance (?:with|to) |help (?:with )?)?|help me (?:to |with )?|i(?:'m"
    r"| am) (?:trying|striving|hoping|looking) to )+"
)
_THING = (
    r"(?:alarms?|timers?|reminders?|volume|lights?|lamps?|thermostat|ac|air conditioner|heating|oven|doors?|songs?"
    r"|music|playlist|jazz"
    r"|calendar|appointments?|meetings?|events?|flights?|tickets?|hotel|restaurants?|tables?|reservations?|taxi|cab"
    r"|uber|ride|bills?|rent"
    r"|account|checkings?|savings|dollars?|bucks|money|funds|lists?|laundry|groceries|phone|pizza|iphone ?\d*|tv"
    r"|credit card|mom|dad|call|text)"
)
_CLEAR_VERB = (
    r"(?:set|cancel|turn|play|call|dial|phone|ring|text|message|email|send|pay|transfer|wire|move|book|reserve|order"
    r"|buy|purchase|remind"
    r"|wake|mute|schedule|snooze|lock|unlock|dim|raise|lower|increase|decrease|crank)"
)
_VAGUE_VERB = r"(?:create|add|put|take|remove|delete|erase|clear|cross|make|start|stop|change|switch|give|open|close)"
_OBJECT = r"(?:the|a|an|my|me|some|any|another|all|it|up|off|on|down|back|\d+|mom|dad|more|your|our)"
_WH = re.compile(r"^(?:what|which|who|whose|when|where|why|how)\b")
_ERRANDS = any_of(
    rf"^{_CLEAR_VERB} (?:{_OBJECT}\b|.*\b{_THING}\b)",
    rf"^{_VAGUE_VERB} .*\b(?:{_THING}|shopping|grocery)\b",
    r"^(?:call|text|dial|phone|ring|message|email)(?: back)? (?:my )?[\w-]+(?: please)?$",
    r"^(?:play|put on|hear|listen to)(?: \w+){1,4}(?: please)?$",
    rf"^(?:an?|my|your) (?:[\w-]+ ){{0,3}}{_THING}\b(?! \w*(?:is|are|was|were|does|in the)\b)",
    r"\bmy (?:\w+ ){0,2}(?:shopping|grocery|to-?do|todo) list\b|\blist of things to do\b",
    r"\bmy (?:\w+ ){0,3}(?:bills?|bank account|checking|savings|calendar|phone|mom|dad)\b",
    r"\b(?:airline|plane|airplane|train) (?:ticket|ridge)\b|\bflights? (?:from|to)\b|\bfly (?:from|to)\b"
    r"|\btable for \d+\b|\b(?:book|make) a (?:reservation|table)\b",
    r"\b(?:your|max) volume\b|^(?:the )?volume (?:to|up|down)\b|^a volume of \d+\b|^(?:speak |be )?(?:louder|quieter"
    r"|softer)(?: please)?$|\bwould you (?:text|call)\b",
    r"^(?:what'?s|what is|how'?s|how is) the (?:weather|forecast)\b|^what time is it\b|^what(?:'s"
    r"| is) (?:the date(?: today)?|today'?s date)$",
    r"^(?:[今明后]天|现在)?的?天气(?:怎么样|如何|预报)?$|^现在几点|^今天(?:星期|周)几|^今天(?:是)?几号",
    r"^[请帮给我]*(?:设[置定]?(?:一?个)?(?:闹钟|提醒|计时器)|订(?:一?[张间个])?(?:机票|酒店|餐厅|座位|外卖)|打电话"
    r"|发(?:一?条)?(?:短信|邮件|微信))",
    r"^[请帮给我]*(?:播放|转账|付款|买[一点个些张]|叫(?:一?辆)?车|调[大小高低]音量)",
)
_ASKED_OF_THE_WORLD = re.compile(r"^(?:what|how)\b.*\b(?:weather|forecast|time is it|date)\b")

_WEATHER = re.compile(r"^(?:what|how)\b.*\b(?:weather|forecast)\b|天气")


def asks_for_weather(message: str) -> bool:
    """An errand that the web can answer."""
    return is_errand(message) and _WEATHER.search(plain_words(message)) is not None


def is_errand(message: str) -> bool:
    plain = plain_words(message)
    bare = _LEAD.sub("", plain)
    if _WH.match(bare) and not _ASKED_OF_THE_WORLD.match(bare):
        return False
    return _ERRANDS.search(bare) is not None or (bare != plain and _ERRANDS.search(plain) is not None)
