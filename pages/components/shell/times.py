"""Points in time and durations in words."""

from datetime import UTC, datetime, timedelta, timezone

from core.platform.clock import utc_now
from pages.components.shell.language import t


def ago(moment: datetime, now: datetime | None = None) -> str:
    """Time since a moment in words; the date after two weeks, or for a moment in the future.

    A moment without a zone is UTC.
    """
    here = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    seconds = ((now or utc_now()) - here).total_seconds()
    if seconds < -60:
        return here.date().isoformat()
    if seconds < 60:
        return t("frame.ago.now")
    if seconds < 3600:
        return t("frame.ago.minutes", count=int(seconds // 60))
    if seconds < 86_400:
        return t("frame.ago.hours", count=int(seconds // 3600))
    days = int(seconds // 86_400)
    return t("frame.ago.days", count=days) if days < 15 else here.date().isoformat()


def time_of_day(moment: datetime, behind: int | None) -> str:
    """The time where the reader is. behind: minutes that their browser is behind UTC; None for the server's zone."""
    zone = None if behind is None else timezone(-timedelta(minutes=behind))
    return f"{moment.astimezone(zone):%H:%M:%S}"


def duration(seconds: float) -> str:
    """Duration in words: 12 ms, 0.35 s, 4.2 s, 2 min 5 s, 3 min."""
    if seconds < 0.1:
        return t("frame.duration.milliseconds", count=f"{seconds * 1000:.0f}")
    if seconds < 60:
        return t("frame.duration.seconds", count=f"{seconds:.2f}" if seconds < 1 else f"{seconds:.1f}")
    minutes, rest = divmod(int(seconds), 60)
    if rest:
        return t("frame.duration.minutes_and_seconds", minutes=minutes, seconds=rest)
    return t("frame.duration.minutes", minutes=minutes)
