"""Which providers there are, which package brings each, and what to say when one cannot be used."""

from __future__ import annotations

from rag_pipeline.errors import ProviderError
from rag_pipeline.llm.target import Target

EXAMPLES = "openai:gpt-4.1-mini, anthropic:claude-sonnet-4-5, ollama:llama3.1, builtin:extractive"


class UnknownProviderError(ProviderError):
    """No package that is known here brings models of this provider."""


def module_of(target: Target) -> str:
    """Return the importable package behind a provider. Raises ProviderError when LangChain knows no such provider."""
    from langchain.chat_models.base import _BUILTIN_PROVIDERS  # the table of init_chat_model; it has no public name

    if target.provider not in _BUILTIN_PROVIDERS:
        raise UnknownProviderError(
            f"There is no model provider called “{target.provider}”. Write the model as provider:model, "
            f"for example {EXAMPLES}.",
            permanent=True,
        )
    return _BUILTIN_PROVIDERS[target.provider][0].partition(".")[0]


def embeddings_module_of(target: Target) -> str:
    """Return the importable package behind a provider of embeddings. Raises ProviderError for an unknown one."""
    from langchain.embeddings.base import _BUILTIN_PROVIDERS  # the table of init_embeddings; it has no public name

    if target.provider not in _BUILTIN_PROVIDERS:
        raise UnknownProviderError(
            f"There is no embedding provider called “{target.provider}”. Choose local, tuned, openai, or one of "
            f"LangChain's: {', '.join(sorted({*_BUILTIN_PROVIDERS} - {'openai'}))}.",
            permanent=True,
        )
    return _BUILTIN_PROVIDERS[target.provider][0].partition(".")[0]


def missing_package(target: Target, module: str, missing: str = "") -> ProviderError:
    """Return the error for a package that is not installed, or that lacks the module `missing` itself."""
    package = module.replace("_", "-")
    if not missing or missing.partition(".")[0] == module:
        said = f"Models of {target.provider} need the package {package}. Install it"
    else:
        said = f"The package {package} is installed but misses {missing}. Install it again"
    return ProviderError(
        f"{said} with “pip install {package}” in the workbench's environment and restart the workbench.",
        permanent=True,
    )


def incomplete(target: Target, error: Exception) -> ProviderError:
    """Return the error for a model that its package cannot set up."""
    line = " ".join(str(error).split())[:200]
    return ProviderError(
        f"{target.setting} cannot be used yet. Most often its key is missing: set {target.key_name} and restart the "
        f"workbench. The provider's package said: {line}",
        permanent=True,
    )
