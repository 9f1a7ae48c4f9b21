"""CoreSettings: the settings of a pipeline that do not belong to one unit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.consolidators.base import consolidators
from rag_pipeline.extractive_qa.trained_model import default_strictness
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.query_transforms.base import query_transforms
from rag_pipeline.rerankers.base import rerankers
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.setting_fields import SettingInfo, Stage, UnitChoice
from rag_pipeline.settings import prompt_templates as prompts
from rag_pipeline.settings.conditions import (
    BUILT_IN_READER,
    CHUNKS,
    EMBEDDER,
    LANGUAGE_MODEL,
    SEARCH,
    WITH_CONTEXT,
    WITHOUT_CONTEXT,
)

NONE = "none"
DEFAULT_REFUSAL = "I am not aware of that topic"


def with_provider(value: str, *, model: bool) -> str:
    """Return the name of a model, or else of an embedding, with its provider. Raises ValueError."""
    provider, _, name = value.strip().partition(":")
    if not provider or not name.strip():
        example = "openai:gpt-4.1-mini" if model else "local:all-MiniLM-L6-v2"
        raise ValueError(f"“{value}” is not of the form provider:name, such as {example}.")
    return f"{provider}:{name.strip()}"


class CoreSettings(BaseModel):
    """Settings that do not belong to one unit, in the order of the pipeline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chunker: Annotated[
        str, SettingInfo(Stage.INDEX, units=UnitChoice(chunkers), read_by=(WITH_CONTEXT, SEARCH, CHUNKS))
    ] = Field("recursive", title="Chunker", description="How documents are cut.")
    embedding: Annotated[
        str, SettingInfo(Stage.INDEX, read_by=(WITH_CONTEXT, SEARCH, EMBEDDER), suggests="embeddings")
    ] = Field(
        "local:all-MiniLM-L6-v2",
        title="Embedding",
        description="local:NAME, local:PATH, openai:NAME, tuned:NAME, or provider:NAME of LangChain.",
    )
    embed_mode: Annotated[
        Literal["mean", "head", "late"], SettingInfo(Stage.INDEX, read_by=(WITH_CONTEXT, SEARCH, EMBEDDER))
    ] = Field(
        "mean",
        title="Long chunks",
        description="A chunk longer than the model reads: mean of its windows, or only its head. late reads documents "
        "as a whole instead: chunks are means of token vectors that know the text around them.",
    )
    index_kind: Annotated[
        Literal["auto", "flat", "hnsw", "ivf", "ivf_pq"],
        SettingInfo(Stage.INDEX, read_by=(WITH_CONTEXT, SEARCH, EMBEDDER), off="auto"),
    ] = Field(
        "auto",
        title="Index kind",
        description="flat searches exactly, the others approximately, with their recall shown. auto: flat up to a "
        "million chunks, then ivf. ivf_pq takes a third of the room of ivf.",
    )
    query_transform: Annotated[
        str,
        SettingInfo(
            Stage.RETRIEVAL, units=UnitChoice(query_transforms, optional=True), read_by=(WITH_CONTEXT, SEARCH), off=NONE
        ),
    ] = Field(NONE, title="Query transform", description="What is searched for.")
    retriever: Annotated[str, SettingInfo(Stage.RETRIEVAL, units=UnitChoice(retrievers), read_by=(WITH_CONTEXT,))] = (
        Field("dense", title="Retriever", description="How chunks are found.")
    )
    reranker: Annotated[
        str,
        SettingInfo(
            Stage.RETRIEVAL,
            units=UnitChoice(rerankers, optional=True, named=True),
            read_by=(WITH_CONTEXT, SEARCH),
            off=NONE,
        ),
    ] = Field(
        NONE, title="Reranker", description="none, llm (the chosen model), or cross_encoder:NAME (a name or a folder)."
    )
    top_k: Annotated[int, SettingInfo(Stage.RETRIEVAL, read_by=(WITH_CONTEXT,), unit="chunks", everyday=True)] = Field(
        4, ge=1, le=100, title="Top k", description="Chunks given to the model."
    )
    consolidate: Annotated[
        str,
        SettingInfo(
            Stage.RETRIEVAL, units=UnitChoice(consolidators, optional=True), read_by=(WITH_CONTEXT, SEARCH), off=NONE
        ),
    ] = Field(NONE, title="Consolidation", description="What of the chunks is given to the model.")
    context_budget: Annotated[
        int, SettingInfo(Stage.RETRIEVAL, read_by=(WITH_CONTEXT,), unit="tokens", off=0, redraws=True)
    ] = Field(
        0,
        ge=0,
        le=10_000_000,
        title="Context budget",
        description="Most tokens of context, as the embedding model counts; whole chunks are left out. 0: no limit.",
    )
    use_context: Annotated[bool, SettingInfo(Stage.PROMPT, redraws=True)] = Field(
        True, title="Use context", description="Off: the model alone, to see what retrieval adds."
    )
    prompt: Annotated[str, SettingInfo(Stage.PROMPT, read_by=(WITH_CONTEXT,), everyday=True, lines=8)] = Field(
        default_factory=prompts.default_prompt, title="Prompt", description="Template."
    )
    prompt_name: Annotated[str, SettingInfo(Stage.PROMPT, read_by=(WITH_CONTEXT,), label_only=True)] = Field(
        "", title="Prompt name", max_length=80, description="Shown in charts."
    )
    prompt_without_context: Annotated[str, SettingInfo(Stage.PROMPT, read_by=(WITHOUT_CONTEXT,), lines=3)] = Field(
        "{question}", title="Prompt without context", description="Sent when no context is used."
    )
    llm: Annotated[
        str, SettingInfo(Stage.ANSWER, in_model_calls=True, everyday=True, redraws=True, suggests="models")
    ] = Field(
        BUILTIN_READER, title="Model", description="builtin:extractive, or provider:model such as openai:gpt-4.1-mini."
    )
    temperature: Annotated[float, SettingInfo(Stage.ANSWER, read_by=(LANGUAGE_MODEL,), in_model_calls=True)] = Field(
        0.0, ge=0, le=2, title="Temperature", description="0 is the most repeatable."
    )
    max_tokens: Annotated[
        int, SettingInfo(Stage.ANSWER, read_by=(LANGUAGE_MODEL,), in_model_calls=True, unit="tokens")
    ] = Field(512, ge=1, le=100_000, title="Longest answer", description="In tokens.")
    strictness: Annotated[float, SettingInfo(Stage.ANSWER, read_by=(BUILT_IN_READER,), everyday=True)] = Field(
        default_factory=default_strictness,
        ge=0,
        le=1,
        title="Strictness",
        description="The built-in reader declines when the answer's probability is below this. 0: it always answers.",
    )
    refusal: Annotated[str, SettingInfo(Stage.PROMPT)] = Field(
        DEFAULT_REFUSAL, title="Refusal", description="What the bot says when it declines."
    )

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
