"""What an engine is asked to run."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from core.models.local.ports import EngineLimits


@dataclass(frozen=True, slots=True)
class EngineOrder:
    path: str
    model: str
    """The name it goes by."""
    changed: int
    """When the file was changed last, so that another file of the same name is another order."""
    limits: EngineLimits

    @classmethod
    def of(cls, path: Path, model: str, limits: EngineLimits) -> "EngineOrder":
        return cls(str(path.resolve()), model, path.stat().st_mtime_ns, limits)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "EngineOrder":
        values = json.loads(text)
        return cls(**{**values, "limits": EngineLimits(**values["limits"])})
