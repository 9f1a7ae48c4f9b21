"""A model's words as they can be stored and scored: whole characters, without what it thought aloud beforehand."""

from __future__ import annotations

_THOUGHTS, _THOUGHTS_END = "<think>", "</think>"


def storable(text: str) -> str:
    """Return the text with the halves of a character joined; what no database takes (half of one, NUL) is replaced."""
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "\ufffd")


def without_thoughts(text: str) -> str:
    """Return the answer alone: some servers leave a model's thoughts in its text, not always with their beginning."""
    if text.lstrip().startswith(("{", "[")):
        return text  # JSON may speak of the marks
    thoughts, end, answer = text.partition(_THOUGHTS_END)
    if text.lstrip().startswith(_THOUGHTS) or (end and _THOUGHTS not in thoughts):
        return answer.lstrip()
    return text


class Pieces:
    """The pieces of a stream on their way to whoever reads along: thoughts and half a character are held back."""

    def __init__(self) -> None:
        self._come: list[str] = []
        self._held = ""
        self._answering = False

    @property
    def answer(self) -> str:
        """The answer in all that came."""
        return without_thoughts(storable("".join(self._come)))

    def __bool__(self) -> bool:
        return bool(self._come)

    def add(self, piece: str) -> str:
        """Return what can be read now; empty where nothing can."""
        if piece:
            self._come.append(piece)
        self._held += piece
        if not self._answering and not self._answer_begins():
            return ""
        self._answering = True
        half = self._held[-1:] if "\ud800" <= self._held[-1:] <= "\udbff" else ""
        ready = self._held[: len(self._held) - len(half)]
        self._held = half
        return storable(ready)

    def rest(self) -> str:
        """Return what was held at the end and is no thought."""
        return "" if self._held.lstrip().startswith(_THOUGHTS) else storable(self._held)

    def _answer_begins(self) -> bool:
        """Return whether what is held is part of the answer; thoughts that have ended are dropped."""
        begun = self._held.lstrip()
        if begun.startswith(_THOUGHTS) and _THOUGHTS_END in begun:
            self._held = begun.partition(_THOUGHTS_END)[2].lstrip()
            return True
        return not (begun.startswith(_THOUGHTS) or _THOUGHTS.startswith(begun))
