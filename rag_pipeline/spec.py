"""PipelineSpec: all settings of a pipeline as one checked, hashable value."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from rag_pipeline import prompt as prompts
from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.embedders.base import embedders
from rag_pipeline.errors import ConfigError
from rag_pipeline.registry import first_problem
from rag_pipeline.retrievers.base import retrievers

M = TypeVar("M", bound=BaseModel)

BUILTIN_READER = "builtin:extractive"
DEFAULT_REFUSAL = "I am not aware of that topic"


class CoreSettings(BaseModel):
    """Settings that do not belong to one unit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunker: str = Field("recursive", title="Chunker", description="How documents are cut.")
    embedding: str = Field(
        "local:all-MiniLM-L6-v2",
        title="Embedding",
        description="local:NAME, local:PATH or openai:NAME.",
    )
    embed_mode: Literal["mean", "head"] = Field(
        "mean",
        title="Long chunks",
        description="A chunk longer than the model reads: mean of its windows, or only its head.",
    )
    retriever: str = Field("dense", title="Retriever", description="How chunks are found.")
    top_k: int = Field(4, ge=1, le=100, title="Top k", description="Chunks given to the model.")
    use_context: bool = Field(
        True, title="Use context", description="Off: the model alone, to see what retrieval adds."
    )
    prompt: str = Field(default_factory=prompts.default_prompt, title="Prompt", description="Template.")
    prompt_name: str = Field("", title="Prompt name", max_length=80, description="Shown in charts.")
    prompt_without_context: str = Field(
        "{question}", title="Prompt without context", description="Sent when no context is used."
    )
    llm: str = Field(
        BUILTIN_READER, title="Model", description="builtin:extractive, or provider:model such as openai:gpt-4.1-mini."
    )
    temperature: float = Field(0.0, ge=0, le=2, title="Temperature", description="0 is the most repeatable.")
    max_tokens: int = Field(512, ge=1, le=100_000, title="Longest answer", description="In tokens.")
    refusal: str = Field(
        DEFAULT_REFUSAL, min_length=1, title="Refusal", description="What the bot says when it declines."
    )

    @field_validator("embedding", "llm")
    @classmethod
    def _has_provider(cls, value: str) -> str:
        provider, _, name = value.strip().partition(":")
        if not provider or not name.strip():
            raise ValueError(f"“{value}” is not of the form provider:name, such as openai:gpt-4.1-mini.")
        return f"{provider}:{name.strip()}"

    @field_validator("refusal")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("The refusal cannot be empty: it is what the bot says when it declines.")
        return value.strip()

    @model_validator(mode="after")
    def _prompts_complete(self) -> CoreSettings:
        if self.use_context and "context" not in prompts.placeholders(self.prompt):
            raise ValueError(
                "The prompt has no {context}: the model would not see the documents. "
                "Put {context} where the retrieved text should stand, or switch Use context off."
            )
        template = self.prompt if self.use_context else self.prompt_without_context
        if "question" not in prompts.placeholders(template):
            raise ValueError("The prompt has no {question}. Put {question} where the user's question should stand.")
        return self


CORE_NAMES = tuple(CoreSettings.model_fields)
_RETRIEVAL_NAMES = frozenset({"chunker", "embedding", "embed_mode", "retriever", "top_k", "prompt", "prompt_name"})
_CHAT_NAMES = frozenset({"temperature", "max_tokens"})
_LABELS = frozenset({"prompt_name"})
_INDEX_NAMES = ("chunker", "embedding", "embed_mode")


