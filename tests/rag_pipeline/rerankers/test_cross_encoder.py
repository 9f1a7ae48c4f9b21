"""A cross-encoder moves the evidence up, and is refused in time where it cannot be used."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.rerankers import cross_encoder
from rag_pipeline.rerankers.base import Reranked
from rag_pipeline.rerankers.cross_encoder import CrossEncoderReranker, score_pairs
from rag_pipeline.services.pipelines import prepare_pipeline
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.factories import WORDS, make_corpus
from tests.real_passages import asked, contexts, paragraphs
from tests.tiny_cross_encoder import save_tiny_cross_encoder

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
QUESTIONS = asked()[::6]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    texts = [*paragraphs(), *(question.text for question in asked())]
    return save_tiny_cross_encoder(tmp_path_factory.mktemp("model"), texts)


async def test_moves_the_evidence_up(folder):
    # The evidence stands last of twelve paragraphs, as a retriever may leave it.
    rows = []
    for question in QUESTIONS:
        others = [place for place in range(len(paragraphs())) if place != question.paragraph][:11]
        rows.append(contexts(tuple(paragraphs()[place] for place in (*others, question.paragraph))))
    results = await CrossEncoderReranker(str(folder)).rerank_many([each.text for each in QUESTIONS], rows)
    ranks = [result.order.index(11) + 1 for result in results]
    assert sum(rank == 1 for rank in ranks) >= 0.6 * len(ranks)
    assert sum(rank <= 3 for rank in ranks) >= 0.8 * len(ranks)


async def test_gives_each_candidate_once_best_first(folder):
    row = contexts(paragraphs()[:7])
    (result,) = await CrossEncoderReranker(str(folder)).rerank_many([QUESTIONS[0].text], [row])
    assert sorted(result.order) == list(range(7))
    assert list(result.scores) == sorted(result.scores, reverse=True)
    alone = score_pairs(str(folder), [(QUESTIONS[0].text, row[place].text) for place in result.order])
    np.testing.assert_allclose(result.scores, alone, atol=1e-5)  # a batch changes no score
    assert result.usage.cost_usd == 0
    assert result.seconds > 0


async def test_questions_with_few_candidates_or_none_stay_apart(folder):
    rows = [contexts(paragraphs()[:3]), [], contexts(paragraphs()[:1])]
    results = await CrossEncoderReranker(str(folder)).rerank_many(["Who?", "What?", "When?"], rows)
    assert [len(result.order) for result in results] == [3, 0, 1]
    assert await CrossEncoderReranker(str(folder)).rerank_many([], []) == []


async def test_equal_scores_keep_the_order_of_retrieval(folder):
    row = contexts((paragraphs()[0],) * 3)
    (result,) = await CrossEncoderReranker(str(folder)).rerank_many([QUESTIONS[0].text], [row])
    assert result.order == (0, 1, 2)


async def test_the_second_of_two_labels_means_relevant(folder, tmp_path):
    texts = [*paragraphs(), *(question.text for question in asked())]
    two = save_tiny_cross_encoder(tmp_path / "two", texts, labels=2)
    row = contexts(paragraphs()[:6])
    (by_two,) = await CrossEncoderReranker(str(two)).rerank_many([QUESTIONS[0].text], [row])
    (by_one,) = await CrossEncoderReranker(str(folder)).rerank_many([QUESTIONS[0].text], [row])
    assert by_two.order[0] == by_one.order[0] == QUESTIONS[0].paragraph
    assert all(0 <= score <= 1 for score in by_two.scores)


async def test_is_loaded_once_for_the_process(folder):
    cross_encoder._load.cache_clear()
    for _ in range(2):
        await CrossEncoderReranker(str(folder)).rerank_many(["Who?"], [contexts(paragraphs()[:2])])
    assert cross_encoder._load.cache_info().misses == 1


async def test_a_score_that_is_no_number_is_an_error_of_its_question():
    reranker = CrossEncoderReranker("broken")
    assert isinstance(reranker._ordered(np.array([1, np.nan], np.float32), 0), ProviderError)
    assert isinstance(reranker._ordered(np.array([1, 2], np.float32), 0), Reranked)


def test_a_folder_that_is_not_there_is_refused_at_once(tmp_path):
    with pytest.raises(ConfigError, match=r"folder does not exist.*Give the folder") as caught:
        CrossEncoderReranker.check(str(tmp_path / "absent"))
    assert caught.value.field == "reranker"


def test_a_folder_without_a_model_is_refused_at_once(tmp_path):
    with pytest.raises(ConfigError, match="holds no model"):
        CrossEncoderReranker.check(str(tmp_path))


def test_an_embedding_model_is_refused_at_once():
    with pytest.raises(ConfigError, match="is no cross-encoder"):
        CrossEncoderReranker.check(str(shipped_weights()))


def test_a_model_of_three_classes_is_refused_at_once(tmp_path):
    config = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "no", "1": "maybe", "2": "yes"}}
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ConfigError, match="3 classes"):
        CrossEncoderReranker.check(str(tmp_path))


def test_a_model_that_fits_and_a_name_of_the_hub_pass_the_check(folder):
    CrossEncoderReranker.check(str(folder))
    CrossEncoderReranker.check("cross-encoder/ms-marco-MiniLM-L6-v2")


async def test_a_model_that_is_not_here_without_network_is_explained(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match=r"is not on this machine, and HF_HUB_OFFLINE forbids.*give the folder"):
        await CrossEncoderReranker("nobody/no-such-model").rerank_many(["Who?"], [contexts(paragraphs()[:2])])


@pytest.mark.django_db
def test_a_model_that_is_not_here_is_refused_before_anything_is_embedded(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    spec = PipelineSpec.create({"embedding": WORDS, "reranker": "cross_encoder:nobody/nothing"})
    corpus = make_corpus()
    with pytest.raises(ConfigError, match="nobody/nothing"):
        list(prepare_pipeline(corpus=corpus, spec=spec))
    assert not corpus.indexes.exists()


async def test_a_pair_is_scored_once_by_any_process(folder, tmp_path, monkeypatch):
    asked_of_model: list[tuple[str, str]] = []

    def counting(name, pairs):
        asked_of_model.extend(pairs)
        return score_pairs(name, pairs)

    def reranker() -> CrossEncoderReranker:
        made = CrossEncoderReranker(str(folder))
        made.folder = tmp_path / "reranked"
        return made

    monkeypatch.setattr(cross_encoder, "score_pairs", counting)
    row = contexts((*paragraphs()[:4], paragraphs()[0]))
    (first,) = await reranker().rerank_many(["Who wrote it?"], [row])
    assert len(asked_of_model) == 4  # the fifth is the first once more
    (again,) = await reranker().rerank_many(["Who wrote it?"], [row[:3]])
    assert len(asked_of_model) == 4
    by_place = dict(zip(first.order, first.scores, strict=True))
    assert dict(zip(again.order, again.scores, strict=True)) == {place: by_place[place] for place in range(3)}
    (weights,) = folder.glob("*.safetensors")
    os.utime(weights, ns=(1, 1))  # written anew: another model
    await reranker().rerank_many(["Who wrote it?"], [row[:3]])
    assert len(asked_of_model) == 7
