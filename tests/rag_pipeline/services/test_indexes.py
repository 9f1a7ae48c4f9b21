"""Indexes: kept by content, so that only what was never seen is embedded."""

from __future__ import annotations

import numpy as np
import pytest

from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Index
from rag_pipeline.services.indexes import IndexEstimate, build_index, estimate, is_built, open_index, preview_chunks
from rag_pipeline.services.pipelines import search
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import ROSETTA, make_corpus

pytestmark = pytest.mark.django_db
LONG = "\n\n".join(f"Paragraph {number}. {ROSETTA}" for number in range(12))


def spec(**settings: object) -> PipelineSpec:
    return PipelineSpec.create({"embedding": "words:counts", "chunk_size": 300, "chunk_overlap": "0"} | settings)


def build(corpus, **settings) -> list:
    return list(build_index(corpus=corpus, spec=spec(**settings)))


def test_a_second_build_embeds_nothing():
    corpus = make_corpus(files={"long.txt": LONG})
    before = estimate(corpus=corpus, spec=spec())
    assert 0 < before.to_embed <= before.chunks
    steps = build(corpus)
    assert steps[-1].done == steps[-1].total == before.to_embed
    assert estimate(corpus=corpus, spec=spec()).to_embed == 0
    assert build(corpus) == []


def test_changing_the_prompt_or_top_k_embeds_nothing_and_makes_no_index():
    corpus = make_corpus(files={"long.txt": LONG})
    build(corpus)
    changed = spec(prompt="{context} {question}", top_k=9)
    assert estimate(corpus=corpus, spec=changed).to_embed == 0
    list(build_index(corpus=corpus, spec=changed))
    assert Index.objects.count() == 1


def test_changing_the_size_embeds_only_texts_never_seen():
    corpus = make_corpus(files={"long.txt": LONG, "short.txt": "A text of one chunk at any size."})
    build(corpus)
    bigger = estimate(corpus=corpus, spec=spec(chunk_size=600))
    assert bigger.to_embed < bigger.chunks  # the short document's chunk is known


def test_a_new_document_embeds_only_its_own_chunks():
    from rag_pipeline.services.corpora import import_documents

    corpus = make_corpus(files={"long.txt": LONG})
    build(corpus)
    import_documents(corpus=corpus, files=[("new.txt", b"Granodiorite is a coarse-grained rock.")])
    assert estimate(corpus=corpus, spec=spec()).to_embed == 1


def test_the_index_comes_back_from_disk_as_it_was_built():
    corpus = make_corpus(files={"long.txt": LONG})
    first = open_index(corpus=corpus, spec=spec())
    again = open_index(corpus=corpus, spec=spec())
    np.testing.assert_array_equal(first.spans, again.spans)
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert [first.text(row) for row in range(len(first))] == [LONG.strip()[s:e] for _, s, e in first.spans.tolist()]


def test_a_damaged_index_is_built_again(data_dir):
    corpus = make_corpus(files={"long.txt": LONG})
    whole = open_index(corpus=corpus, spec=spec()).vectors.copy()  # what is mapped shows the damage too
    [file] = (data_dir / "indexes").glob("*/vectors.npy")
    file.write_bytes(file.read_bytes()[:-7] + b"garbage")
    np.testing.assert_array_equal(open_index(corpus=corpus, spec=spec()).vectors, whole)


def test_nothing_on_disk_is_a_pickle(data_dir):
    open_index(corpus=make_corpus(), spec=spec())
    files = [file.name for file in data_dir.rglob("*") if file.is_file()]
    assert files
    assert not [name for name in files if name.endswith((".pkl", ".pickle", ".pt", ".bin"))]


def test_searching_gives_ranked_chunks_of_the_right_document():
    corpus = make_corpus(files={"stone.txt": ROSETTA, "bread.txt": "Bread is baked from dough of flour and water."})
    found = search(corpus=corpus, spec=spec(top_k=50), query="flour and water for bread").contexts
    assert found[0].document == "bread.txt"
    assert [context.rank for context in found] == list(range(1, len(found) + 1))
    assert [context.score for context in found] == sorted((c.score for c in found), reverse=True)
    assert len(found) == estimate(corpus=corpus, spec=spec()).chunks  # asked for more than there is


def test_an_empty_corpus_is_refused_with_the_mend():
    corpus = make_corpus(files={})
    with pytest.raises(ConfigError, match="Upload"):
        open_index(corpus=corpus, spec=spec())


