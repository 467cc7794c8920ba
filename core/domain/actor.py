"""Who makes a change: the only place that says so."""

from core.domain.people import acting


def actor() -> str:
    """The name of the person for whom the present work is done; empty on a desk that has only one."""
    person = acting()
    return person.name if person else ""
