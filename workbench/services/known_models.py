"""What to suggest where the name of a model is typed: the usual ones and those of earlier runs."""

from __future__ import annotations

from evaluation.models import Run
from rag_pipeline.embedders.tuned import tuned_names
from rag_pipeline.llm.target import BUILTIN_READER

_EMBEDDINGS = ("local:all-MiniLM-L6-v2", "openai:text-embedding-3-small", "openai:text-embedding-3-large")
_MODELS = ("openai:gpt-4.1-mini", "openai:gpt-4.1")
_MOST = 20


def known_models() -> list[str]:
    """Return models that answer."""
    return _known("pipeline__llm", (BUILTIN_READER, *_MODELS))


def known_judges() -> list[str]:
    """Return models that judge."""
    return _known("evaluation__judge", _MODELS)


def known_embeddings() -> list[str]:
    """Return models that embed, tuned ones among them."""
    return _known("pipeline__embedding", (*_EMBEDDINGS, *(f"tuned:{name}" for name in tuned_names())))


def _known(setting: str, shipped: tuple[str, ...]) -> list[str]:
    used = Run.objects.order_by().values_list(setting, flat=True).distinct()[:_MOST]
    return list(dict.fromkeys([*shipped, *(name for name in used if name)]))
