"""`make advisories`: advisories about the packages that the locks pin, looked up by pip-audit.

Where the index has packages but no advisories, pip-audit skips them all and reports that nothing was found: here
that counts as not looked up.
"""

import json
import re
import subprocess
import sys
import venv
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "tests/requirements.lock")
JUDGED_IN = "docs/threats.md"
TOOL = "pip-audit>=2.10,<3"


def lists_of_pins(locks: Iterable[str]) -> list[list[str]]:
    """What the locks pin for any system and Python; no list names a package twice, which pip-audit refuses."""
    versions: dict[str, list[str]] = {}
    for lock in locks:
        for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE):
            if version not in versions.setdefault(name, []):
                versions[name].append(version)
    most = max(map(len, versions.values()), default=0)
    return [[f"{name}=={each[turn]}" for name, each in versions.items() if turn < len(each)] for turn in range(most)]


def report(packages: list[Any], judged: set[str]) -> tuple[list[str], int]:
    """Lines and exit status for what pip-audit wrote. What was judged fails no more, until a release mends it."""
    known = [package for package in packages if "vulns" in package]
    unknown = [package["name"] for package in packages if "vulns" not in package]
    if not known:
        return [f"SKIPPED: the service knows none of {len(unknown)} pinned versions, so nothing is said about them."], 0
    lines, found, passed = [], 0, 0
    for package in known:
        for advisory in package["vulns"]:
            names = [advisory["id"], *advisory["aliases"]]
            mended = ", ".join(advisory["fix_versions"])
            is_judged = not mended and not judged.isdisjoint(names)
            passed, found = passed + is_judged, found + (not is_judged)
            lines.append(
                f"{f'judged in {JUDGED_IN}' if is_judged else 'FOUND'}: {package['name']} {package['version']}, "
                f"{' = '.join(names)}, {f'mended by {mended}' if mended else 'no release mends it'}"
            )
    if unknown:
        lines.append(f"NOT LOOKED UP: the service does not know {', '.join(sorted(unknown))}.")
    lines.append(f"Pinned versions looked up: {len(known)}; advisories to act on: {found}; judged before: {passed}.")
    return lines, int(found > 0)


def looked_up(pins: list[str], place: Path) -> list[Any]:
    requirements = place / "pins.txt"
    requirements.write_text("\n".join(pins), encoding="utf-8")
    options = ("--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off")
    packages = json.loads(_run(place / "bin/pip-audit", "--requirement", requirements, *options))["dependencies"]
    assert isinstance(packages, list)
    return packages


class _NoAnswer(Exception):
    pass


def _run(*command: str | Path) -> str:
    """What it wrote. pip-audit ends with 1 where it finds something and where it fails, but then it writes nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        raise _NoAnswer("no answer in five minutes") from None
    if done.returncode and not done.stdout.strip():
        raise _NoAnswer((done.stderr.strip() or "no reason given").splitlines()[-1])
    return done.stdout


def main() -> int:
    judged = set(re.findall(r"\bCVE-\d+-\d+", (ROOT / JUDGED_IN).read_text(encoding="utf-8")))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        venv.create(place, with_pip=True, symlinks=True)
        try:
            _run(place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", TOOL)
            pins = lists_of_pins((ROOT / lock).read_text(encoding="utf-8") for lock in LOCKS)
            lines, status = report([package for each in pins for package in looked_up(each, place)], judged)
        except _NoAnswer as error:
            lines, status = [f"SKIPPED: advisories cannot be looked up: {error}"], 0
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return status


if __name__ == "__main__":
    sys.exit(main())
