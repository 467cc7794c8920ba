"""Summaries of communities by a model: kept for the same sentences, asked again for others."""

from dataclasses import replace

from core.graph.network.community_summary import (
    MAX_SUMMARY,
    CommunitySummaries,
    CommunitySummary,
    SummariseCommunityRequest,
)
from tests.fakes import FakeLlm, FakeMeter, RuleLlm

ASKED = SummariseCommunityRequest("en", ("KelpNet", "SeaLoom"), ("KelpNet feeds SeaLoom.", "SeaLoom is old."))


class Answers:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get(self, key: str) -> str:
        return self.kept.get(key, "")

    def put(self, key: str, answer: str) -> None:
        self.kept[key] = answer


def test_a_summary_is_asked_for_once_and_kept_for_its_sentences() -> None:
    answers, llm = Answers(), FakeLlm(summarise_community=CommunitySummary(summary="KelpNet\n feeds  SeaLoom. " * 60))
    summaries = CommunitySummaries(llm, answers)
    assert summaries.kept(ASKED) == ""
    written = summaries.write(ASKED, FakeMeter())
    assert written.startswith("KelpNet feeds SeaLoom. KelpNet")
    assert len(written) == MAX_SUMMARY
    assert summaries.kept(ASKED) == written
    assert summaries.kept(replace(ASKED, sentences=ASKED.sentences[:1])) == ""
    llm.engine = "another"
    assert summaries.kept(ASKED) == ""


def test_nothing_is_kept_of_a_model_that_fails() -> None:
    answers, meter = Answers(), FakeMeter()
    meter.degraded("summarise_community", "llm.timeout")
    assert CommunitySummaries(RuleLlm(), answers).write(ASKED, meter) == ""
    assert not answers.kept
