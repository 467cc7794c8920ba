"""A list of questions as a file that reading.py reads, written without a page to stop it."""

import json
from dataclasses import asdict

from core.models.meter import CountingMeter, Uncancelled
from core.runs.evaluation.model import Case


def line_of(case: Case) -> str:
    """One JSON object, without what is not expected."""
    fields = {name: value for name, value in asdict(case).items() if value and name != "id"}
    return json.dumps(fields, ensure_ascii=False)


def unstopped_meter() -> CountingMeter:
    """For work that ends with its process."""
    return CountingMeter(Uncancelled())
