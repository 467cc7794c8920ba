"""RapidOCR behind one call: a picture to lines of text with boxes and confidence. Runs in the parser's child."""

import logging
import math
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from core.documents.parsing.ocr.installed import model_files
from core.documents.reading.layout import Recognised, RecognisedLine
from core.platform.files.atomic_file import write_atomically
from core.platform.type_adapters import adapter

Picture = NDArray[np.uint8]
"""Height x width x 3, blue first."""

LONGEST_SIDE = 2000
"""In pixels, some 170 dots an inch of an A4 page. Larger letters are not found better, and lines get lost."""
_LEAST_CONFIDENCE = 0.5
"""Below it a line is more likely to be a drawing."""
_TALL = 1.5
"""Ratio of height to width from which a line runs down the page."""
_ASKED_ABOUT_TURN = 9
_MOST_THREADS = 4
_LEAST_PIECE = 600
_OVERLAP = 60
"""Pixels that neighbouring pieces share: a line of letters is not higher."""


class OcrEngine:
    """Loads its models with the first picture; 0.6 GB at most with pictures of LONGEST_SIDE."""

    def __init__(self) -> None:
        self._engine: Any = None

    def read(self, picture: Picture) -> Recognised:
        """Lines in no particular order, boxes in pixels of the picture as it was given, also when it is turned."""
        if max(picture.shape[:2]) > LONGEST_SIDE:
            return self._read_in_pieces(picture)
        turned, lines = 0, self._detected(picture)
        if _is_sideways(lines):
            turned = 1
            lines = self._detected(np.rot90(picture))
        if self._is_upside_down(np.rot90(picture, turned), lines):
            turned += 2
            lines = self._detected(np.rot90(picture, turned))
        upright = np.ascontiguousarray(np.rot90(picture, turned))
        height, width = upright.shape[:2]
        return Recognised(width, height, tuple(self._recognised(upright, lines)), turned)

    def _read_in_pieces(self, picture: Picture) -> Recognised:
        """Reads a long strip, such as a whole web page, in pieces; a line belongs to the piece with its middle."""
        if picture.shape[1] > picture.shape[0]:
            return self._read_across(picture)
        height, width = picture.shape[:2]
        step = min(LONGEST_SIDE, max(_LEAST_PIECE, width)) - 2 * _OVERLAP
        lines: list[RecognisedLine] = []
        for top in range(0, height, step):
            start = max(0, top - _OVERLAP)
            piece = np.ascontiguousarray(picture[start : top + step + _OVERLAP])
            found = self._recognised(piece, self._detected(piece))
            placed = [replace(line, top=line.top + start, bottom=line.bottom + start) for line in found]
            lines += [line for line in placed if top <= line.middle < top + step]
        return Recognised(width, height, tuple(lines))

    def _read_across(self, picture: Picture) -> Recognised:
        """Shrinks a wide strip, because lines may run over its whole width."""
        import cv2

        height, width = picture.shape[:2]
        share = LONGEST_SIDE / width
        return self.read(cv2.resize(picture, (LONGEST_SIDE, max(1, round(height * share)))).astype(np.uint8))

    def _detected(self, picture: Picture) -> list[NDArray[np.float32]]:
        """Four corners of every line, in pixels."""
        from rapidocr.main import RapidOCRError

        engine = self._loaded()
        try:
            _, found = engine.detect_and_crop(np.ascontiguousarray(picture), {})
        except RapidOCRError:  # nothing is there
            return []
        return [np.asarray(corners, dtype=np.float32) for corners in found.boxes]

    def _is_upside_down(self, picture: Picture, lines: Sequence[NDArray[np.float32]]) -> bool:
        """Whether most of the widest lines are upside down, and are read better turned; short lines are unreliable."""
        widest = sorted(lines, key=_width, reverse=True)[:_ASKED_ABOUT_TURN]
        if not widest:
            return False
        engine = self._loaded()
        crops = engine.crop_text_regions(np.ascontiguousarray(picture), np.stack(widest))
        _, asked = engine.cls_and_rotate(crops)
        sure = [str(label) for label, confidence in asked.cls_res if confidence > 0.8]
        if 2 * sum(label == "180" for label in sure) <= len(widest):
            return False
        turned = [np.ascontiguousarray(np.rot90(crop, 2)) for crop in crops]
        return bool(np.mean(engine.recognize_txt(turned).scores) > np.mean(engine.recognize_txt(crops).scores))

    def _recognised(self, picture: Picture, lines: Sequence[NDArray[np.float32]]) -> list[RecognisedLine]:
        if not lines:
            return []
        engine = self._loaded()
        found = engine.recognize_txt(engine.crop_text_regions(picture, np.stack(lines)))
        return [
            RecognisedLine(text.strip(), *_around(corners), round(float(confidence), 3))
            for corners, text, confidence in zip(lines, found.txts, found.scores, strict=True)
            if text.strip() and confidence >= _LEAST_CONFIDENCE
        ]

    def _loaded(self) -> Any:
        if self._engine is None:
            import cv2
            from rapidocr import RapidOCR

            threads = max(1, min(_MOST_THREADS, os.cpu_count() or 1))
            cv2.setNumThreads(threads)
            self._engine = RapidOCR(
                params={
                    "Global.log_level": "error",
                    "EngineConfig.onnxruntime.intra_op_num_threads": threads,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                    "Rec.rec_batch_num": 1,
                    **{name: str(path) for name, path in model_files().items()},
                }
            )
            logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        return self._engine


def _is_sideways(lines: Sequence[NDArray[np.float32]]) -> bool:
    """Whether most of the text, by the length of its lines, runs down the page."""
    tall = [line for line in lines if _height(line) > _TALL * _width(line)]
    wide = [line for line in lines if _width(line) > _TALL * _height(line)]
    return sum(map(_height, tall)) > 2 * sum(map(_width, wide))


def _width(corners: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(corners[0] - corners[1]))


def _height(corners: NDArray[np.float32]) -> float:
    return float(np.linalg.norm(corners[0] - corners[3]))


def _around(corners: NDArray[np.float32]) -> tuple[float, float, float, float]:
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    return math.floor(left), math.floor(top), math.ceil(right), math.ceil(bottom)


class KeptReadings(OcrEngine):
    """Each picture is read once; the folder belongs to one file and may be deleted at any time."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def read(self, picture: Picture) -> Recognised:
        key = sha256(repr(picture.shape).encode() + picture.tobytes()).hexdigest()
        path = self._folder / f"{key}.json"
        with suppress(OSError, ValidationError):  # not there, or damaged
            known: Recognised = adapter(Recognised).validate_json(path.read_bytes())
            return known
        found = super().read(picture)
        write_atomically(path, adapter(Recognised).dump_json(found))
        return found
