"""PipelineSpec: all settings of a pipeline as one checked, hashable value."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from rag_pipeline.embedders.base import embedders
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.trained_model import default_strictness
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.registry import Unit, first_problem
from rag_pipeline.settings import prompt_templates as prompts
from rag_pipeline.settings.parts import NONE, ONLY_READ_BY, PARTS, Part, needs_vectors, option_names, unread_names

M = TypeVar("M", bound=BaseModel)

DEFAULT_REFUSAL = "I am not aware of that topic"


def with_provider(value: str, *, model: bool) -> str:
    """Return the name of a model, or else of an embedding, with its provider. Raises ValueError."""
    provider, _, name = value.strip().partition(":")
    if not provider or not name.strip():
        example = "openai:gpt-4.1-mini" if model else "local:all-MiniLM-L6-v2"
        raise ValueError(f"“{value}” is not of the form provider:name, such as {example}.")
    return f"{provider}:{name.strip()}"


class CoreSettings(BaseModel):
    """Settings that do not belong to one unit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunker: str = Field("recursive", title="Chunker", description="How documents are cut.")
    embedding: str = Field(
        "local:all-MiniLM-L6-v2",
        title="Embedding",
        description="local:NAME, local:PATH, openai:NAME or tuned:NAME.",
    )
    embed_mode: Literal["mean", "head"] = Field(
        "mean",
        title="Long chunks",
        description="A chunk longer than the model reads: mean of its windows, or only its head.",
    )
    query_transform: str = Field(NONE, title="Query transform", description="What is searched for.")
    retriever: str = Field("dense", title="Retriever", description="How chunks are found.")
    reranker: str = Field(
        NONE, title="Reranker", description="none, llm (the chosen model), or cross_encoder:NAME (a name or a folder)."
    )
    top_k: int = Field(4, ge=1, le=100, title="Top k", description="Chunks given to the model.")
    consolidate: str = Field(NONE, title="Consolidation", description="What of the chunks is given to the model.")
    context_budget: int = Field(
        0,
        ge=0,
        le=10_000_000,
        title="Context budget",
        description="Most tokens of context, as the embedding model counts; whole chunks are left out. 0: no limit.",
    )
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
    strictness: float = Field(
        default_factory=default_strictness,
        ge=0,
        le=1,
        title="Strictness",
        description="The built-in reader declines when the answer's probability is below this. 0: it always answers.",
    )
    refusal: str = Field(DEFAULT_REFUSAL, title="Refusal", description="What the bot says when it declines.")

    @field_validator("embedding", "llm")
    @classmethod
    def _has_provider(cls, value: str, info: ValidationInfo) -> str:
        return with_provider(value, model=info.field_name == "llm")

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
_LABELS = frozenset({"prompt_name"})
_OFF = {"query_transform": NONE, "reranker": NONE, "consolidate": NONE, "context_budget": 0}
"""Steps that are switched off: left out of the fingerprint, so that a new step changes none of the earlier ones."""
_INDEX_NAMES = ("chunker", "embedding", "embed_mode")


