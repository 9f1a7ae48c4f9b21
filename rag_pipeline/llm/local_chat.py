"""A LangChain chat model that runs in this process: `huggingface:NAME`, a name of the hub or a folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from rag_pipeline.local_models.chat_weights import AnswerPiece, chat_weights


class LocalChatModel(BaseChatModel):
    """Asks some `weights`, by name, one prompt; they are loaded with the first, once for a process."""

    weights: str
    temperature: float = 0.0
    max_tokens: int = 512

    @property
    def _llm_type(self) -> str:
        return "local"

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        prompt = "\n".join(str(message.text) for message in messages)
        for piece in chat_weights(self.weights).write(prompt, self.max_tokens, self.temperature):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece.text, **_facts(piece)))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        pieces = list(self._stream(messages))
        last = pieces[-1].message
        message = AIMessage(
            content="".join(str(piece.message.text) for piece in pieces),
            response_metadata=last.response_metadata,
            usage_metadata=last.usage_metadata,  # type: ignore[attr-defined]
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def _facts(piece: AnswerPiece) -> dict[str, Any]:
    """Return what the last piece says of the whole answer, by LangChain's names."""
    if not piece.finish:
        return {}
    tokens = {"input_tokens": piece.prompt_tokens, "output_tokens": piece.completion_tokens}
    total = piece.prompt_tokens + piece.completion_tokens
    return {
        "response_metadata": {"finish_reason": piece.finish},
        "usage_metadata": tokens | {"total_tokens": total},
    }
