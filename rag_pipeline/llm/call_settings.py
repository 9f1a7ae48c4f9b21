"""What is asked of a model besides the prompt, and doing without what it rejects."""

from __future__ import annotations

from dataclasses import dataclass, replace

_NAMES_ON_SCREEN = {"temperature": "Temperature", "max_tokens": "The longest answer (max_tokens)"}


@dataclass(frozen=True, slots=True)
class CallSettings:
    """Settings of a call. One that the model rejects becomes None (or False), and `notes` says so to the user.

    `new_limit_name`: whether the limit is sent as `max_completion_tokens`; None until a server has objected.
    """

    temperature: float | None = 0.0
    max_tokens: int | None = 512
    new_limit_name: bool | None = None
    stream_usage: bool = True
    json_schema: bool = True
    notes: tuple[str, ...] = ()

    def without(self, parameter: str, model: str) -> CallSettings | None:
        """Return settings without a parameter that `model` rejected; None when nothing is left to change."""
        if parameter == "response_format" and self.json_schema:
            return replace(self, json_schema=False)
        if parameter == "stream_options" and self.stream_usage:
            note = f"{model} does not count tokens while streaming."
            return replace(self, stream_usage=False, notes=(*self.notes, note))
        if parameter in {"max_tokens", "max_completion_tokens"} and self.max_tokens is not None:
            renamed = self._renamed(parameter)
            return renamed or self._left_out("max_tokens", model)
        if parameter == "temperature" and self.temperature is not None:
            return self._left_out("temperature", model)
        return None

    def _renamed(self, rejected: str) -> CallSettings | None:
        """Return settings with the limit's other name, which newer models want; None when both were tried."""
        if self.new_limit_name is None:
            return replace(self, new_limit_name=rejected == "max_tokens")
        return None

    def _left_out(self, name: str, model: str) -> CallSettings:
        note = f"{_NAMES_ON_SCREEN[name]} was left out: {model} does not accept it."
        emptied = replace(self, notes=(*self.notes, note))
        return replace(emptied, temperature=None) if name == "temperature" else replace(emptied, max_tokens=None)