@dataclass(frozen=True)
class PipelineSpec:
    """Checked settings: `core`, and the options of each chosen unit by the setting that chose it."""

    core: CoreSettings
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def create(
        cls, given: Mapping[str, Any] | None = None, *, drop_unread: bool = False, retrieves: bool = True
    ) -> PipelineSpec:
        """Check flat settings by name; values may be text.

        Raises ConfigError (with the field's name) for a wrong value, an unknown name, or a name that no chosen part
        reads. `drop_unread` leaves known but unread names out instead: for forms, which always send all fields.
        `retrieves`: False where contexts are given; then the model need not be able to do what finding them took.
        """
        values = dict(given or {})
        core = _validated(CoreSettings, {name: values.pop(name) for name in CORE_NAMES if name in values})
        unread = unread_names(core.model_dump() | values)
        units = {part: part.unit(getattr(core, part.field)) for part in PARTS}
        embedders.get(core.embedding.partition(":")[0], "embedding")
        steps = {part: unit for part, unit in units.items() if part.field not in unread} if retrieves else {}
        _refuse_what_builtin_cannot(core, steps)
        known = option_names()
        _refuse_unknown(set(values) - known)
        if drop_unread:
            values = {name: value for name, value in values.items() if name not in unread}
        else:
            _refuse_unread({name: unread[name] for name in given or {} if name in unread})
        options = {
            part.field: _validated(unit.Options, _take(values, unit.Options))
            for part, unit in units.items()
            if unit is not None and part.field not in unread
        }
        core = core.model_copy(update={"prompt_name": _prompt_name(core)})
        spec = cls(core, options)
        _refuse_few_candidates(spec)
        return spec

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings that are read, flat, JSON-ready; `create(settings)` gives an equal spec."""
        flat = self.core.model_dump()
        for options in self.options.values():
            flat |= options.model_dump()
        unread = unread_names(flat)
        return {name: value for name, value in flat.items() if name not in unread}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that changes an answer (the prompt's name does not, nor does a step that is switched off)."""
        off = {name for name, value in _OFF.items() if self.settings.get(name) == value}
        return digest({name: value for name, value in self.settings.items() if name not in _LABELS | off})

    @cached_property
    def index_fingerprint(self) -> str:
        """Hash of all that changes chunks or vectors; with the documents it names an index."""
        core = self.core.model_dump()
        return digest({name: core[name] for name in _INDEX_NAMES} | self.chunker_options.model_dump())

    @property
    def chunker_options(self) -> Any:
        """Options of the chunker; its defaults where none is read."""
        return self.options.get("chunker") or _validated(_part("chunker").options(self.core.chunker), {})

    @property
    def needs_vectors(self) -> bool:
        """True when chunks are searched by their embeddings."""
        return self.core.use_context and needs_vectors(self.settings)

    @property
    def needs_chunks(self) -> bool:
        """True when documents are cut at all: not without context, and not for the oracle."""
        return "chunker" in self.options

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


def _part(name: str) -> Part:
    return next(part for part in PARTS if part.field == name)


def _refuse_what_builtin_cannot(core: CoreSettings, units: Mapping[Part, type[Unit] | None]) -> None:
    """Refuse what only a language model can do. Raises ConfigError."""
    if core.llm != BUILTIN_READER:
        return
    if not core.use_context:
        raise ConfigError(
            "The built-in reader extracts answers from the documents and cannot run without context. "
            "Choose another model, or switch Use context on.",
            "use_context",
        )
    for part, unit in units.items():
        if unit is not None and getattr(unit, "needs_model", False):
            raise ConfigError(
                f"{part.title} {unit.key} needs a language model; the built-in reader cannot write. "
                f"Choose another model, or {part.title.lower()} none.",
                part.field,
            )


def _refuse_unread(unread: Mapping[str, str]) -> None:
    for name, reason in unread.items():
        mend = f"Choose what reads it, or leave {name} out" if reason.startswith(ONLY_READ_BY) else "Leave it out"
        raise ConfigError(f"{name} would change nothing: {reason}. {mend}.", name)


def _refuse_few_candidates(spec: PipelineSpec) -> None:
    """A reranker that sees fewer chunks than are asked for could not fill the answer's contexts."""
    candidates = getattr(spec.options.get("reranker"), "rerank_candidates", None)
    if candidates is not None and candidates < spec.core.top_k:
        raise ConfigError(
            f"Rerank candidates ({candidates}) must be at least top k ({spec.core.top_k}): "
            "the reranker chooses among them. Raise it, or lower top k.",
            "rerank_candidates",
        )


def _validated(model: type[M], given: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        field, message = first_problem(error)
        raise ConfigError(message, field or _guess_field(message, given)) from error


def _guess_field(message: str, given: Mapping[str, Any]) -> str:
    """Cross-field checks of pydantic carry no field; find the one that the message speaks of."""
    for name in ("chunk_overlap", "parent_overlap", "parent_size"):
        if message.startswith(name.replace("_", " ").capitalize()):
            return name
    if message.startswith("The prompt"):
        return "prompt"
    return next(iter(given), "")


def _take(values: dict[str, Any], options: type[BaseModel]) -> dict[str, Any]:
    return {name: values.pop(name) for name in options.model_fields if name in values}


def _refuse_unknown(names: set[str]) -> None:
    for name in sorted(names):
        known = set(CORE_NAMES) | option_names()
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]}?" if close else f" There are: {', '.join(sorted(known))}."
        raise ConfigError(f"There is no setting called {name}.{hint}", name)


def _prompt_name(core: CoreSettings) -> str:
    if core.prompt_name.strip():
        return core.prompt_name.strip()
    template = core.prompt.strip()
    for name, shipped in prompts.shipped_prompts().items():
        if shipped == template:
            return name
    return f"Custom {digest(template)[:4]}"


__all__ = ["CORE_NAMES", "DEFAULT_REFUSAL", "CoreSettings", "PipelineSpec", "digest"]