def test_the_preview_counts_tokens_by_the_model_s_own_tokenizer():
    corpus = make_corpus(files={"long.txt": LONG})
    minilm = PipelineSpec.create({"chunk_size": 3000})
    preview = preview_chunks(document=corpus.documents.get(), spec=minilm)
    assert preview.window == 254
    assert preview.share_over_window is not None
    assert preview.share_over_window > 0.5
    assert len(preview.token_counts) == len(preview.spans)
    small = preview_chunks(document=corpus.documents.get(), spec=PipelineSpec.create({"chunk_size": 200}))
    assert small.share_over_window == 0


def test_an_index_for_a_retriever_by_words_embeds_nothing():
    corpus = make_corpus()
    words = PipelineSpec.create({"chunk_size": 300, "chunk_overlap": "0", "retriever": "bm25"})
    assert estimate(corpus=corpus, spec=words).to_embed == 0
    assert list(build_index(corpus=corpus, spec=words)) == []
    bare = open_index(corpus=corpus, spec=words)
    assert bare.vectors.shape == (len(bare), 0)
    assert estimate(corpus=corpus, spec=spec()) == IndexEstimate(len(bare), len(bare))
    assert open_index(corpus=corpus, spec=spec()).vectors.shape[1] > 0


def test_a_retriever_by_words_is_served_by_an_index_with_vectors_that_is_there():
    corpus = make_corpus(files={"long.txt": LONG})
    build(corpus)
    words = PipelineSpec.create(
        {"chunk_size": 300, "chunk_overlap": "0", "embedding": "words:counts", "retriever": "bm25"}, drop_unread=True
    )
    assert is_built(corpus=corpus, spec=words)
    assert list(build_index(corpus=corpus, spec=words)) == []
    assert Index.objects.count() == 1
    alone = make_corpus(files={"long.txt": LONG})
    found = [open_index(corpus=each, spec=words) for each in (corpus, alone)]
    assert Index.objects.count() == 2
    assert found[0].spans[:, 1:].tolist() == found[1].spans[:, 1:].tolist()
    assert found[1].vectors.size == 0


def test_chunks_of_the_semantic_chunker_are_known_once_the_sentences_are_embedded():
    corpus = make_corpus(files={"long.txt": LONG})
    semantic = PipelineSpec.create({"embedding": "words:counts", "chunk_size": 300, "chunker": "semantic"})
    before = estimate(corpus=corpus, spec=semantic)
    assert before.chunks is None
    assert before.to_embed > 0
    steps = list(build_index(corpus=corpus, spec=semantic))
    first = [step for step in steps if step.step == "Embedding sentences"]
    assert (first[0].done, first[-1].done, first[-1].total) == (0, before.to_embed, before.to_embed)
    assert steps[-1].step == "Embedding chunks"
    index = open_index(corpus=corpus, spec=semantic)
    assert estimate(corpus=corpus, spec=semantic) == IndexEstimate(len(index), 0)


def test_headings_are_embedded_with_their_text():
    corpus = make_corpus(files={"guide.md": "# Brakes\n\n## Care\n\nOil it twice a year.\n\n## Parts\n\nA cable."})
    index = open_index(corpus=corpus, spec=spec(chunker="markdown", chunk_size=40))
    assert index.embedded_text(len(index) - 1) == "Brakes > Parts\n## Parts\n\nA cable."
    expected = index.embedder.embed_passages([index.embedded_text(row) for row in range(len(index))])
    np.testing.assert_array_equal(index.vectors, expected)


def test_an_approximate_index_says_on_every_search_what_it_misses():
    corpus = make_corpus(files={"long.txt": LONG})
    nearly = spec(chunk_size=40, index_kind="ivf")
    steps = [step.step for step in build_index(corpus=corpus, spec=nearly)]
    assert steps[-1] == "Building the search index"
    found = search(corpus=corpus, spec=nearly, query="stone")
    assert any(note.startswith("Searched approximately (ivf): ") for note in found.notes)
    exact = search(corpus=corpus, spec=spec(chunk_size=40), query="stone")
    assert exact.notes == ()
    assert {context.span for context in found.contexts} == {context.span for context in exact.contexts}


def test_late_chunking_reads_a_document_once_for_all_sizes():
    corpus = make_corpus(files={"long.txt": LONG})
    late = PipelineSpec.create({"embed_mode": "late", "chunk_size": 300})
    windows = estimate(corpus=corpus, spec=late).to_embed
    assert windows > 1
    steps = list(build_index(corpus=corpus, spec=late))
    assert (steps[0].done, steps[0].total, steps[-1].done) == (0, windows, windows)
    assert estimate(corpus=corpus, spec=late.changed(chunk_size=500)).to_embed == 0
    found = search(corpus=corpus, spec=late.changed(chunk_size=500), query="Who found the Rosetta Stone?")
    assert found.contexts
