"""Whether text in pictures can be read here: the package and the models inside it. Nothing is loaded or downloaded."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

NAME = "rapidocr"
_NEEDED = (NAME, "cv2", "onnxruntime")
_MODELS = {
    "Det.model_path": "PP-OCRv6_det_small.onnx",
    "Cls.model_path": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
    "Rec.model_path": "PP-OCRv6_rec_small.onnx",
}


@cache
def is_installed() -> bool:
    """Looked up once, because it is asked for each stage of a document."""
    return all(find_spec(name) for name in _NEEDED) and all(path.is_file() for path in model_files().values())


@cache
def identity() -> str:
    """Name and version; the package's own files are not looked up for each document."""
    return f"{NAME} {version(NAME)}"


def model_files() -> Mapping[str, Path]:
    """By the engine's own name of each setting; named so that it never looks for them elsewhere."""
    found = find_spec(NAME)
    folder = Path(found.origin).parent if found and found.origin else Path(NAME)
    return {setting: folder / "models" / file for setting, file in _MODELS.items()}
