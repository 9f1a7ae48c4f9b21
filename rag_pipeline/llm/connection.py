"""Test connection: one short question to a model, answered to the user in a sentence."""

from __future__ import annotations

from dataclasses import replace

from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.providers import EXAMPLES
from rag_pipeline.runtime import ModelLimits, configured_limits

_QUESTION = "Reply with the single word: ready"
_LONGEST_REPLY = 32
_LONGEST_WAIT_S = 20.0  # somebody sits before the page


async def test_connection(llm: str) -> str:
    """Ask the model `provider:name` one word and say how that went.

    Raises ProviderError or ConfigError when it cannot be used, in the same words as a run would.
    """
    provider, _, name = llm.strip().partition(":")
    if provider == "builtin":
        return "The built-in reader is ready. It runs on this machine and needs no connection."
    if not provider or not name.strip():
        raise ConfigError(f"“{llm}” is not of the form provider:model. Write, for example, {EXAMPLES}.", "llm")
    model = ChatModel(provider, name.strip(), max_tokens=_LONGEST_REPLY, limits=_impatient(configured_limits()))
    reply = await model.ask(_QUESTION)
    cost = "Its price is unknown." if reply.usage.cost_usd is None else "Its price is known."
    return " ".join([f"{name.strip()} answered in {reply.latency_s:.1f} s.", cost, *model.settings.notes])


def _impatient(limits: ModelLimits) -> ModelLimits:
    return replace(limits, timeout_s=min(limits.timeout_s, _LONGEST_WAIT_S), max_retries=min(limits.max_retries, 1))


test_connection.__test__ = False  # type: ignore[attr-defined] # pytest would take the name for a test's
