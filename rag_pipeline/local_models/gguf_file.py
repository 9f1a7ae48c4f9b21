"""Weights and tokenizer of a language model in a GGUF file, as far as small models use the format.

Format: github.com/ggml-org/ggml, docs/gguf.md; of its block formats Q4_1 (32 numbers a block: a scale, a least value
and four bits each) and Q8_0 (a scale and eight bits each).
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Array = npt.NDArray[Any]
_MAGIC, _VERSIONS = b"GGUF", (2, 3)
_SCALARS = ("B", "b", "H", "h", "I", "i", "f", "?", "", "", "Q", "q", "d")
"""Formats of the kinds of values by number; the two without one are text and list."""
_TEXT, _LIST = 8, 9
_BLOCK = 32
_Q4_1_BYTES, _Q8_0_BYTES = 20, 34
_HALF_BYTE = 15


@dataclass(frozen=True, slots=True)
class _TensorPlace:
    """Where the numbers of a tensor stand, its shape, and the number of their format."""

    start: int
    shape: tuple[int, ...]
    kind: int


class GgufFile:
    """A GGUF file: `fields` by name, `tensor(name)` as float16. Raises OSError, ValueError where it is none."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._at = 0
        magic, version, tensors, fields = self._data[:4], *self._numbers("4xIQQ")
        if magic != _MAGIC or version not in _VERSIONS:
            raise ValueError(f"{path.name} is no GGUF file of version 2 or 3.")
        self.fields: dict[str, Any] = {self._text(): self._value(*self._numbers("I")) for _ in range(fields)}
        self._places = dict(self._described() for _ in range(tensors))
        step = int(self.fields.get("general.alignment", 32))
        self._begin = -(-self._at // step) * step

    def tensor(self, name: str) -> Array:
        """Return the numbers of a tensor. Raises KeyError, ValueError for a block format that is not read here."""
        place = self._places[name]
        if place.kind not in _FORMATS:
            raise ValueError(f"{name} is stored in a format that is not read here.")
        length, unpacked = _FORMATS[place.kind]
        count = int(np.prod(place.shape))
        start = self._begin + place.start
        return unpacked(self._data[start : start + length(count)]).reshape(place.shape)

    @property
    def tensors(self) -> tuple[str, ...]:
        """The names of all tensors."""
        return tuple(self._places)

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Its byte pair encoding, digits one by one. Raises ValueError where the file has another tokenizer."""
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers

        if (self.fields["tokenizer.ggml.model"], self.fields["tokenizer.ggml.pre"]) != ("gpt2", "smollm"):
            raise ValueError("The tokenizer of the file is not read here.")
        pieces, merges = self.fields["tokenizer.ggml.tokens"], self.fields["tokenizer.ggml.merges"]
        pairs = [(left, right) for left, _, right in (each.partition(" ") for each in merges)]
        tokenizer = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, pairs))
        digits, pieces_of_bytes = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, pieces_of_bytes])  # type: ignore[assignment]
        tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
        return tokenizer

    def _numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self._at)
        self._at += struct.calcsize(f"<{form}")
        return found

    def _text(self) -> str:
        (length,) = self._numbers("Q")
        self._at += length
        return self._data[self._at - length : self._at].decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == _TEXT:
            return self._text()
        if kind == _LIST:
            inner, count = self._numbers("IQ")
            return [self._value(inner) for _ in range(count)]
        return self._numbers(_SCALARS[kind])[0]

    def _described(self) -> tuple[str, _TensorPlace]:
        name, (axes,) = self._text(), self._numbers("I")
        shape = tuple(reversed(self._numbers(f"{axes}Q")))  # the file names the axis that changes fastest first
        kind, start = self._numbers("IQ")
        return name, _TensorPlace(start, shape, kind)


def _q4_1(raw: bytes) -> Array:
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, _Q4_1_BYTES)
    scale, least = blocks[:, :4].copy().view(np.float16).astype(np.float32).T[:, :, None]
    bits, half = blocks[:, 4:], _BLOCK // 2
    found = np.empty((len(blocks), _BLOCK), np.float16)
    found[:, :half] = (bits & _HALF_BYTE) * scale + least
    found[:, half:] = (bits >> 4) * scale + least
    return found


def _q8_0(raw: bytes) -> Array:
    blocks = np.frombuffer(raw, np.uint8).reshape(-1, _Q8_0_BYTES)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    return (blocks[:, 2:].view(np.int8) * scale).astype(np.float16)


_FORMATS: dict[int, tuple[Callable[[int], int], Callable[[bytes], Array]]] = {
    0: (lambda count: 4 * count, lambda raw: np.frombuffer(raw, np.float32).astype(np.float16)),
    1: (lambda count: 2 * count, lambda raw: np.frombuffer(raw, np.float16)),
    3: (lambda count: count // _BLOCK * _Q4_1_BYTES, _q4_1),
    8: (lambda count: count // _BLOCK * _Q8_0_BYTES, _q8_0),
}
"""By number of the format: bytes of so many numbers, and how they become float16."""
