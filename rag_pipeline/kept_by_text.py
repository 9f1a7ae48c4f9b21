"""What is computed from whole documents and asked for again with every chunk size, kept by the hash of the text."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sized
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T", bound=Sized)

_SHORT = 5_000
"""Texts with fewer characters are quick to do again and are not kept: pieces of documents would push these out."""


class KeptByText(Generic[T]):
    """Results of `make` for the texts used last, as many as have a length of `most` in all. Keeps no text itself.

    Safe with several threads: two may compute the same text at once, none waits.
    """

    def __init__(self, make: Callable[[str], T], most: int) -> None:
        self._make = make
        self._most = most
        self._kept: OrderedDict[bytes, T] = OrderedDict()
        self._lock = Lock()

    def of(self, text: str) -> T:
        """Return the result for a text."""
        if len(text) < _SHORT:
            return self._make(text)
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._make(text)
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > 1 and sum(len(each) for each in self._kept.values()) > self._most:
                self._kept.popitem(last=False)
        return made
