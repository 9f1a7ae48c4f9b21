"""Bytes to text: byte order marks, declared and detected encodings, line ends."""

from __future__ import annotations

import codecs
import re

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
_MOST_CONTROL = 0.01
_SAMPLE = 256 * 1024


def decode(data: bytes, declared: str | None = None) -> tuple[str, str]:
    """Return (text with LF line ends, name of the encoding).

    In this order: byte order mark, UTF-8, `declared`, UTF-16 by its zero bytes, detection. Raises DocumentError for
    content that is not text.
    """
    _refuse_known_files(data)
    text, encoding = _decode(data, declared)
    if len(_CONTROL.findall(text[:_SAMPLE])) > _MOST_CONTROL * len(text[:_SAMPLE]):
        raise _not_text()
    return unix_lines(text.removeprefix("\ufeff")), encoding


def encoding_notes(encoding: str) -> tuple[str, ...]:
    """Return a remark for the user on an encoding that is not the usual one."""
    if encoding == "utf-8":
        return ()
    windows = re.fullmatch(r"cp(125\d)", encoding)
    name = f"Windows-{windows.group(1)}" if windows else encoding.upper().replace("_", "-")
    return (f"Read as {name}.",)


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
    for guess in (switching, "utf-8", known, _utf_16_by_zeros(data)):
        if guess and _decodes(data, guess):
            return data.decode(guess), guess
    return _detected(data)


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


def _detected(data: bytes) -> tuple[str, str]:
    if b"\0" in data:
        raise _not_text()
    from charset_normalizer import from_bytes

    matches = from_bytes(data[:_SAMPLE])
    # Western European code pages differ in a few letters and symbols; Windows' own is by far the most common.
    western = _decodes(data, "cp1252") and any(match.encoding in _WESTERN for match in matches)
    best = matches.best()
    for encoding in ("cp1252" if western else None, best.encoding if best else None):
        if encoding and _decodes(data, encoding):
            return data.decode(encoding), encoding
    raise DocumentError("The encoding of the file cannot be told. Save it as UTF-8 and upload it again.")


_WESTERN = {"cp1252", "latin_1", "iso8859_15", "cp850", "mac_roman"}


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _refuse_known_files(data: bytes) -> None:
    for magic, what in _KNOWN_FILES.items():
        if data.startswith(magic):
            raise DocumentError(f"By its content this is {what}, not text. Give the file its right extension.")


def _not_text() -> DocumentError:
    return DocumentError("The file holds binary data, not text.")
