"""Bytes to text: byte order marks, declared and detected encodings, line ends."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from rag_pipeline.errors import DocumentError

_MARKS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KNOWN_FILES = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an Office document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"\x1f\x8b": "a compressed file",
    b"\x7fELF": "a program",
}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_NON_ASCII = re.compile(r"[^\x00-\x7f]+")
_LEAST_RIGHT = 10
"""Sequences of several bytes that are right for each wrong one; by chance hardly any is."""
_MOST_CONTROL = 0.01
_SAMPLE = 64 * 1024
_WESTERN = "cp1252"
_LEGACY = [
    _WESTERN, "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "koi8_r", "cp932", "euc_jp",
    "gb18030", "big5", "cp949",
]  # fmt: skip
"""What text files are still found in; more candidates give more wrong guesses."""

_CLOSE = 3.0
"""Per cent of odd character sequences by which two guesses do not differ."""


def decode(data: bytes, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Return (text with LF line ends, remarks for the user).

    In this order: byte order mark, UTF-16 by its zero bytes, UTF-8, `declared`, detection. Raises DocumentError for
    content that is not text.
    """
    _refuse_known_files(data)
    text, encoding = _decode(data, declared)
    if len(_CONTROL.findall(text[:_SAMPLE])) > _MOST_CONTROL * len(text[:_SAMPLE]):
        raise _not_text()
    damaged = 0 if _decodes(data, encoding) else text.count("\ufffd")
    return unix_lines(text.removeprefix("\ufeff")), tuple(_notes(encoding, damaged))


def unix_lines(text: str) -> str:
    """Return `text` with CRLF and CR as LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(data: bytes, declared: str | None) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            # A mark settles it: damaged bytes after it become replacement characters.
            return data.decode(encoding, errors="replace"), encoding
    known = _known_codec(declared)
    # Encodings that switch by escape sequences look like plain ASCII.
    switching = known if known and b"\x1b" in data else None
    for guess in (_utf_16_by_zeros(data), switching, "utf-8", known):
        if guess and _decodes(data, guess):
            return data.decode(guess), guess
    return _damaged_utf_8(data) or _detected(data)


def _notes(encoding: str, damaged: int) -> Iterator[str]:
    if encoding != "utf-8":
        windows = re.fullmatch(r"cp(125\d)", encoding)
        name = f"Windows-{windows.group(1)}" if windows else encoding.upper().replace("_", "-")
        yield f"Read as {name}."
    if damaged:
        yield f"{damaged} damaged character{'s' if damaged > 1 else ''} replaced."


def _known_codec(name: str | None) -> str | None:
    """Return a declared encoding as browsers read it (Latin-1 means Windows-1252), or None when unknown."""
    try:
        known = codecs.lookup(name or "")
    except LookupError:
        return None
    if not getattr(known, "_is_text_encoding", True):
        return None
    return "cp1252" if known.name in {"iso8859-1", "ascii"} else known.name


def _utf_16_by_zeros(data: bytes) -> str | None:
    """Text of mostly ASCII in UTF-16 has a zero in every second byte."""
    sample = data[:4096]
    if len(sample) < 4 or len(data) % 2:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) < 0.4 * len(sample) / 2 or min(even, odd) > 0.05 * len(sample) / 2:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _damaged_utf_8(data: bytes) -> tuple[str, str] | None:
    """Return UTF-8 text in which a few bytes are wrong; None when they are too many for that."""
    text = data.decode(errors="replace")
    wrong = text.count("\ufffd")
    right = sum(len(run) for run in _NON_ASCII.findall(text)) - wrong
    return (text, "utf-8") if right >= _LEAST_RIGHT * wrong else None


def _detected(data: bytes) -> tuple[str, str]:
    if b"\0" in data:
        raise _not_text()
    from charset_normalizer import from_bytes

    matches = from_bytes(_sample(data), cp_isolation=_LEGACY)
    best = matches.best()
    # Code pages that differ in a few letters look alike to statistics; Windows' Western one is by far the most common.
    western = best is None or any(
        _WESTERN in match.could_be_from_charset and match.percent_chaos <= best.percent_chaos + _CLOSE
        for match in matches
    )
    for encoding in (_WESTERN if best is None or western else best.encoding, _WESTERN):
        if _decodes(data, encoding):
            return data.decode(encoding), encoding
    raise DocumentError("The encoding of the file cannot be told. Save it as UTF-8 and upload it again.")


def _sample(data: bytes) -> bytes:
    """Return the beginning of long data up to a space, so that no character is cut in two."""
    if len(data) <= _SAMPLE:
        return data
    sample = data[:_SAMPLE]
    return sample[: max(sample.rfind(b"\n"), sample.rfind(b" ")) + 1] or sample


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeError:
        return False
    return True


def _refuse_known_files(data: bytes) -> None:
    for magic, what in _KNOWN_FILES.items():
        if data.startswith(magic):
            raise DocumentError(f"By its content this is {what}, not text. Give the file its right extension.")


def _not_text() -> DocumentError:
    return DocumentError("The file holds binary data, not text.")
