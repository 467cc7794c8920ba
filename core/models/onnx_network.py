"""Loads the networks that come with the code, which run in ONNX Runtime on one thread."""

from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

_LOADING = Lock()


def loaded_network(path: Path) -> tuple[Any, Any]:
    """Return the tokenizer beside the file, and the session, which a process has once.

    Raises what the two libraries raise, which is plain Exception.
    """
    with _LOADING:  # two threads that come first would both load it
        return _loaded(path)


@cache
def _loaded(path: Path) -> tuple[Any, Any]:
    import onnxruntime  # type: ignore[import-untyped]  # it ships no types
    from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # they keep memory and save no time
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    tokenizer = Tokenizer.from_file(str(path.with_name("tokenizer.json")))
    tokenizer.encode_special_tokens = True  # "</s>" in a document is text
    return tokenizer, session
