"""The kinds of unit that a setting chooses, in the order of the pipeline, and which settings are then read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag_pipeline.chunkers.base import Chunker, chunkers
from rag_pipeline.consolidators.base import consolidators
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.query_transforms.base import query_transforms
from rag_pipeline.registry import NoOptions, Registry, Unit
from rag_pipeline.rerankers.base import rerankers
from rag_pipeline.retrievers.base import Retriever, retrievers

NONE = "none"
ONLY_READ_BY = "it is only read by"


@dataclass(frozen=True, slots=True)
class Part:
    """A setting whose value is the key of a unit. `optional`: may be `none`. `named`: may be `key:NAME`."""

    field: str
    title: str
    registry: Registry[Any]
    optional: bool = False
    named: bool = False

    def unit(self, value: str) -> type[Unit] | None:
        """Return the chosen unit; None for `none`. Raises ConfigError naming what there is."""
        key, colon, name = value.partition(":")
        if self.optional and value == NONE:
            return None
        if not self.named or not colon:
            key, name = value, ""
        unit = self.registry.get(key, self.field, also=(NONE,) if self.optional else ())
        needs_name = getattr(unit, "needs_name", False)
        if needs_name and not name.strip():
            raise ConfigError(f"{self.title} {key} needs a model: write {key}:NAME, a name or a folder.", self.field)
        if name and not needs_name:
            raise ConfigError(f"{self.title} {key} takes no name: write {key}.", self.field)
        return unit

    def options(self, value: str) -> type[Any]:
        """Return the declared options of the chosen unit. Raises ConfigError."""
        unit = self.unit(value)
        return unit.Options if unit is not None else NoOptions

    def maybe(self, value: Any) -> type[Unit] | None:
        """Return the unit that a value means, None where it means none."""
        key = str(value).partition(":")[0] if self.named else str(value)
        found: type[Unit] | None = self.registry.find(key)
        return found


PARTS = (
    Part("chunker", "Chunker", chunkers),
    Part("query_transform", "Query transform", query_transforms, optional=True),
    Part("retriever", "Retriever", retrievers),
    Part("reranker", "Reranker", rerankers, optional=True, named=True),
    Part("consolidate", "Consolidation", consolidators, optional=True),
)

_CONTEXT_NAMES = frozenset(
    {"embedding", "embed_mode", "top_k", "prompt", "prompt_name", "context_budget"} | {part.field for part in PARTS}
)
_BEFORE_EVIDENCE = frozenset({"chunker", "embedding", "embed_mode", "query_transform", "reranker", "consolidate"})
_CHAT_NAMES = frozenset({"temperature", "max_tokens"})
_READER_NAMES = frozenset({"strictness"})


def option_names() -> set[str]:
    """Return the options of all units, chosen or not."""
    return {name for part in PARTS for unit in part.registry for name in unit.Options.model_fields}


def option_owners(name: str) -> list[str]:
    """Return which units read an option, in words, those of a kind together: chunker fixed, recursive."""
    owners = ((part, [unit.key for unit in part.registry if name in unit.Options.model_fields]) for part in PARTS)
    return [f"{part.title.lower()} {', '.join(keys)}" for part, keys in owners if keys]


def unread_names(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that these settings leave unread, each with the reason.

    `values` are flat settings, as complete as they are known; what is wrong in them counts as not chosen.
    """
    unread: dict[str, str] = {}
    if values.get("llm") == BUILTIN_READER:
        unread |= dict.fromkeys(_CHAT_NAMES, f"{BUILTIN_READER} does not read it")
    else:
        unread |= dict.fromkeys(_READER_NAMES, f"{ONLY_READ_BY} {BUILTIN_READER}")
    if not values.get("use_context", True):
        reason = "it is only read with context"
        return unread | dict.fromkeys(_CONTEXT_NAMES | option_names(), reason)
    unread["prompt_without_context"] = "it is only read without context"
    retriever = _retriever(values)
    if retriever is not None and retriever.needs_evidence:
        before = _BEFORE_EVIDENCE | option_names() - set(retriever.Options.model_fields)
        unread |= dict.fromkeys(before, f"the {retriever.label.lower()} retrieves the gold evidence itself")
    elif retriever is not None and not retriever.needs_vectors and not _embeds_elsewhere(values):
        unread |= dict.fromkeys(("embedding", "embed_mode"), f"{retriever.label} embeds nothing")
    read = {
        name
        for part in PARTS
        if part.field not in unread and (unit := part.maybe(values.get(part.field))) is not None
        for name in unit.Options.model_fields
    }
    for name in option_names() - read - set(unread):
        unread[name] = f"{ONLY_READ_BY} {' or '.join(option_owners(name))}"
    return unread


def needs_vectors(values: Mapping[str, Any]) -> bool:
    """Tell whether these settings search by vectors."""
    retriever = _retriever(values)
    return retriever is not None and retriever.needs_vectors


def _retriever(values: Mapping[str, Any]) -> type[Retriever] | None:
    return retrievers.find(str(values.get("retriever")))


def _embeds_elsewhere(values: Mapping[str, Any]) -> bool:
    """The embedding model or its tokenizer is also used to cut, and to count tokens."""
    chunker: type[Chunker] | None = chunkers.find(str(values.get("chunker")))
    cuts = chunker is not None and (
        getattr(chunker, "needs_embeddings", False)
        or ("chunk_unit" in chunker.Options.model_fields and values.get("chunk_unit") == "tokens")
    )
    return cuts or str(values.get("context_budget") or "0").strip() != "0"
