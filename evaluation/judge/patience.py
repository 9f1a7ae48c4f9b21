"""How long a judge that fails is asked on."""

from __future__ import annotations

from rag_pipeline.errors import ProviderError

_MOST_IN_A_ROW = 20


class Patience:
    """Bears with failing calls until it is clear that the judge cannot be used."""

    def __init__(self) -> None:
        self._failures = 0

    def note(self, failure: ProviderError | None) -> None:
        """Count an outcome. Raises ProviderError when the failure is permanent or one too many in a row."""
        self._failures = self._failures + 1 if failure else 0
        if failure is None:
            return
        if failure.permanent:
            raise failure
        if self._failures >= _MOST_IN_A_ROW:
            raise ProviderError(f"The judge failed {self._failures} times in a row, so scoring was stopped. {failure}")
