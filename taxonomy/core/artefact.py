"""A trained model as one file: arrays in an npz container with a JSON header, never a pickle.

The header names the format, its version and the SHA-256 of everything else; a file that is cut,
changed, foreign or from a newer version is refused with its name. Writing goes through a temporary
file and a rename, so that a killed training leaves the old model in place.
"""

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.classifier.base import TopicScorer
from taxonomy.core.classifier.tree_index import TreeIndex
from taxonomy.core.features import Vocabulary

FORMAT = "focusadmin-topic-model"
FORMAT_VERSION = 1
LARGEST_BYTES = 4 * 1024**3

_HEADER = "header"
_PLAIN = (
    "kind",
    "is_mixture",
    "norm",
    "temperature",
    "length_exponent",
    "short_length",
    "doubt_exponent",
)
_ARRAYS = ("data", "indices", "indptr", "bias", "offset", "scale", "words", "tree")

Arrays = dict[str, npt.NDArray[Any]]


class ArtefactError(FocusAdminError):
    """A model file that cannot be used; says which and why."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path.name} cannot be used as a model: {reason}")
        self.path, self.reason = path, reason


def save_model(path: Path, scorer: TopicScorer, facts: Mapping[str, Any] | None = None) -> str:
    """Write the model and `facts` (any JSON) about it; returns the checksum."""
    arrays = _arrays(scorer)
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "settings": {name: getattr(scorer, name) for name in _PLAIN},
        "common_words": sorted(scorer.common_words),
        "facts": dict(facts or {}),
    }
    header["checksum"] = checksum = _checksum(header, arrays)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    with unfinished.open("wb") as stream:
        members: dict[str, Any] = {_HEADER: _text(json.dumps(header)), **arrays}
        np.savez_compressed(stream, **members)
        stream.flush()
        os.fsync(stream.fileno())
    unfinished.replace(path)
    return checksum


def load_model(path: Path, expected: str = "") -> tuple[TopicScorer, dict[str, Any]]:
    """The model and its facts; `ArtefactError` if the file is not exactly what was saved.

    `expected` is the checksum that the registry remembers: a whole model of another tree under
    this name is refused too.
    """
    arrays = _read(path)
    header = _header(path, arrays)
    checksum = header.pop("checksum", None)
    if checksum != _checksum(header, arrays):
        raise ArtefactError(path, "its checksum does not match, the file is damaged or was changed")
    if expected not in ("", checksum):
        raise ArtefactError(path, "it is another model than the one that was saved by this name")
    try:
        return _scorer(header, arrays), dict(header["facts"])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ArtefactError(path, f"its parts do not fit together ({error})") from error


def stored_checksum(path: Path) -> str:
    """The checksum that a model file tells; only `load_model` makes sure that it fits."""
    return str(_header(path, _read(path)).get("checksum"))


def _arrays(scorer: TopicScorer) -> Arrays:
    weights = scorer.weights
    return {
        "data": weights.data,
        "indices": weights.indices,
        "indptr": weights.indptr,
        "bias": scorer.bias,
        "offset": scorer.offset,
        "scale": scorer.scale,
        "words": _text("\n".join(scorer.vocabulary.words)),
        "tree": _text(json.dumps(scorer.tree.lineages)),
    }


def _scorer(header: dict[str, Any], arrays: Arrays) -> TopicScorer:
    words = _string(arrays["words"]).split("\n") if len(arrays["words"]) else []
    tree = TreeIndex(tuple(tuple(names) for names in json.loads(_string(arrays["tree"]))))
    parts = (arrays["data"], arrays["indices"], arrays["indptr"])
    weights = sparse.csr_matrix(parts, shape=(len(words), len(tree)))
    weights.check_format(full_check=True)
    return TopicScorer(
        tree=tree,
        vocabulary=Vocabulary(words),
        weights=weights,
        bias=arrays["bias"],
        offset=arrays["offset"],
        scale=arrays["scale"],
        common_words=frozenset(header["common_words"]),
        **{name: header["settings"][name] for name in _PLAIN},
    )


def _read(path: Path) -> Arrays:
    try:
        with zipfile.ZipFile(path) as container:
            if sum(member.file_size for member in container.infolist()) > LARGEST_BYTES:
                raise ArtefactError(path, "it is larger than any model")
        with np.load(path, allow_pickle=False) as members:
            return {name: np.asarray(members[name]) for name in members.files}
    except FileNotFoundError as error:
        raise ArtefactError(path, "there is no such file") from error
    except (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        MemoryError,  # a few bytes can claim to be a huge array
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise ArtefactError(path, "it is not a model file, or it is damaged") from error


def _header(path: Path, arrays: Arrays) -> dict[str, Any]:
    try:
        header = json.loads(_string(arrays.pop(_HEADER)))
        found, version = header["format"], header["version"]
    except (KeyError, TypeError, ValueError) as error:
        raise ArtefactError(path, "it has no readable header") from error
    if found != FORMAT:
        raise ArtefactError(path, "it was not written by FocusAdmin")
    if version != FORMAT_VERSION:
        raise ArtefactError(
            path, f"it has format version {version}, this is version {FORMAT_VERSION}"
        )
    if set(arrays) != set(_ARRAYS):
        raise ArtefactError(path, "parts are missing or unknown")
    return dict(header)


def _checksum(header: Mapping[str, Any], arrays: Arrays) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for name in _ARRAYS:
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def _text(text: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def _string(array: npt.NDArray[Any]) -> str:
    return array.astype(np.uint8).tobytes().decode()
