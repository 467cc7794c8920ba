"""What people think of answers: thumbs, and the reason of a thumbs-down."""

from fastapi import APIRouter, Response
from pydantic import Field, model_validator

from core.interfaces.http.access import READ, WRITE, Opened
from core.interfaces.http.v1.shapes import In, Out
from core.platform.errors import NotFoundError
from core.runs.feedback import MAX_COMMENT, Complaint, Feedback, Verdict

router = APIRouter(prefix="/runs/{run_id}/feedback", tags=["runs"])


class FeedbackIn(In):
    verdict: Verdict
    complaint: Complaint | None = Field(default=None, description="what is wrong; only with a thumbs-down")
    comment: str = Field(default="", max_length=MAX_COMMENT)

    @model_validator(mode="after")
    def _fits(self) -> "FeedbackIn":
        if self.complaint and self.verdict is Verdict.UP:
            raise ValueError("a complaint needs the verdict down")
        return self


class FeedbackOut(Out):
    run_id: str
    verdict: Verdict
    complaint: Complaint | None
    comment: str


@router.get("", dependencies=[READ])
def get_feedback(services: Opened, run_id: str) -> FeedbackOut:
    """404 where nobody has given any."""
    run = services.runs.get(run_id)
    given = services.storage.records.feedback.of_thread(run.thread_id).get(run_id)
    if given is None:
        raise NotFoundError("api.problem.no_feedback")
    return FeedbackOut.model_validate(given)


@router.put("", dependencies=[WRITE])
def give_feedback(services: Opened, run_id: str, feedback: FeedbackIn) -> FeedbackOut:
    """In place of what was given before."""
    services.runs.get(run_id)
    comment = " ".join(feedback.comment.split())
    given = Feedback(run_id, feedback.verdict, feedback.complaint, comment)
    services.storage.records.feedback.give(given)
    return FeedbackOut.model_validate(given)


@router.delete("", status_code=204, response_class=Response, dependencies=[WRITE])
def withdraw_feedback(services: Opened, run_id: str) -> None:
    services.runs.get(run_id)
    services.storage.records.feedback.withdraw(run_id)
