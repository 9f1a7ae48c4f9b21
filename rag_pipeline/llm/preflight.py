"""What can be known to be wrong with a model before anything is asked of it."""

from __future__ import annotations

from importlib.util import find_spec

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.llm.providers import missing_package, module_of
from rag_pipeline.llm.target import OPENAI, Target


def check_model(llm: str, field: str = "llm") -> None:
    """Raise ConfigError, naming `field`, for a missing key, a missing package or an unknown provider.

    Nothing is sent: a model that passes may still be refused by its provider. The built-in reader always passes.
    """
    provider, _, name = llm.partition(":")
    if provider == "builtin":
        return
    target = Target.create(provider, name)
    try:
        if provider == OPENAI:
            target.check_address()
            target.api_key()
        elif find_spec(module := module_of(target)) is None:
            raise missing_package(target, module)
    except ProviderError as error:
        raise ConfigError(str(error), field) from error
