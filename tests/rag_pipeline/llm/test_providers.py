"""Every provider of LangChain: the package that it needs is named, and docs/providers.md tells the truth."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.llm.providers import module_of
from rag_pipeline.llm.target import LOCAL, Target

DOCS = (Path(__file__).resolve().parents[3] / "docs" / "providers.md").read_text(encoding="utf-8")
PACKAGES = {
    "anthropic": "langchain-anthropic",
    "bedrock": "langchain-aws",
    "bedrock_converse": "langchain-aws",
    "cohere": "langchain-cohere",
    "google_genai": "langchain-google-genai",
    "google_vertexai": "langchain-google-vertexai",
    "groq": "langchain-groq",
    "mistralai": "langchain-mistralai",
    "nvidia": "langchain-nvidia-ai-endpoints",
    "ollama": "langchain-ollama",
}


@pytest.mark.parametrize(("provider", "package"), PACKAGES.items())
def test_a_missing_package_is_named_with_its_install_line(provider: str, package: str) -> None:
    if find_spec(package.replace("-", "_")) is not None:
        check_model(f"{provider}:some-model")
        return
    with pytest.raises(ConfigError) as caught:
        check_model(f"{provider}:some-model")
    said = str(caught.value)
    assert said.startswith(f"Models of {provider} need the package {package}.")
    assert f"pip install {package}”" in said
    assert "restart the workbench" in said


def test_each_example_of_the_docs_is_a_provider_with_the_package_that_it_names() -> None:
    rows = re.findall(r"^\|[^|]*\|[^|]*\| `([a-z_]+):[^`]*`[^|]*\| (nothing|`pip install ([a-z-]+)`) \|$", DOCS, re.M)
    assert {provider for provider, *_ in rows} >= {"openai", "azure_openai", "anthropic", "bedrock_converse", "ollama"}
    for provider, _, package in rows:
        module = module_of(Target.create(provider, "model"))
        assert module == (package or "langchain-openai").replace("-", "_"), provider


def test_the_examples_of_the_docs_set_a_model_of_a_known_provider_after_installing_its_package() -> None:
    examples = [block for block in re.findall(r"```\n(.*?)```", DOCS, re.S) if "--set llm=" in block]
    assert len(examples) >= 8
    for block in examples:
        provider = re.findall(r"--set llm=([a-z_]+):", block)[0]
        if provider == LOCAL:
            continue
        module = module_of(Target.create(provider, "model"))
        installs = re.findall(r"pip install ([a-z-]+)", block)
        assert installs == ([] if module == "langchain_openai" else [module.replace("_", "-")])


@pytest.mark.parametrize(
    ("provider", "key"),
    [
        ("anthropic", "ANTHROPIC_API_KEY"),
        ("azure_openai", "AZURE_OPENAI_API_KEY"),
        ("bedrock_converse", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"),
        ("google_genai", "GOOGLE_API_KEY"),
        ("mistralai", "MISTRAL_API_KEY"),
        ("groq", "GROQ_API_KEY"),
    ],
)
def test_the_key_that_a_message_asks_for_is_the_providers_own(provider: str, key: str) -> None:
    assert Target.create(provider, "model").key_name == key


def test_an_unknown_provider_is_answered_with_examples() -> None:
    with pytest.raises(ProviderError, match=r"no model provider called “gpt”.*for example openai:"):
        module_of(Target.create("gpt", "4"))
