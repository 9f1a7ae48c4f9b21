"""What can be known to be wrong with a model before anything is asked of it."""

from __future__ import annotations

from importlib.util import find_spec

from rag_pipeline.errors import ConfigError, ProviderError, UsageError
from rag_pipeline.llm.prices import own_prices
from rag_pipeline.llm.providers import UnknownProviderError, missing_package, module_of
from rag_pipeline.llm.target import BUILTIN_READER, LOCAL, OPENAI, Target
from rag_pipeline.local_models.chat_weights import check_chat_weights
from rag_pipeline.runtime import configured_limits


def check_model(llm: str, field: str = "llm") -> None:
    """Raise ConfigError, naming `field`, for a missing key or package; UsageError for what no package here brings.

    Also for a wrong price file: every answer would be paid for, and lost. Nothing is sent: a model that passes may
    still be refused by its provider. The built-in reader always passes.
    """
    provider, _, name = llm.partition(":")
    if llm == BUILTIN_READER:
        return
    if provider == "builtin":
        raise UsageError(f"There is no built-in model called “{name}”. Choose {BUILTIN_READER}.", field)
    target = Target.create(provider, name)
    if prices_file := configured_limits().prices_file:
        own_prices(prices_file)
    try:
        if provider == LOCAL:
            check_chat_weights(name, field)
        elif provider == OPENAI:
            target.check_address()
            target.api_key()
        elif find_spec(module := module_of(target)) is None:
            raise missing_package(target, module)
    except UnknownProviderError as error:
        raise UsageError(str(error), field) from error
    except ProviderError as error:
        raise ConfigError(str(error), field) from error
