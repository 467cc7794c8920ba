"""What the user tells is worded, offered once, compared and answered, in every workflow."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.agents.nodes.answer.direct_answer import LISTED
from core.agents.nodes.memory.memories import count_used
from core.agents.nodes.memory.replying import dropped, restored_by
from core.agents.state import Draft
from core.agents.workflows.registry import workflows
from core.memory.keeping import quoted
from core.memory.model import MemoryKind, MemoryStatus
from core.platform.texts import text
from core.rulebook.messages import PersonalMessage
from core.runs.model import AnswerOutcome, Run, RunStatus, Turn
from pages.components.run.turn_actions import memories_part
from tests.agents.systems.conftest import SystemWorld, run
from tests.fakes import memory_of, state_of

WORKFLOWS = list(workflows())


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize(
    ("told", "question", "value", "kept"),
    [
        ("My name is Alex.", "What is my name?", "**Alex**", "Name: Alex"),
        ("我叫李雷。", "我叫什么名字？", "**李雷**", "名字：李雷"),
    ],
)
def test_what_was_told_is_answered(
    walked: SystemWorld, workflow: str, told: str, question: str, value: str, kept: str
) -> None:
    run(workflow, walked, told)
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == [kept]
    assert value in run(workflow, walked, question).answer


@pytest.mark.parametrize(
    ("told", "question", "value"),
    [
        ("Remember: I live at Gannet Point and my cat is called Pixel.", "What is my cat called?", "**Pixel**"),
        ("记住：我喜欢用公斤作单位", "我喜欢用什么单位？", "公斤"),
    ],
)
def test_what_a_longer_memory_tells_of_ones_own_is_answered(
    walked: SystemWorld, told: str, question: str, value: str
) -> None:
    run("adaptive", walked, told)
    assert value in run("adaptive", walked, question).answer


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("Remember that Beth Corrigan's phone number is 555-7788.", "What is Beth Corrigan's phone number?"),
        (
            "Remember that the spare key of the shed hangs behind the red barn.",
            "Where does the spare key of the shed hang?",
        ),
        ("Remember that I am allergic to almonds.", "What am I allergic to?"),
        ("请记住：会议室的密码是7043。", "会议室的密码是多少？"),
    ],
)
def test_a_statement_answers_like_a_sentence_of_a_document(walked: SystemWorld, told: str, question: str) -> None:
    run("adaptive", walked, told)
    view = run("adaptive", walked, question)
    assert view.outcome == AnswerOutcome.DIRECT
    assert walked.memories.find()[0].text in view.answer
    assert not view.citations


@pytest.mark.parametrize(
    "message", ["Remember that I am vegetarian. Who developed KelpNet?", "Hello. Please note that I am vegetarian."]
)
def test_a_request_beside_another_sentence_is_kept_without_its_words(walked: SystemWorld, message: str) -> None:
    run("adaptive", walked, message)
    assert [memory.text for memory in walked.memories.find()] == ["I am vegetarian"]


def test_what_is_kept_beside_a_question_without_an_answer_is_not_said_to_wait(walked: SystemWorld) -> None:
    message = "Remember that I am vegetarian. Who painted the harbour of Genoa?"
    answer = run("adaptive", walked, message).answer
    (kept,) = walked.memories.find()
    assert kept.status is MemoryStatus.ACTIVE
    assert answer.startswith("Noted: “I am vegetarian”")


def test_what_documents_answer_is_not_hidden_by_a_statement(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("Lena used to develop the network KelpNet"))
    answer = run("adaptive", walked, "Who developed KelpNet?").answer
    assert "Lena Vogt" in answer
    assert "used to" not in answer


def test_a_relative_is_not_told_of_in_place_of_another(walked: SystemWorld) -> None:
    for told in ("Remember that my wife Jana teaches physics.", "Remember that my sister Mira plays the cello."):
        run("adaptive", walked, told)
    assert "physics" in run("adaptive", walked, "What does my wife teach?").answer
    assert "You told me on" not in run("adaptive", walked, "What does my niece play?").answer


@pytest.mark.parametrize(
    ("told", "asked", "then", "meant"),
    [
        (
            (
                "Remember that my dentist is Dr. Carla Ruiz in Mill Lane.",
                "Remember that I saw Dr. Carla Ruiz on 4 May.",
            ),
            "Who is my dentist?",
            "When did I see her?",
            "When did I see Dr. Carla Ruiz?",
        ),
        (
            ("Remember that my boat is the Kittiwake.", "Remember that my boat has a red hull."),
            "What is my boat?",
            "What is its hull?",
            "What is my boat's hull?",
        ),
        (("请记住：我的牙医是王丽。",), "我的牙医是谁？", "她的诊所在哪里？", "王丽的诊所在哪里？"),
    ],
)
def test_a_pronoun_stands_for_the_one_that_the_last_answer_told_of(
    walked: SystemWorld, told: tuple[str, ...], asked: str, then: str, meant: str
) -> None:
    for each in told:
        run("adaptive", walked, each)
    answer = run("adaptive", walked, asked).answer
    view = run("adaptive", walked, then, history=(asked, answer))
    assert meant in [value for step in view.steps for name, value in step.details if name == "resolved"]
    if len(told) > 1:
        assert told[1].removeprefix("Remember that ").rstrip(".") in view.answer


def test_a_pronoun_without_a_referent_is_not_answered_from_memory(walked: SystemWorld) -> None:
    run("adaptive", walked, "Remember that I live in Trieste.")
    view = run("adaptive", walked, "Where does he live?", history=("What is KelpNet?", "A network."))
    assert view.outcome != AnswerOutcome.DIRECT


def test_each_part_of_a_question_is_told_or_documents_are_searched(walked: SystemWorld) -> None:
    for told in ("My name is Clara.", "Remember that the shed key hangs behind the red barn."):
        run("adaptive", walked, told)
    answer = run("adaptive", walked, "What is my name and where does the shed key hang?").answer
    assert "Clara" in answer
    assert "red barn" in answer
    run("adaptive", walked, "What is my name and what is the upkeep of buoys?")
    assert walked.retriever.asked


def test_what_belongs_to_somebody_else_is_not_told_as_ones_own(walked: SystemWorld) -> None:
    run("adaptive", walked, "Remember that my daughter's birthday is on 9 June.")
    (kept,) = walked.memories.find()
    assert kept.text == "Daughter's birthday: on 9 June"
    assert "9 June" in run("adaptive", walked, "When is my daughter's birthday?").answer
    assert "You told me on" not in run("adaptive", walked, "When is my birthday?").answer


def test_a_colon_of_a_time_is_no_label(walked: SystemWorld) -> None:
    run("adaptive", walked, "Remember that our team meets every Tuesday at 9:30 in room B12.")
    answer = run("adaptive", walked, "When does our team meet?").answer
    assert "9:30 in room B12" in answer
    assert "**30" not in answer


@pytest.mark.parametrize(
    "message",
    [
        "如果下雨，我在家工作。",
        "小王说，我是医生",
        "Alice: I work at Acme as a nurse.",
        "Sometimes, I work from home.",
        "Hypothetically, my name is Bob",
    ],
)
def test_what_others_say_or_what_is_only_sometimes_so_is_not_noted(walked: SystemWorld, message: str) -> None:
    run("adaptive", walked, message)
    assert walked.memories.find(MemoryStatus.ACTIVE) == []


@pytest.mark.parametrize(
    "question", ["忘记密码找谁？", "Forget gate in an LSTM?", "Forget the budget, when does the lease end?", "忘了吧"]
)
def test_a_question_about_forgetting_is_searched(walked: SystemWorld, question: str) -> None:
    nothing = {text("answer.direct.forget_none", language) for language in ("en", "zh-hans")}
    assert run("adaptive", walked, question).answer not in nothing


@pytest.mark.parametrize(
    ("first", "then", "offered"),
    [
        ("My dog's name is Pixel.", "My dog's name is not Pixel, it is Bixby.", "Dog's name: Bixby"),
        ("我的猫叫咪咪。", "不对，我的猫叫毛毛。", "猫：毛毛"),
    ],
)
def test_what_corrects_a_statement_that_waits_is_offered_without_a_search(
    walked: SystemWorld, first: str, then: str, offered: str
) -> None:
    run("adaptive", walked, first, thread_id="chat")
    view = run("adaptive", walked, then, thread_id="chat")
    assert view.outcome == AnswerOutcome.DIRECT
    assert offered in view.answer
    run("adaptive", walked, "yes", thread_id="chat", history=(then, view.answer))
    assert [(one.text, one.status) for one in walked.memories.find() if one.status != MemoryStatus.SUPERSEDED] == [
        (offered, MemoryStatus.ACTIVE)
    ]


@pytest.mark.parametrize("is_accepted", [True, False])
def test_a_correction_after_other_questions_takes_the_place_of_what_it_is_on(
    walked: SystemWorld, is_accepted: bool
) -> None:
    told = "My office hours are Tuesday 10 to 2."
    offer = run("adaptive", walked, told, thread_id="chat", run_id="r0").answer
    history: tuple[str, ...] = (told, offer)
    if is_accepted:
        history += ("yes", run("adaptive", walked, "yes", history=history, thread_id="chat", run_id="r1").answer)
    asked = "Who developed KelpNet?"
    history += (asked, run("adaptive", walked, asked, history=history, thread_id="chat", run_id="r2").answer)
    said = "No, I meant my office hours are Monday and Thursday 10 to 2."
    answer = run("adaptive", walked, said, history=history, thread_id="chat", run_id="r3").answer
    assert "It replaces what you told me before: Office hours: Tuesday 10 to 2" in answer
    (kept,) = walked.memories.find(MemoryStatus.ACTIVE if is_accepted else MemoryStatus.PROPOSED)
    assert kept.text == "Office hours: Monday and Thursday 10 to 2"


def test_what_is_said_behind_another_clause_replaces_what_it_is_on(walked: SystemWorld) -> None:
    walked.memories.save(older := memory_of("Deputy: Tom Birch"))
    told = "Tom has left, my deputy is now Priya Shah."
    answer = run("adaptive", walked, told, thread_id="chat", run_id="r0").answer
    assert "It would replace: Deputy: Tom Birch" in answer
    run("adaptive", walked, "yes", history=(told, answer), thread_id="chat", run_id="r1")
    assert walked.memories.get(older.id).status is MemoryStatus.SUPERSEDED
    assert run("adaptive", walked, "Who is my deputy?").answer.startswith("**Priya Shah**")


def test_another_fact_and_a_trouble_replace_nothing(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("My flight to Lisbon leaves on 14 March at 6:45"))
    walked.memories.save(memory_of("I get error 501 on the pump"))
    for message in ("My flight to Lisbon returns on 21 March.", "I get error 502 on the pump."):
        assert "It replaces" not in run("adaptive", walked, message, thread_id="chat").answer
    assert len(walked.memories.find(MemoryStatus.ACTIVE)) == 2


def test_what_is_told_of_one_person_is_not_joined_to_what_was_told_of_another(walked: SystemWorld) -> None:
    first, then = "我儿子叫小宇，9岁，上三年级。", "我先生叫建国，他对虾过敏，不吃辣。"
    answer = run("adaptive", walked, first, thread_id="chat").answer
    run("adaptive", walked, then, history=(first, answer), thread_id="chat")
    assert {memory.text for memory in walked.memories.find()} == {first.strip("。"), then.strip("。")}


@pytest.mark.parametrize(
    ("known", "correction", "kept"),
    [
        ("我女儿朵朵6岁，对花生过敏", "订正一下：朵朵是对腰果过敏，不是花生。", "我女儿朵朵6岁，对腰果过敏"),
        (
            "My daughter Dora is 6 and is allergic to peanuts",
            "No, Dora is not allergic to peanuts but to cashews.",
            "My daughter Dora is 6 and is allergic to cashews",
        ),
    ],
)
def test_what_says_which_value_is_wrong_replaces_it_in_a_new_chat(
    walked: SystemWorld, known: str, correction: str, kept: str
) -> None:
    walked.memories.save(memory_of(known))
    answer = run("adaptive", walked, correction, thread_id="chat").answer
    assert kept in answer
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == [kept]
    assert walked.retriever.asked == []


def test_what_says_more_than_the_new_statement_is_not_offered_to_be_replaced(walked: SystemWorld) -> None:
    walked.memories.save(older := memory_of("我女儿朵朵今年6岁，对花生过敏"))
    walked.memories.nearest = {older.id: 0.4}
    assert "换掉" not in run("adaptive", walked, "我女儿朵朵的生日是2027年1月8日。").answer


def test_replacing_is_offered_again_and_can_be_chosen_after_another_question(walked: SystemWorld) -> None:
    walked.memories.save(older := memory_of("我们住在大安区"))
    walked.memories.nearest = {older.id: 0.4}
    told, asked = "我们搬到信义区了。", "KelpNet是什么？"
    offered = run("adaptive", walked, told, thread_id="chat").answer
    assert "换掉" in offered
    again = run("adaptive", walked, told, history=(told, offered), thread_id="chat").answer
    assert "换掉" in again
    run("adaptive", walked, "换掉", history=(told, again, asked, "KelpNet是一个网络。"), thread_id="chat")
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == ["我们搬到信义区了"]


def test_a_wish_is_no_question_about_the_person(walked: SystemWorld) -> None:
    assert "没有找到" not in run("adaptive", walked, "给我讲个笑话").answer


@pytest.mark.parametrize("asked", ["把我告诉过你的关于家人的事都列出来", "List everything I told you about my family"])
def test_a_request_to_list_what_was_told_of_some_lists_it(walked: SystemWorld, asked: str) -> None:
    walked.memories.save(memory_of("我儿子叫小宇"))
    assert "我儿子叫小宇" in run("adaptive", walked, asked).answer


def test_yes_after_an_answer_that_offered_nothing_keeps_nothing(walked: SystemWorld) -> None:
    told = "My favourite warehouse is the one in Lyon."
    run("adaptive", walked, told)
    run("adaptive", walked, "ok", history=(told, "I know nothing of it."))
    assert walked.memories.find()[0].status is MemoryStatus.PROPOSED


def test_a_correction_supersedes_what_it_names(walked: SystemWorld) -> None:
    run("adaptive", walked, "My name is Ragna Holm.")
    run("adaptive", walked, "My name is Ragna Berg, not Holm.")
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == ["Name: Ragna Berg"]


@pytest.mark.parametrize(
    ("first", "then", "kept"),
    [
        ("Remember that my locker number is 274.", "Actually, my locker number is 319 now.", "Locker number: 319"),
        ("Remember that my locker number is 274.", "My locker number isn't 274, it's 319.", "Locker number: 319"),
        ("Remember that my dog's name is Pixel.", "My dog's name is not Pixel, it is Bixby.", "Dog's name: Bixby"),
        ("Remember that my dog is called Pixel.", "My dog is not called Pixel but Bixby.", "Dog: Bixby"),
        (
            "Remember my flight to Lisbon leaves on 14 March at 6:45.",
            "Correction: my flight to Lisbon leaves on 15 March, not on the 14th.",
            "My flight to Lisbon leaves on 15 March",
        ),
        ("Remember that I live in Graz.", "no wait, it's Linz", "I live in Linz"),
        ("请记住我住在杭州。", "说错了，是苏州", "我住在杭州，随后说“说错了，是苏州”"),
    ],
)
def test_what_says_otherwise_than_is_known_replaces_it(walked: SystemWorld, first: str, then: str, kept: str) -> None:
    noted = run("adaptive", walked, first, thread_id="chat").answer
    answer = run("adaptive", walked, then, history=(first, noted), thread_id="chat").answer
    assert "It replaces what you told me before" in answer or kept in answer
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == [kept]


@pytest.mark.parametrize(
    "correction", ["不对，我的猫叫毛毛。", "我的猫不叫咪咪，叫毛毛。", "我的猫不是叫咪咪，而是叫毛毛。"]
)
def test_a_chinese_correction_replaces_what_it_denies(walked: SystemWorld, correction: str) -> None:
    run("adaptive", walked, "请记住我的猫叫咪咪。", thread_id="chat")
    run("adaptive", walked, correction, thread_id="chat")
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == ["猫：毛毛"]


@pytest.mark.parametrize(
    ("first", "then", "reply"),
    [
        ("I live in Graz.", "I live in Trieste now.", "yes, replace it"),
        (
            "Remember that my cat sleeps in the hall.",
            "We moved the cat to the attic last week.",
            "swap it for the old one",
        ),
        ("请记住我住在杭州。", "我上周搬到上海了。", "换掉"),
    ],
)
def test_a_statement_takes_the_place_of_one_on_the_same_thing_when_told_so(
    walked: SystemWorld, first: str, then: str, reply: str
) -> None:
    run("adaptive", walked, first, run_id="r0")
    (older,) = walked.memories.find(MemoryStatus.ACTIVE)
    walked.memories.nearest = {older.id: 0.4}
    answer = run("adaptive", walked, then).answer
    assert f"of “{older.text}”" in answer or f"替换“{older.text}”" in answer
    assert older in walked.memories.find(MemoryStatus.ACTIVE)
    assert older.text in run("adaptive", walked, reply, history=(then, answer)).answer
    (kept,) = walked.memories.find(MemoryStatus.ACTIVE)
    assert walked.memories.get(older.id).superseded_by == kept.id


def test_a_yes_replaces_what_the_answer_named_and_not_what_is_nearer(walked: SystemWorld) -> None:
    walked.memories.save(other := memory_of("My sister moved to Trieste", id="other"))
    walked.memories.save(older := memory_of("I live in Graz", id="older"))
    walked.memories.nearest = {other.id: 0.2, older.id: 0.4}
    told = "I live in Trieste now."
    answer = run("adaptive", walked, told).answer
    assert "of “I live in Graz”" in answer
    run("adaptive", walked, "yes, replace it", history=(told, answer))
    assert walked.memories.get(older.id).status is MemoryStatus.SUPERSEDED
    assert walked.memories.get(other.id).status is MemoryStatus.ACTIVE


def test_a_yes_replaces_nothing_where_no_older_statement_was_named(walked: SystemWorld) -> None:
    walked.memories.save(other := memory_of("My sister moved to Trieste", id="other"))
    walked.memories.nearest = {other.id: 0.9}
    told = "My brother lives in Lisbon."
    answer = run("adaptive", walked, told).answer
    run("adaptive", walked, "yes, replace it", history=(told, answer))
    assert {memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)} == {
        other.text,
        "My brother lives in Lisbon",
    }


@pytest.mark.parametrize("reply", ["no thanks", "nah, don't bother", "take that back", "不用记", "算了，别存"])
def test_what_was_offered_is_declined(walked: SystemWorld, reply: str) -> None:
    told = "My sister lives in Lisbon."
    offer = run("adaptive", walked, told).answer
    assert "My sister lives in Lisbon" in run("adaptive", walked, reply, history=(told, offer)).answer
    assert [memory.status for memory in walked.memories.find()] == [MemoryStatus.REJECTED]


def test_of_several_statements_the_nearest_is_corrected(walked: SystemWorld) -> None:
    for words in ("My dentist is Dr Novak", "My next appointment is on 4 December"):
        walked.memories.save(memory_of(words, id=words))
    walked.memories.nearest = {"My next appointment is on 4 December": 0.3, "My dentist is Dr Novak": 0.6}
    told = ("Who is my dentist?", "My dentist is Dr Novak\n\nMy next appointment is on 4 December")
    run("adaptive", walked, "Make that 11 December.", history=told)
    standing = {memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)}
    assert standing == {
        "My dentist is Dr Novak",
        "My next appointment is on 11 December",
    }


def test_a_correction_of_another_statement_leaves_the_one_told_last(walked: SystemWorld) -> None:
    for words in ("I live in York", "The dentist appointment is on 4 March"):
        walked.memories.save(memory_of(words, id=words))
    told = ("Where do I live?", "You told me: “I live in York”")
    run("adaptive", walked, "No, I meant the dentist appointment is on 5 March, not the 4th.", history=told)
    standing = [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)]
    assert "I live in York" in standing
    assert "The dentist appointment is on 4 March" not in standing


def test_what_is_far_from_all_that_was_told_corrects_none_of_it(walked: SystemWorld) -> None:
    known = ["我叫林晓，是一名研究员", "我搬到了杭州"]
    for words in known:
        walked.memories.save(memory_of(words, id=words))
    told = ("你记得关于我的哪些事？", "\n".join(known))
    run("adaptive", walked, "不对，我是说月之暗面的CEO。", history=told)
    assert {memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)} == set(known)


def test_what_corrects_an_answer_from_documents_is_not_remembered(walked: SystemWorld) -> None:
    answer = Turn("assistant", "“The daily meal allowance is 40 euros.” [1]", AnswerOutcome.ANSWERED)
    said = ("What is the daily meal allowance?", answer)
    correction = "Actually, the meal allowance is 50 euros."
    view = run("adaptive", walked, correction, history=said)
    assert (walked.memories.find(), view.outcome != AnswerOutcome.DIRECT) == ([], True)
    run("adaptive", walked, "Actually, my allowance is 50 euros.", history=said)
    assert [memory.text for memory in walked.memories.find()] == ["Allowance: 50 euros"]


@pytest.mark.parametrize("correction", ["No, it is 25 days.", "Actually it's 28 days"])
def test_a_correction_beside_passages_is_not_of_the_statement_told_above_them(
    walked: SystemWorld, correction: str
) -> None:
    walked.memories.save(memory_of("I get up at six every day"))
    told = "The closest thing you told me: “I get up at six every day”\n\nThese passages come closest.\n\n> Leave"
    answer = Turn("assistant", told, AnswerOutcome.CLOSEST)
    run("adaptive", walked, correction, history=("How long is the leave?", answer))
    assert [memory.text for memory in walked.memories.find()] == ["I get up at six every day"]


def test_a_question_that_names_two_values_corrects_nothing(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("My deadline is Thursday noon"))
    run("adaptive", walked, "why is it Friday not Thursday")
    assert [memory.text for memory in walked.memories.find()] == ["My deadline is Thursday noon"]


def test_a_no_to_what_was_told_asks_what_is_right(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("My boss is Petra"))
    told = run("adaptive", walked, "Who is my boss?").answer
    answer = run("adaptive", walked, "no, that's wrong", history=("Who is my boss?", told)).answer
    assert answer == text("answer.direct.disputed", "en")
    assert [memory.status for memory in walked.memories.find()] == [MemoryStatus.ACTIVE]


@pytest.mark.parametrize(
    ("later", "distance", "is_told"),
    [("Got my sister's boxes to the flat in Porto", 0.3, True), ("I live in a flat in Porto", 0.85, False)],
)
def test_what_was_said_later_is_told_along_if_it_is_on_the_same_thing(
    walked: SystemWorld, later: str, distance: float, is_told: bool
) -> None:
    walked.memories.save(older := memory_of("My sister lives in Lisbon"))
    newer = memory_of(later)
    walked.memories.save(replace(newer, created_at=newer.created_at + timedelta(days=1)))
    walked.memories.nearest = {older.id: 0.1, newer.id: distance}
    answer = run("adaptive", walked, "Where does my sister live?").answer
    told = [answer.find(words) for words in ("Lisbon", "Later", "Porto")]
    assert told == sorted(told) if is_told else told[1:] == [-1, -1]
    assert ("Porto" in answer) is is_told


def test_a_request_to_forget_something_else_corrects_nothing(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I play the cello"))
    told = "Remember that I live in Graz."
    noted = run("adaptive", walked, told).answer
    assert "- “I play the cello”" in run("adaptive", walked, "Forget my cello.", history=(told, noted)).answer
    assert "I live in Graz" in [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)]


def test_what_was_kept_is_taken_back_and_the_older_statement_holds_again(walked: SystemWorld) -> None:
    run("adaptive", walked, "My name is Alex.")
    answer = run("adaptive", walked, "My name is Sam.").answer
    (kept,) = walked.memories.find(MemoryStatus.ACTIVE)
    history = (Turn("user", "My name is Sam."), Turn("assistant", answer, run_id=kept.run_id))
    state = state_of("wait, undo that", history=history)
    assert [memory.text for memory in dropped(state, walked.deps())] == ["Name: Sam"]
    assert [memory.text for memory in restored_by(kept, state, walked.deps())] == ["Name: Alex"]


@pytest.mark.parametrize(
    ("reply", "status"), [("yes please", MemoryStatus.REJECTED), ("no, leave it", MemoryStatus.ACTIVE)]
)
def test_what_is_to_be_forgotten_is_no_longer_used_after_a_yes(
    walked: SystemWorld, reply: str, status: MemoryStatus
) -> None:
    walked.memories.save(memory_of("I play the cello"))
    listed = run("adaptive", walked, "Forget my cello.").answer
    answer = run("adaptive", walked, reply, history=("Forget my cello.", listed)).answer
    assert "I play the cello" in answer
    assert [memory.status for memory in walked.memories.find()] == [status]
    if status is MemoryStatus.REJECTED:
        run("adaptive", walked, "wait, bring it back", history=(reply, answer))
        assert [memory.status for memory in walked.memories.find()] == [MemoryStatus.ACTIVE]


def test_the_last_change_of_the_chat_is_taken_back_though_others_were_asked_since(walked: SystemWorld) -> None:
    told = "My sister lives in Lisbon."
    offer = run("adaptive", walked, told).answer
    since = (told, offer, "thanks", "You are welcome.")
    answer = run("adaptive", walked, "undo that", history=since).answer
    assert answer == text("answer.direct.declined", "en", statement="“My sister lives in Lisbon”")
    again = run("adaptive", walked, "undo that", history=(*since, "undo that", answer, "thanks", "You are welcome."))
    assert again.answer == text("answer.direct.offered", "en", statement="“My sister lives in Lisbon”")
    assert [memory.status for memory in walked.memories.find()] == [MemoryStatus.PROPOSED]


def test_what_was_never_accepted_waits_again_once_its_end_is_taken_back(walked: SystemWorld) -> None:
    walked.memories.save(
        waiting := memory_of("I play the cello", status=MemoryStatus.PROPOSED, reason="memory.why.said")
    )
    listed = run("adaptive", walked, "Forget my cello.").answer
    asked = ("Forget my cello.", listed)
    answer = run("adaptive", walked, "yes please", history=asked).answer
    run("adaptive", walked, "wait, bring it back", history=(*asked, "yes please", answer))
    assert walked.memories.get(waiting.id).status is MemoryStatus.PROPOSED


@pytest.mark.parametrize("reply", ["no, keep the old one", "不，还是用原来的"])
def test_the_older_of_two_stays_when_told_so(walked: SystemWorld, reply: str) -> None:
    for place, words in enumerate(("Locker: 12", "Locker: 15")):
        waiting = memory_of(words, id=words, status=MemoryStatus.PROPOSED, reason="memory.why.said")
        walked.memories.save(replace(waiting, created_at=waiting.created_at + timedelta(days=place)))
    offer = text("answer.direct.offered", "en", statement="Locker: 15")
    run("adaptive", walked, reply, history=("My locker is 15.", offer))
    assert walked.memories.get("Locker: 12").status is MemoryStatus.PROPOSED
    assert walked.memories.get("Locker: 15").status is MemoryStatus.REJECTED


def test_a_statement_that_another_one_begins_with_is_another_one(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("Locker: 1", status=MemoryStatus.REJECTED))
    noted = run("adaptive", walked, "Remember that my locker is 12.", run_id="r1").answer
    run("adaptive", walked, "undo", history=("Remember that my locker is 12.", noted))
    assert {one.text: one.status for one in walked.memories.find()} == {
        "Locker: 1": MemoryStatus.REJECTED,
        "Locker: 12": MemoryStatus.REJECTED,
    }


def test_all_that_was_forgotten_at_once_is_as_it_was_once_it_is_taken_back(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("Dog: Rex"))
    walked.memories.save(memory_of("I have a cat", status=MemoryStatus.PROPOSED, reason="memory.why.said"))
    listed = run("adaptive", walked, "Forget everything you know about me.").answer
    asked = ("Forget everything you know about me.", listed)
    gone = run("adaptive", walked, "yes please", history=asked).answer
    assert {one.status for one in walked.memories.find()} == {MemoryStatus.REJECTED}
    run("adaptive", walked, "undo", history=(*asked, "yes please", gone))
    assert {one.text: one.status for one in walked.memories.find()} == {
        "Dog: Rex": MemoryStatus.ACTIVE,
        "I have a cat": MemoryStatus.PROPOSED,
    }


def test_what_was_replaced_is_replaced_again_once_the_undo_is_taken_back(walked: SystemWorld) -> None:
    walked.memories.save(older := memory_of("I live in Graz", id="older"))
    walked.memories.nearest = {older.id: 0.4}
    told, reply = "I live in Trieste now.", "yes, replace it"
    said = [told, run("adaptive", walked, told).answer]
    said += [reply, run("adaptive", walked, reply, history=said, run_id="r1").answer]
    for wanted in (MemoryStatus.ACTIVE, MemoryStatus.SUPERSEDED):
        said += ["undo", run("adaptive", walked, "undo", history=said, run_id="r1").answer]
        assert walked.memories.get(older.id).status is wanted


def test_an_older_change_is_not_taken_back_in_place_of_the_last_one(walked: SystemWorld) -> None:
    walked.memories.save(kept := memory_of("Locker: 12", run_id="r1"))
    noted = text("answer.direct.statement", "en", statement="Locker: 12")
    listed = f"{text('answer.direct.forget', 'en')}\n\n- Dog: Rex"
    history = ("My locker is 12, remember that.", noted, "Forget my dog.", listed)  # the dog was deleted by the button
    answer = run("adaptive", walked, "undo", history=history).answer
    assert answer == text("answer.direct.nothing_to_undo", "en")
    assert walked.memories.get(kept.id).status is MemoryStatus.ACTIVE


def test_a_yes_forgets_what_documents_told_too(walked: SystemWorld) -> None:
    told = memory_of("The lighthouse keeps a log", MemoryKind.CONCLUSION)
    walked.memories.save(told)
    listed = run("adaptive", walked, "Forget what you know about the lighthouse.").answer
    assert told.text in listed
    run("adaptive", walked, "yes please", history=("Forget what you know about the lighthouse.", listed))
    assert walked.memories.get(told.id).status is MemoryStatus.REJECTED


def test_a_request_to_forget_says_so_where_memory_is_off(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I play the cello"))
    answer = run("adaptive", walked, "Forget my cello.", use_memory=False).answer
    assert answer.startswith(text("answer.direct.forget_off", "en"))


def test_what_was_declined_and_is_said_again_is_offered_again(walked: SystemWorld) -> None:
    offer = run("adaptive", walked, "My sister lives in Lisbon.").answer
    run("adaptive", walked, "no thanks", history=("My sister lives in Lisbon.", offer))
    assert run("adaptive", walked, "My sister lives in Lisbon.").answer == offer
    assert [memory.status for memory in walked.memories.find()] == [MemoryStatus.PROPOSED]


@pytest.mark.parametrize(
    "message",
    [
        "Don't remember this, but I hate my boss",
        "Please don't remember this: I'm looking for a new job.",
        "别记，我讨厌我的老板",
    ],
)
def test_what_is_not_to_be_remembered_is_neither_kept_nor_offered(walked: SystemWorld, message: str) -> None:
    run("adaptive", walked, "Remember that my brother lives in Prague.")
    told = ("Remember that my brother lives in Prague.", "Noted: my brother lives in Prague")
    language = "en" if message.isascii() else "zh-hans"
    assert run("adaptive", walked, message, history=told).answer == text("answer.direct.unkept", language)
    assert [memory.text for memory in walked.memories.find()] == ["my brother lives in Prague"]


def test_a_statement_that_corrects_itself_is_of_its_own_subject(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("My brother Tomas lives in Prague"))
    told = ("Where does my brother live?", "You told me: My brother Tomas lives in Prague")
    run("adaptive", walked, "My mum's birthday is on 4 June, no wait, it's 5 June", history=told)
    assert {memory.text for memory in walked.memories.find()} == {
        "My brother Tomas lives in Prague",
        "Mum's birthday: on 5 June",
    }


def test_a_question_about_the_person_is_not_answered_from_memory_that_is_off(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I live in York"))
    answer = run("adaptive", walked, "Where do I live?", use_memory=False).answer
    assert answer == text("answer.direct.about_user_off", "en")


def test_a_count_of_what_one_has_is_a_statement(walked: SystemWorld) -> None:
    assert run("adaptive", walked, "I have two cats").answer == text(
        "answer.direct.offered", "en", statement="“I have two cats”"
    )


@pytest.mark.parametrize("question", ["Am I married?", "what sport do i do", "我结婚了吗？"])
def test_what_only_the_person_can_know_is_not_searched_in_documents(walked: SystemWorld, question: str) -> None:
    view = run("adaptive", walked, question)
    assert view.outcome == AnswerOutcome.DIRECT
    assert text("answer.direct.about_user_unknown", "zh-hans" if question.endswith("？") else "en") in view.answer


@pytest.mark.parametrize("question", ["What is my name?", "What's my name?", "What’s my name?"])
def test_a_name_among_other_words_is_told_however_the_question_is_spelt(walked: SystemWorld, question: str) -> None:
    run("adaptive", walked, "I'm Dana, head of the lab.")
    assert run("adaptive", walked, question).answer.startswith("**Dana**. You told me")


@pytest.mark.parametrize(
    ("told", "name", "question"),
    [
        ("I am Dana", "Name: Dana", "What is my name?"),
        ("I'm Dana and I run the office", "Name: Dana", "What is my name?"),
        ("I'm Mrs Collins.", "Name: Mrs Collins", "What am I called?"),
        ("我是林老师", "名字：林老师", "我叫什么？"),
        ("我是林老師，教三年級。", "名字：林老師", "我是誰？"),
    ],
)
def test_those_who_introduce_themselves_are_asked_whether_it_is_their_name(
    walked: SystemWorld, told: str, name: str, question: str
) -> None:
    assert name in run("adaptive", walked, told).answer
    value = name.partition("：" if "：" in name else ": ")[2]
    assert run("adaptive", walked, question).answer.startswith(f"**{value}**")


@pytest.mark.parametrize("told", ["I'm German", "I'm Dana's sister", "我是王小明的妈妈", "我是二年级的班主任"])
def test_what_one_is_and_the_name_of_another_is_not_kept_as_a_name(walked: SystemWorld, told: str) -> None:
    run("adaptive", walked, told)
    assert [memory.text for memory in walked.memories.find()] == [told]


@pytest.mark.parametrize("question", ["How many vacation days do I have?", "How many days off do I get each year?"])
def test_what_one_is_entitled_to_is_searched_in_documents(walked: SystemWorld, question: str) -> None:
    walked.memories.save(memory_of("I get up at six every day"))
    assert run("adaptive", walked, question).outcome != AnswerOutcome.DIRECT


def test_a_question_about_the_person_is_searched_where_documents_surely_answer_it(
    walked: SystemWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.agents.nodes.understood.is_in_documents", lambda *_: True)
    assert run("adaptive", walked, "Where do I work?").outcome != AnswerOutcome.DIRECT


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ("I am allergic to nuts", "I am at home now."),
        ("I am a nurse in Graz", "I am at home now."),
        ("I have a daughter called Mia", "I have a cold now."),
        ("I live in Graz", "I moved to Linux."),
        ("I live in Bergen and my dog is called Pixel", "I live in Porto now."),
        ("I live in Graz", "My friend moved to Madrid."),
        ("I live in Graz", "I'm in Lisbon for the week."),
        ("我住在台北", "我搬到三楼办公了"),
        ("Colleague: Tom", "My new colleague is Petra."),
        ("Phone: charging", "My phone is not charging, it is broken."),
        ("Phone: 55", "My New York phone is 123."),
    ],
)
def test_what_is_also_so_replaces_nothing(walked: SystemWorld, known: str, message: str) -> None:
    walked.memories.save(memory_of(known))
    answer = run("adaptive", walked, message, thread_id="chat").answer
    assert "replace" not in answer
    assert walked.memories.get(f"m-{known}").status is MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("I live in Bergen", "I moved to Oslo last week", "Where do I live now?"),
        ("我住在杭州", "我上周搬到上海了", "我现在住哪里？"),
    ],
)
def test_of_two_homes_that_are_remembered_the_newest_is_told(
    walked: SystemWorld, older: str, newer: str, question: str
) -> None:
    for days, told in ((1, newer), (0, older)):
        memory = memory_of(told)
        walked.memories.save(replace(memory, created_at=memory.created_at + timedelta(days=days)))
    walked.memories.nearest = {memory_of(older).id: 0.1, memory_of(newer).id: 0.6}
    assert newer in run("adaptive", walked, question).answer


def test_a_label_does_not_replace_another_statement_without_a_yes(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I work as a baker"))
    run("adaptive", walked, "My job is nurse.", thread_id="chat")
    assert "I work as a baker" in [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)]


def test_a_wish_to_forget_is_never_answered_with_placeholders(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("老周下个月调到成都工作"))
    assert "老周下个月调到成都工作" in run("adaptive", walked, "把老周的事忘了吧。").answer


@pytest.mark.parametrize(
    ("kept", "wish"),
    [
        ("I like green tea", "Please forget that I like green tea."),
        ("Wi-Fi password at the cabin: otter-pine-88", "Forget the Wi-Fi password at the cabin."),
        ("Blood type: 0 negative", "Delete my blood type from your memory."),
        ("我住在杭州", "请忘记我住在杭州。"),
    ],
)
def test_a_statement_can_be_named_to_be_forgotten(walked: SystemWorld, kept: str, wish: str) -> None:
    walked.memories.save(memory_of(kept))
    assert f"- {quoted([kept], 'en')}" in run("adaptive", walked, wish).answer


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ("Forget my cello.", ["“I play the cello”"]),
        ("Forget the daughter.", []),
        ("Forget my cat.", ["Cat: Lulu"]),
        ("Forget that my cat is called Lulu.", ["Cat: Lulu"]),
        ("Forget the name of my cat.", ["Cat: Lulu"]),
        ("请忘记我告诉你的狗。", ["狗：豆豆"]),
        ("忘掉我的狗。", ["狗：豆豆"]),
    ],
)
def test_only_what_says_it_is_named_to_be_forgotten_also_if_it_waits(
    walked: SystemWorld, wish: str, named: list[str]
) -> None:
    for at, kept in enumerate(["I'm a vegetarian", "Sister: Nora", "Cat: Lulu", "I drive a Volvo", "狗：豆豆"]):
        moment = timedelta(minutes=at)
        memory = memory_of(kept)
        walked.memories.save(replace(memory, thread_id="chat", created_at=memory.created_at + moment))
    walked.memories.save(memory_of("I play the cello", status=MemoryStatus.PROPOSED))
    answer = run("adaptive", walked, wish).answer
    assert re.findall("^- (.+)$", answer, re.MULTILINE) == named
    assert named or "find nothing" in answer


def test_what_the_last_answer_told_is_named_to_be_forgotten_by_a_pronoun(walked: SystemWorld) -> None:
    for kept in ("Cat: Lulu", "I drive a Volvo"):
        walked.memories.save(memory_of(kept))
    told = run("adaptive", walked, "What is my cat called?").answer
    answer = run("adaptive", walked, "delete that please", history=("What is my cat called?", told)).answer
    assert "- Cat: Lulu" in answer
    assert "Volvo" not in answer


def test_a_wish_to_forget_everything_names_all(walked: SystemWorld) -> None:
    for kept in ("Cat: Lulu", "I drive a Volvo"):
        walked.memories.save(memory_of(kept))
    answer = run("adaptive", walked, "Forget everything you know about me.").answer
    assert "search for" not in answer
    assert "- Cat: Lulu" in answer
    assert "- “I drive a Volvo”" in answer


@pytest.mark.parametrize(
    ("told", "question", "value"),
    [
        ("Remember that my cat is called Lulu.", "What is my cat called?", "**Lulu**"),
        ("Remember that my cat is called Lulu.", "What's the name of my cat?", "**Lulu**"),
        ("Remember that our dog is called Bixby.", "What is our dog's name?", "**Bixby**"),
        ("Remember that my sister is called Nora.", "What's my sister's name?", "**Nora**"),
        ("记住我的猫叫豆豆。", "我的猫叫什么？", "**豆豆**"),
        ("记住我的猫叫豆豆。", "我家猫的名字是什么？", "**豆豆**"),
    ],
)
def test_a_labelled_fact_answers_a_question_for_its_name(
    walked: SystemWorld, told: str, question: str, value: str
) -> None:
    walked.memories.save(memory_of("I have a boat called Tern"))
    run("adaptive", walked, told)
    assert value in run("adaptive", walked, question).answer


@pytest.mark.parametrize(
    ("kept", "question"),
    [
        ("Sister: Nora", "What is my daughter called?"),
        ("Cat: Lulu", "What is the name of my hamster?"),
        ("Cat: Lulu", "What is my friend's cat called?"),
        ("Cat: black", "What is the name of my cat?"),
        ("猫：黑色的", "我的猫叫什么？"),
    ],
)
def test_the_name_of_another_and_what_is_no_name_do_not_answer(walked: SystemWorld, kept: str, question: str) -> None:
    walked.memories.save(memory_of(kept))
    assert "**" not in run("adaptive", walked, question).answer


def test_preferences_are_not_listed_as_what_was_asked_for(walked: SystemWorld) -> None:
    run("adaptive", walked, "I prefer answers in bullet points.")
    answer = run("adaptive", walked, "Who am I?").answer
    assert "bullet" not in answer


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "What do you remember?",
        "What have I told you?",
        "List everything I told you.",
        "你记得我什么？",
        "你记得什么？",
        "我都告诉过你什么？",
        "你記得什麼？",
    ],
)
def test_everything_that_was_told_is_listed_by_kind(walked: SystemWorld, question: str) -> None:
    for told in ("Please remember that I prefer short answers.", "My name is Clara and I work in Lisbon."):
        run("adaptive", walked, told)
    view = run("adaptive", walked, question)
    assert view.outcome == AnswerOutcome.DIRECT
    facts, likes = view.answer.index("Clara"), view.answer.index("short answers")
    assert facts < likes
    assert walked.retriever.asked == []
    assert view.lists_what_was_told
    assert view.memories
    asked = Run("r", "t", "b", question, "adaptive", "built-in", RunStatus.DONE, datetime.now(UTC))
    assert not memories_part(asked, view)  # it lists more than were recalled


@pytest.mark.parametrize(
    "question",
    [
        "What do you remember about the boiler?",
        "What do you know about tides?",
        "What do I have to remember?",
        "What did I ask you before?",
        "Which documents have you saved?",
        "Which files have you stored?",
        "Who told the press about me?",
        "know " * 1500,
        "你记得我的生日吗？",
        "手册说要记住什么？",
    ],
)
def test_a_question_about_one_thing_lists_not_everything(walked: SystemWorld, question: str) -> None:
    assert not PersonalMessage(question).asks_for_all_of_self


def test_a_request_to_remember_is_no_question_about_oneself(walked: SystemWorld) -> None:
    answer = run("adaptive", walked, "Remember that my boss knows about me moving to Rome.").answer
    assert answer == "Noted: “my boss knows about me moving to Rome”"


@pytest.mark.parametrize(
    "question",
    [
        "What do you know about me?",
        "Can you tell me what you know about me?",
        "Which things have you saved?",
        "Do you still remember what I said to you?",
        "你記得我說過什麼？",
    ],
)
def test_a_question_for_all_that_is_known_is_one(question: str) -> None:
    assert PersonalMessage(question).asks_for_all_of_self


@pytest.mark.parametrize(
    "question",
    [
        "What did I tell you on 3 May 2025?",
        "What have I told you in May 2025?",
        "What did I tell you on 2025-05-03?",
        "2025年5月我告诉过你什么？",
    ],
)
def test_what_was_told_on_some_days_is_listed_by_the_days_of_memories(walked: SystemWorld, question: str) -> None:
    for words, day in (("I play the cello", 3), ("I sold the boat", 40)):
        walked.memories.save(replace(memory_of(words), created_at=datetime(2025, 4, 30, tzinfo=UTC) + timedelta(day)))
    answer = run("adaptive", walked, question).answer
    assert "I play the cello" in answer
    assert "boat" not in answer


def test_where_nothing_was_told_on_the_days_nothing_else_is_listed(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I play the cello"))
    answer = run("adaptive", walked, "What did I tell you in May 2019?").answer
    assert answer == text("answer.direct.about_user_unknown", "en")


def test_of_many_memories_the_newest_are_listed_and_the_others_counted(walked: SystemWorld) -> None:
    for at in range(LISTED + 2):
        walked.memories.save(memory_of(f"Fact number {at}", MemoryKind.FACT))
    answer = run("adaptive", walked, "What do you remember?").answer
    assert answer.count("\n- ") == LISTED
    assert "2 more are on the Memory page." in answer


def test_a_plain_statement_is_offered_once_and_not_searched(walked: SystemWorld) -> None:
    told = "My favourite warehouse is the one in Lyon."
    assert "Favourite warehouse: the one in Lyon" in run("adaptive", walked, told).answer
    (offered,) = walked.memories.find()
    assert offered.status is MemoryStatus.PROPOSED
    assert walked.retriever.asked == []
    assert "Shall I remember" not in run("adaptive", walked, told).answer
    assert len(walked.memories.find()) == 1


def test_what_was_offered_is_kept_once_it_is_asked_for(walked: SystemWorld) -> None:
    run("adaptive", walked, "My favourite warehouse is the one in Lyon.")
    answer = run("adaptive", walked, "Please remember that my favourite warehouse is the one in Lyon.").answer
    assert answer == "Noted: Favourite warehouse: the one in Lyon"
    (kept,) = walked.memories.find()
    assert kept.status is MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    ("told", "kept", "question", "answer"),
    [
        ("I am vegetarian.", "I am vegetarian", "Who developed KelpNet?", "Lena Vogt"),
        ("I am vegetarian.", "I am vegetarian", "Which recipes could I cook?", "Shall I remember this?"),
        ("我吃素。", "我吃素", "哪些菜可以做？", "要我记住这条吗？"),
    ],
)
def test_what_is_told_beside_a_question_is_offered(
    walked: SystemWorld, told: str, kept: str, question: str, answer: str
) -> None:
    view = run("adaptive", walked, f"{told} {question}")
    assert answer in view.answer
    (offered,) = walked.memories.find()
    assert (offered.text, offered.status) == (kept, MemoryStatus.PROPOSED)
    assert [saved.memory_id for step in view.steps for saved in step.saved] == [offered.id]


@pytest.mark.parametrize("told", ["I lost my key.", "My order has not arrived.", "我忘了密码。"])
def test_a_trouble_beside_a_question_is_not_offered(walked: SystemWorld, told: str) -> None:
    run("adaptive", walked, f"{told} Who developed KelpNet?")
    assert walked.memories.find() == []


@pytest.mark.parametrize("yes", ["Yes, please remember it.", "yes", "ok", "好的，请记住"])
def test_yes_to_an_offer_keeps_what_was_offered(walked: SystemWorld, yes: str) -> None:
    told = "My favourite warehouse is the one in Lyon."
    offer = run("adaptive", walked, told).answer
    history = (told, offer)
    assert "Favourite warehouse: the one in Lyon" in run("adaptive", walked, yes, history=history).answer
    (kept,) = walked.memories.find()
    assert kept.status is MemoryStatus.ACTIVE


def test_a_statement_that_no_document_answers_is_offered(walked: SystemWorld) -> None:
    told = "I keep the spare house key under the blue flowerpot."
    answer = run("adaptive", walked, told).answer
    assert "Shall I remember this?" in answer
    (offered,) = walked.memories.find()
    assert (offered.text, offered.status) == (told.rstrip("."), MemoryStatus.PROPOSED)
    run("adaptive", walked, "yes", history=(told, answer))
    assert walked.memories.find()[0].status is MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    "told",
    [
        "Ich wohne in Graz.",
        "Je m'appelle Claire.",
        "Ma maison est à Lyon.",
        "Mein Name ist Eva.",
    ],
)
def test_a_statement_in_german_or_french_is_offered_as_it_stands(walked: SystemWorld, told: str) -> None:
    assert "Shall I remember this?" in run("adaptive", walked, told).answer
    (offered,) = walked.memories.find()
    assert (offered.text, offered.status) == (told.rstrip("."), MemoryStatus.PROPOSED)


@pytest.mark.parametrize(
    "message",
    [
        "Ich suche den Bericht.",
        "Ich würde gerne wissen, wie tief das Meer ist.",
        "Ich frage mich, wie tief das Meer ist.",
        "Je veux le rapport.",
        "J'aimerais savoir quelle est la profondeur de la mer.",
        "Ma Bell was founded in 1877.",
    ],
)
def test_a_wish_and_a_name_in_german_or_french_are_no_statement(walked: SystemWorld, message: str) -> None:
    run("adaptive", walked, message)
    assert walked.memories.find() == []


@pytest.mark.parametrize(
    ("told", "question", "said"),
    [
        (
            "My sister lives in Lisbon.",
            "Where does my sister live?",
            "“My sister lives in Lisbon” (waiting for your approval)",
        ),
        ("My locker number is 274.", "What is my locker number?", "Locker number: 274 (waiting for your approval)"),
        ("我的姐姐住在里斯本。", "我的姐姐住在哪里？", "“我的姐姐住在里斯本”（待您确认）"),
        ("我的貓叫小黑。", "我的貓叫什麼名字？", "貓：小黑（待您確認）"),
    ],
)
def test_a_question_that_only_a_waiting_statement_answers_says_so(
    walked: SystemWorld, told: str, question: str, said: str
) -> None:
    run("adaptive", walked, told)
    answer = run("adaptive", walked, question, thread_id="another").answer
    assert answer.partition("\n")[0].endswith(said)
    run("adaptive", walked, "yes", history=(question, answer), thread_id="another")
    (kept,) = walked.memories.find()
    assert kept.status is MemoryStatus.ACTIVE
    assert said not in run("adaptive", walked, question).answer


def test_what_waits_is_not_told_beside_what_is_known_or_of_another_thing(walked: SystemWorld) -> None:
    run("adaptive", walked, "Remember that I live in Graz.")
    walked.memories.save(replace(memory_of("I live in Porto"), status=MemoryStatus.PROPOSED))
    assert "Porto" not in run("adaptive", walked, "Where do I live?").answer
    assert "Porto" not in run("adaptive", walked, "What is my locker number?").answer


def test_of_what_waits_the_newest_is_told(walked: SystemWorld) -> None:
    for name in ("小黑", "小白"):
        waiting = replace(memory_of(f"貓：{name}"), status=MemoryStatus.PROPOSED, thread_id="chat")
        walked.memories.save(replace(waiting, created_at=waiting.created_at + timedelta(days=name == "小白")))
    assert "小黑" not in run("adaptive", walked, "我的貓叫什麼名字？").answer


def test_a_list_of_everything_counts_what_waits(walked: SystemWorld) -> None:
    run("adaptive", walked, "My favourite warehouse is the one in Lyon.")
    answer = run("adaptive", walked, "What do you know about me?").answer
    assert answer == "1 statement waits for your approval on the Memory page."


def test_yes_to_nothing_keeps_nothing(walked: SystemWorld) -> None:
    history = ("What is KelpNet?", "A network.")
    run("adaptive", walked, "Yes, please remember it.", history=history)
    assert walked.memories.find() == []


def test_a_name_is_replaced_in_every_wording(walked: SystemWorld) -> None:
    run("adaptive", walked, "Call me Mari", thread_id="chat")
    answer = run("adaptive", walked, "Call me Marianne instead", thread_id="chat").answer
    assert "It replaces what you told me before: Name: Mari" in answer
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == ["Name: Marianne"]


def test_a_newer_fact_supersedes_the_older_one_and_says_so(walked: SystemWorld) -> None:
    run("adaptive", walked, "My name is Alex.")
    answer = run("adaptive", walked, "My name is Sam.").answer
    assert "It replaces what you told me before: Name: Alex" in answer
    assert [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)] == ["Name: Sam"]
    assert "know that already" in run("adaptive", walked, "My name is Sam.").answer


@pytest.mark.parametrize(
    ("kept", "again", "answer"),
    [
        ("Locker number: 219", "My locker number is 219.", "I know that already: Locker number: 219"),
        ("车位：B12", "我的车位是B12。", "这一点我已经记下了：车位：B12"),
    ],
)
def test_a_statement_that_is_known_is_no_question_for_it(
    walked: SystemWorld, kept: str, again: str, answer: str
) -> None:
    walked.memories.save(memory_of(kept))
    assert run("adaptive", walked, again).answer == answer
    assert [memory.text for memory in walked.memories.find()] == [kept]


def test_what_is_to_be_forgotten_is_named_and_stays_until_it_is_confirmed(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I keep the anchors in Lyon"))
    walked.memories.save(memory_of("I drive a van"))
    view = run("adaptive", walked, "Forget what I told you about Lyon.")
    answer = view.answer
    assert [walked.memories.get(one).text for one in view.to_forget] == ["I keep the anchors in Lyon"]
    assert "I keep the anchors in Lyon" in answer
    assert "van" not in answer
    assert "Shall I forget this?" in answer
    assert len(walked.memories.find()) == 2
    nothing = run("adaptive", walked, "Forget what I told you about Mars.")
    assert "find nothing" in nothing.answer
    assert nothing.to_forget == ()
    walked.memories.save(memory_of("I drive to Lyon and to Porto"))
    assert "anchors" not in run("adaptive", walked, "Forget what I told you about Lyon and Porto.").answer


def test_a_memory_is_not_used_by_the_answer_that_names_it_to_be_forgotten(walked: SystemWorld) -> None:
    told = memory_of("鞋码：39")
    walked.memories.save(told)
    for question, used in (("忘掉我的鞋码。", ()), ("我的鞋码是多少？", (told,))):
        state = state_of(question, memory_ids=(told.id,), draft=Draft(answer="鞋码：39"))
        assert count_used(state, walked.deps()) == used


def test_a_memory_is_not_used_by_the_answer_that_notes_it(walked: SystemWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    told, used = "My favourite warehouse is the one in Lyon.", list[str]()
    offer = run("adaptive", walked, told, thread_id="chat").answer
    monkeypatch.setattr(walked.memories, "touch", lambda ids, run_id="": used.extend(ids))
    run("adaptive", walked, "yes", thread_id="chat", history=(told, offer))
    assert [memory.status for memory in walked.memories.find()] == [MemoryStatus.ACTIVE]
    assert used == []


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("朵朵下个月就满7岁了", "签约要满几岁？"),
        ("I edit a local newspaper in Oslo.", "Which places are mentioned?"),
    ],
)
def test_a_question_that_is_not_of_the_person_is_searched(walked: SystemWorld, told: str, question: str) -> None:
    walked.memories.save(memory_of(told))
    view = run("adaptive", walked, question)
    assert view.outcome != AnswerOutcome.DIRECT


def test_a_question_that_only_shares_words_with_a_memory_is_searched(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("Our buoys are calibrated every 60 days"))
    run("adaptive", walked, "How do I calibrate our buoys?")
    assert walked.retriever.asked


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        (
            "Hi, I keep goats. My sister is called Ada and I work in a dairy.",
            ["I keep goats", "Sister: Ada", "I work in a dairy"],
        ),
        ("我是护士。我家养了两只猫。", ["我是护士", "我家养了两只猫"]),
        ("I run marathons; my best time is 3:41.", ["I run marathons", "Best time: 3:41"]),
        ("When I am in Graz, my address is Murweg 1.", ["When I am in Graz, my address is Murweg 1"]),
        ("小王离职了，我的副手现在是李芳", ["小王离职了", "副手：李芳"]),
        ("我們的校慶是十月十日", ["我們的校慶：十月十日"]),
    ],
)
def test_each_fact_of_a_message_is_a_memory(walked: SystemWorld, told: str, kept: list[str]) -> None:
    offer = run("adaptive", walked, told).answer
    assert sorted(memory.text for memory in walked.memories.find()) == sorted(kept)
    if walked.memories.find(MemoryStatus.PROPOSED):
        run("adaptive", walked, "yes", history=(told, offer))
    assert {memory.status for memory in walked.memories.find()} == {MemoryStatus.ACTIVE}


@pytest.mark.parametrize(
    "told",
    [
        "The wifi code of our flat is plum-44.",
        "Biscuit, our dog, died in May.",
        "老公调到重庆去了。",
        "家里的门禁密码是5802。",
    ],
)
def test_what_tells_of_ones_life_without_a_first_person_is_offered(walked: SystemWorld, told: str) -> None:
    assert run("adaptive", walked, told).outcome == AnswerOutcome.DIRECT
    (offered,) = walked.memories.find()
    assert offered.status is MemoryStatus.PROPOSED


@pytest.mark.parametrize(
    "message",
    [
        "We reserve the right to change prices.",
        "Octopuses have three hearts.",
        "My bike makes a strange noise when I brake.",
        "我忘了路由器的密码。",
        "That is not what I meant.",
        "承租人应按月缴纳租金。",
    ],
)
def test_what_is_of_no_life_is_not_offered(walked: SystemWorld, message: str) -> None:
    run("adaptive", walked, message)
    assert walked.memories.find() == []


def test_what_was_said_later_and_waits_is_told_beside_what_is_known(walked: SystemWorld) -> None:
    run("adaptive", walked, "Remember that my locker code is 4417.")
    later = memory_of("My locker code is 7714", status=MemoryStatus.PROPOSED)
    walked.memories.save(replace(later, created_at=later.created_at + timedelta(days=1)))
    walked.memories.nearest = {memory.id: 0.1 for memory in walked.memories.find()}
    answer = run("adaptive", walked, "What is my locker code?").answer
    assert answer.index("4417") < answer.index("Later") < answer.index("7714") < answer.index("waiting")


def test_what_was_told_counts_as_used(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("I work as a nurse"))
    assert "I work as a nurse" in run("adaptive", walked, "What is my work?").answer
    assert walked.memories.touched


def test_what_waits_is_counted_where_nothing_is_known(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("Shoe size: 39", status=MemoryStatus.PROPOSED))
    answer = run("adaptive", walked, "What did I tell you about my job?").answer
    assert "find nothing" in answer
    assert "1 statement waits for your approval" in answer


def test_news_of_what_is_remembered_is_offered_though_it_was_searched(walked: SystemWorld) -> None:
    news = "Biscuit has been coughing."
    run("adaptive", walked, news)
    assert walked.memories.find() == []
    walked.memories.save(memory_of("Got a cat called Biscuit", id="m1"))
    walked.memories.nearest = {"m1": 0.46}
    assert "Shall I remember this?" in run("adaptive", walked, news).answer
    assert [memory.text for memory in walked.memories.find(MemoryStatus.PROPOSED)] == [news.rstrip(".")]


def test_a_correction_that_names_somebody_is_of_no_statement_on_something_else(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("我喜欢回答简短一点", MemoryKind.PREFERENCE))
    history = ("我喜欢回答简短一点。", "已记下：我喜欢回答简短一点")
    run("adaptive", walked, "不对，女儿是三年级。", history=history)
    assert "我喜欢回答简短一点" in [memory.text for memory in walked.memories.find(MemoryStatus.ACTIVE)]


def test_what_was_told_is_not_followed_by_what_was_said_of_others(walked: SystemWorld) -> None:
    told = memory_of("I live in Leeds")
    walked.memories.save(told)
    later = told.created_at + timedelta(days=1)
    walked.memories.save(memory_of("My brother Tomas lives in Prague, he's a vet", created_at=later))
    assert "Tomas" not in run("adaptive", walked, "Where do I live?").answer