@dataclass(frozen=True)
class PipelineSpec:
    """Checked settings: `core`, and the options of the chosen chunker and retriever."""

    core: CoreSettings
    chunker_options: Any
    retriever_options: Any

    @classmethod
    def create(cls, given: Mapping[str, Any] | None = None, *, drop_unread: bool = False) -> PipelineSpec:
        """Check flat settings by name; values may be text.

        Raises ConfigError (with the field's name) for a wrong value, an unknown name, or a name that no chosen part
        reads. `drop_unread` leaves known but unread names out instead: for forms, which always send all fields.
        """
        values = dict(given or {})
        core_given = {name: values.pop(name) for name in CORE_NAMES if name in values}
        core = _validated(CoreSettings, core_given)
        chunker = chunkers.get(core.chunker, "chunker").Options
        retriever = retrievers.get(core.retriever, "retriever").Options
        embedders.get(core.embedding.partition(":")[0], "embedding")
        if not core.use_context and core.llm == BUILTIN_READER:
            raise ConfigError(
                "The built-in reader extracts answers from the documents and cannot run without context. "
                "Choose another model, or switch Use context on.",
                "use_context",
            )
        if drop_unread:
            read = set(chunker.model_fields) | set(retriever.model_fields)
            values = {name: value for name, value in values.items() if name in read or name not in _known_names()}
        else:
            _refuse_unread_core(core, core_given)
        spec = cls(
            core=core.model_copy(update={"prompt_name": _prompt_name(core)}),
            chunker_options=_validated(chunker, _take(values, chunker)),
            retriever_options=_validated(retriever, _take(values, retriever)),
        )
        if values:
            raise _unread(next(iter(values)), spec)
        if not drop_unread and not core.use_context and given:
            _refuse_unread_options(given, chunker, retriever)
        return spec

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings that are read, flat, JSON-ready; `create(settings)` gives an equal spec."""
        unread = unread_core_names(self.core)
        flat = {name: value for name, value in self.core.model_dump().items() if name not in unread}
        if self.core.use_context:
            flat |= self.chunker_options.model_dump() | self.retriever_options.model_dump()
        return flat

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that changes an answer (the prompt's name does not)."""
        return digest({name: value for name, value in self.settings.items() if name not in _LABELS})

    @cached_property
    def index_fingerprint(self) -> str:
        """Hash of all that changes chunks or vectors; with the documents it names an index."""
        core = self.core.model_dump()
        return digest({name: core[name] for name in _INDEX_NAMES} | self.chunker_options.model_dump())

    @property
    def is_builtin_reader(self) -> bool:
        """True when answers are extracted, not written by a model."""
        return self.core.llm == BUILTIN_READER

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PipelineSpec) and self.settings == other.settings

    def changed(self, **settings: Any) -> PipelineSpec:
        """Return a copy with some settings changed; names that are no longer read are dropped."""
        base = dict(self.settings)
        if "prompt" in settings and "prompt_name" not in settings:
            base.pop("prompt_name", None)
        return PipelineSpec.create(base | settings, drop_unread=True)


def digest(value: Any) -> str:
    """Return 32 hex digits of the SHA-256 of a JSON-ready value, independent of key order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def unread_core_names(core: CoreSettings) -> set[str]:
    """Return the core settings that no chosen part reads."""
    unread = set() if not core.use_context else {"prompt_without_context"}
    if not core.use_context:
        unread |= _RETRIEVAL_NAMES
    if core.llm == BUILTIN_READER:
        unread |= _CHAT_NAMES
    return unread


def _refuse_unread_core(core: CoreSettings, given: Mapping[str, Any]) -> None:
    for name in given:
        if name in unread_core_names(core):
            reason = (
                f"{core.llm} does not read it"
                if name in _CHAT_NAMES
                else ("it is only read without context" if core.use_context else "it is only read with context")
            )
            raise ConfigError(f"{name} would change nothing: {reason}. Leave it out.", name)


def _refuse_unread_options(given: Mapping[str, Any], *options: type[BaseModel]) -> None:
    for name in given:
        if any(name in each.model_fields for each in options):
            raise ConfigError(f"{name} would change nothing: it is only read with context. Leave it out.", name)


def _validated(model: type[M], given: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        field, message = first_problem(error)
        raise ConfigError(message, field or _guess_field(message, given)) from error


def _guess_field(message: str, given: Mapping[str, Any]) -> str:
    """Cross-field checks of pydantic carry no field; find the one that the message speaks of."""
    if message.startswith("Chunk overlap"):
        return "chunk_overlap"
    if message.startswith("The prompt"):
        return "prompt"
    return next(iter(given), "")


def _take(values: dict[str, Any], options: type[BaseModel]) -> dict[str, Any]:
    return {name: values.pop(name) for name in options.model_fields if name in values}


def _option_owners() -> dict[str, list[str]]:
    owners: dict[str, list[str]] = {}
    for registry in (chunkers, retrievers):
        for unit in registry:
            for name in unit.Options.model_fields:
                owners.setdefault(name, []).append(f"{registry.kind} {unit.key}")
    return owners


def _known_names() -> set[str]:
    return set(CORE_NAMES) | set(_option_owners())


def _unread(name: str, spec: PipelineSpec) -> ConfigError:
    owners = _option_owners().get(name)
    if owners:
        return ConfigError(f"{name} is only read by {', '.join(owners)}. Choose that, or leave {name} out.", name)
    close = difflib.get_close_matches(name, _known_names(), n=1)
    hint = f" Did you mean {close[0]}?" if close else f" There are: {', '.join(sorted(_known_names()))}."
    return ConfigError(f"There is no setting called {name}.{hint}", name)


def _prompt_name(core: CoreSettings) -> str:
    if core.prompt_name.strip():
        return core.prompt_name.strip()
    template = core.prompt.strip()
    for name, shipped in prompts.shipped_prompts().items():
        if shipped == template:
            return name
    return f"Custom {digest(template)[:4]}"


__all__ = ["BUILTIN_READER", "CORE_NAMES", "DEFAULT_REFUSAL", "CoreSettings", "PipelineSpec", "digest"]
