"""What `make advisories` says of what pip-audit writes; pip-audit itself and its services are another host's."""

from typing import Any

from tests.advisories import LOCKS, ROOT, lists_of_pins, report


def package(*advisories: tuple[str, str, list[str]]) -> dict[str, Any]:
    vulns = [{"id": name, "aliases": [alias], "fix_versions": fixed} for name, alias, fixed in advisories]
    return {"name": "mill", "version": "1.0", "vulns": vulns}


UNKNOWN = {"name": "wheel-of-ours", "skip_reason": "Dependency not found on PyPI and could not be audited"}


def test_a_service_without_any_of_the_packages_is_not_taken_for_a_clean_result() -> None:
    lines, status = report([UNKNOWN, UNKNOWN], set())
    assert status == 0
    assert len(lines) == 1
    assert lines[0].startswith("SKIPPED: the service knows none of 2 pinned versions")


def test_an_advisory_is_named_with_the_release_that_mends_it() -> None:
    lines, status = report([package(("PYSEC-1", "CVE-2026-1", ["1.1"])), UNKNOWN], set())
    assert status == 1
    assert lines == [
        "FOUND: mill 1.0, PYSEC-1 = CVE-2026-1, mended by 1.1",
        "NOT LOOKED UP: the service does not know wheel-of-ours.",
        "Pinned versions looked up: 1; advisories to act on: 1; judged before: 0.",
    ]


def test_a_judged_advisory_is_named_and_fails_once_a_release_mends_it() -> None:
    judged = {"CVE-2026-1"}
    lines, status = report([package(("PYSEC-1", "CVE-2026-1", []))], judged)
    assert status == 0
    assert lines[0] == "judged in docs/threats.md: mill 1.0, PYSEC-1 = CVE-2026-1, no release mends it"
    assert report([package(("PYSEC-1", "CVE-2026-1", ["1.1"]))], judged)[1] == 1
    assert report([package(("PYSEC-1", "CVE-2026-1", []), ("PYSEC-2", "CVE-2026-2", []))], judged)[1] == 1


def test_every_pin_of_both_locks_is_looked_up_whatever_its_marker_says() -> None:
    texts = [(ROOT / lock).read_text(encoding="utf-8") for lock in LOCKS]
    lists = lists_of_pins(texts)
    pinned = {line.split()[0] for text in texts for line in text.splitlines() if line[:1].isalnum()}
    assert pinned == {pin for pins in lists for pin in pins}
    assert all(len({pin.partition("==")[0] for pin in pins}) == len(pins) for pins in lists)
