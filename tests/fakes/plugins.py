"""An installed package with entry points: a folder on the import path, as pip would leave it."""

from collections.abc import Mapping
from pathlib import Path


def install(
    folder: Path, distribution: str, entry_points: Mapping[str, str], module: str, version: str = "1.0"
) -> None:
    """entry_points: "group:name" -> "module:object". module: source of the module `<distribution>`."""
    information = folder / f"{distribution}-{version}.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    lines: list[str] = []
    for key, value in entry_points.items():
        group, _, name = key.partition(":")
        lines += [f"[{group}]", f"{name} = {value}"]
    (information / "entry_points.txt").write_text("\n".join(lines))
    (folder / f"{distribution}.py").write_text(module, encoding="utf-8")
