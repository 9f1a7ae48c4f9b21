"""Target: which model at which provider, and how to speak of it to the user."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from rag_pipeline.errors import ProviderError

OPENAI = "openai"
LOCAL = "huggingface"
"""The provider whose models run in this process."""
BUILTIN_READER = "builtin:extractive"
"""The model that asks no provider: it extracts answers on this machine."""
_OPENAI_HOST = "api.openai.com"
_NO_KEY = "not-needed"
_KEY_NAMES = {
    "anthropic": "ANTHROPIC_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "bedrock": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "bedrock_converse": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "google_vertexai": "GOOGLE_APPLICATION_CREDENTIALS",
    LOCAL: "HF_TOKEN",
    "ibm": "WATSONX_APIKEY",
    "mistralai": "MISTRAL_API_KEY",
    OPENAI: "OPENAI_API_KEY",
    "together": "TOGETHER_API_KEY",
}


@dataclass(frozen=True, slots=True)
class Target:
    """A model of a provider. `base_url` is empty for the provider's own address."""

    provider: str
    name: str
    base_url: str = ""

    @classmethod
    def create(cls, provider: str, name: str) -> Target:
        """Return the target with the address that the environment gives for `openai`."""
        base_url = os.environ.get("OPENAI_BASE_URL", "").strip().rstrip("/") if provider == OPENAI else ""
        return cls(provider, name, base_url)

    @property
    def setting(self) -> str:
        """`provider:name`, as written in the settings."""
        return f"{self.provider}:{self.name}"

    @property
    def is_compatible_server(self) -> bool:
        """True for a server that speaks OpenAI's protocol but is not OpenAI's."""
        return bool(self.base_url) and urlsplit(self.base_url).hostname != _OPENAI_HOST

    @property
    def place(self) -> str:
        """Who answers, as named in messages."""
        if self.is_compatible_server:
            return f"The server at {self.base_url}"
        return "OpenAI" if self.provider == OPENAI else f"The provider {self.provider}"

    @property
    def key_name(self) -> str:
        """The environment variable that holds the key."""
        return _KEY_NAMES.get(self.provider, f"{self.provider.upper()}_API_KEY")

    def api_key(self) -> str:
        """Return the key for an `openai` target. Raises ProviderError when it is missing or cannot be one.

        Servers on one's own machine usually want none, so that only OpenAI itself insists on it.
        """
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if not key and not self.is_compatible_server:
            raise ProviderError(
                "There is no key for OpenAI. Set OPENAI_API_KEY (in the environment or in .env) and restart the "
                "workbench, or set OPENAI_BASE_URL to a server that needs none.",
                permanent=True,
            )
        if not (key.isascii() and key.isprintable()):
            raise ProviderError(
                "OPENAI_API_KEY holds characters that no key has. Copy the key again and restart the workbench.",
                permanent=True,
            )
        return key or _NO_KEY

    def check_address(self) -> None:
        """Raise ProviderError when OPENAI_BASE_URL is no web address."""
        parts = urlsplit(self.base_url)
        if self.base_url and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ProviderError(
                f"OPENAI_BASE_URL is “{self.base_url}”, which is no web address. "
                "Write it like http://localhost:11434/v1 and restart the workbench.",
                permanent=True,
            )
