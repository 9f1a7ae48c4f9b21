"""Metrics on the claim table: the examples of the RAGAS papers and documents, and what holds for every table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judge.claims.table import Claim, ClaimTable, Verdict
from evaluation.judge.judge import make_judge
from evaluation.judge.prompts import JudgePrompts
from evaluation.metrics.base import UNREAD, MetricContext, make_metric
from evaluation.metrics.claim_based import ClaimMetric
from evaluation.metrics.context_relevance import RelevantSentences, _score
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.local_models.scripts import Reads, reads_all
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import Context, Span, Trace
from tests.fake_embedder import embed_words
from tests.fake_openai import Behaviour, FakeOpenAI

BORN = "Albert Einstein (born 14 March 1879) was a German-born theoretical physicist, among the greatest."
WHERE_BORN = "Where and when was Einstein born?"
FRANCE = "Where is France and what is it’s capital?"
FRANCE_IS = "France is in Western Europe and its capital is Paris."
WITH_PARIS = "France, in Western Europe, has medieval cities. Paris, its capital, is famed for its fashion houses."
WITHOUT_PARIS = "The country is also renowned for its wines. Lyon’s Roman theater attests to its rich history."
LIC = ["LIC is the largest insurance company in India.", "LIC is known for its vast portfolio of investments."]
STABILITY = "LIC contributes to the financial stability of the country."

ONE = ModelLimits(concurrency=1)
"""One call at a time: replies come in order."""


def sample(
    answer: str, references: Sequence[str] = (), contexts: Sequence[str] = (), question: str = "What?"
) -> Sample:
    found = tuple(Context(Span(-rank, 0, len(text)), "", text, 0.0, rank) for rank, text in enumerate(contexts, 1))
    return Sample("q", "q", "simple", Trace(question, answer, found), tuple(references))


def scored(name: str, one: Sample, label: str = "attempt", reads: Reads = reads_all, **options: Any) -> Score:
    spec = EvaluationSpec.create({"metric_options": {name: options} if options else {}})
    judge = make_judge("openai:judge-1", JudgePrompts(), None, limits=ONE)
    context = MetricContext(spec, [Refusal(label)], embed_words, judge=judge, reads=reads)
    [score] = make_metric(name, spec).score_many([one], context)
    return score


def says(server: FakeOpenAI, claims: Sequence[Sequence[str]], verdicts: Sequence[Sequence[bool]]) -> None:
    """Let the judge extract these claims, then give these verdicts, call by call."""
    server.fills("ExtractedClaims", *({"claims": list(found)} for found in claims))
    server.fills("CheckedClaims", *({"verdicts": _numbered(found)} for found in verdicts))


def _numbered(found: Sequence[bool]) -> list[Mapping[str, Any]]:
    return [{"number": at, "reason": "said", "supported": verdict} for at, verdict in enumerate(found, 1)]


@pytest.mark.parametrize(("day", "right", "value"), [("14th", True, 1.0), ("20th", False, 0.5)])
def test_faithfulness_of_einsteins_birth(fake_openai: FakeOpenAI, day: str, right: bool, value: float) -> None:
    claims = ["Einstein was born in Germany.", f"Einstein was born on {day} March 1879."]
    says(fake_openai, [claims], [[True, right]])
    score = scored("faithfulness", sample(f"Einstein was born in Germany on {day} March 1879.", (), [BORN], WHERE_BORN))
    assert score.value == value
    assert score.details == {"pooled": [int(2 * value), 2]}


@pytest.mark.parametrize(("context", "named", "value"), [(WITH_PARIS, True, 1.0), (WITHOUT_PARIS, False, 0.5)])
def test_context_recall_of_france_and_its_capital(
    fake_openai: FakeOpenAI, context: str, named: bool, value: float
) -> None:
    says(fake_openai, [["France is in Western Europe.", "Its capital is Paris."]], [[True, named]])
    assert scored("context_recall", sample("", [FRANCE_IS], [context], FRANCE)).value == value


@pytest.mark.parametrize(("order", "value"), [((True, False), 1.0), ((False, True), 0.5), ((False, False), 0.0)])
def test_context_precision_of_france_and_its_capital(
    fake_openai: FakeOpenAI, order: tuple[bool, bool], value: float
) -> None:
    fake_openai.fills("Usefulness", *({"reason": "so", "useful": useful} for useful in order))
    score = scored("context_precision", sample("", [FRANCE_IS], [WITH_PARIS, WITHOUT_PARIS], FRANCE))
    assert score.value == value


def test_context_precision_goes_by_the_answer_where_there_is_no_reference(fake_openai: FakeOpenAI) -> None:
    row = sample("The Eiffel Tower is located in Paris.", [" "], ["It stands in Paris.", " "], "Where is it?")
    score = scored("context_precision", row)
    assert score.value is not None
    assert "the answer" in score.reason
    assert len(fake_openai.requests) == 1
    assert "The Eiffel Tower is located in Paris." in fake_openai.bodies()[0]["messages"][0]["content"]
    none = scored("context_precision", sample(" ", [], ["It stands in Paris."]))
    assert none == Score.unscored("there is neither a reference answer nor an answer")


@pytest.mark.parametrize(("useful", "value"), [((1, 0, 1, 1, 0), (1 + 2 / 3 + 3 / 4) / 3), ((0, 0, 0, 0, 1), 1 / 5)])
def test_context_precision_is_average_precision(useful: Sequence[int], value: float) -> None:
    import ir_measures
    from ir_measures import AP, Qrel, ScoredDoc

    from evaluation.metrics.context_precision import average_precision

    ours = average_precision([bool(each) for each in useful])
    theirs = ir_measures.calc_aggregate(
        [AP],
        [Qrel("q", str(at), each) for at, each in enumerate(useful)],
        [ScoredDoc("q", str(at), -float(at)) for at in range(len(useful))],
    )[AP]
    assert ours == pytest.approx(value)
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize(("mode", "value"), [("precision", 1.0), ("recall", 0.5), ("f1", 2 / 3)])
def test_factual_similarity_of_the_eiffel_tower(fake_openai: FakeOpenAI, mode: str, value: float) -> None:
    located = "The Eiffel Tower is located in Paris."
    says(fake_openai, [[located], [located, "The Eiffel Tower has a height of 1000ft."]], [[True], [True, False]])
    score = scored("factual_similarity", sample(located, [f"{located} It has a height of 1000ft."]), mode=mode)
    assert score.value == pytest.approx(value)
    assert score.details["recall"] == 0.5


def test_factual_similarity_counts_each_thing_that_is_said_of_relativity(fake_openai: FakeOpenAI) -> None:
    about = [
        "Albert Einstein was a German theoretical physicist.",
        "Albert Einstein developed the theory of relativity.",
        "Albert Einstein contributed to quantum mechanics.",
    ]
    says(fake_openai, [about, about[:2]], [[True, True, False], [True, True]])
    assert scored("factual_similarity", sample(" ".join(about), [" ".join(about[:2])])).value == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("answer", "verdicts", "f1"),
    [
        ("In 1879, Einstein was born in Germany.", [[True, True], [True, True]], 1.0),
        ("Einstein was born in Spain in 1879.", [[False, True], [True, False]], 0.5),
    ],
)
def test_answer_correctness_of_einsteins_birth(
    fake_openai: FakeOpenAI, answer: str, verdicts: Sequence[Sequence[bool]], f1: float
) -> None:
    reference = "Einstein was born in 1879 in Germany."
    says(
        fake_openai, [["Einstein was born there.", "Einstein was born in 1879."], ["In 1879.", "In Germany."]], verdicts
    )
    score = scored("answer_correctness", sample(answer, [reference], (), WHERE_BORN))
    cosine = float((embed_words([answer]) @ embed_words([reference]).T)[0, 0])
    assert score.value == pytest.approx(0.75 * f1 + 0.25 * cosine)
    assert score.details["factual"] == f1


def test_answer_correctness_takes_other_weights_and_a_threshold(fake_openai: FakeOpenAI) -> None:
    row = sample("Einstein was born in Spain in 1879.", ["Einstein was born in 1879 in Germany."], (), WHERE_BORN)
    claims = [["In Spain.", "In 1879."], ["In 1879.", "In Germany."]]
    verdicts = [[False, True], [True, False]]
    says(fake_openai, claims, verdicts)
    facts = scored("answer_correctness", row, factual_weight=1.0, semantic_weight=0.0)
    assert facts.value == 0.5
    for threshold, value in ((0.5, 1.0), (0.51, 0.0)):
        says(fake_openai, claims, verdicts)
        options = {"factual_weight": 0.4, "semantic_weight": 0.0, "threshold": threshold}  # weights add up to 1
        assert scored("answer_correctness", row, **options).value == value


@pytest.mark.parametrize(("focus", "value"), [("relevant", 1 / 3), ("irrelevant", 0.0)])
def test_noise_sensitivity_of_the_insurer(fake_openai: FakeOpenAI, focus: str, value: float) -> None:
    reference = ["LIC is the largest insurance company in India.", "LIC was established in 1956.", "LIC invests much."]
    contexts = ["LIC was established in 1956.", "LIC is the largest.", "LIC manages funds: stability.", "India grows."]
    # Claims of answer and reference in one list: largest (both texts have it), portfolio, stability, 1956, invests.
    by_context = [
        [True] * 5,  # all together
        [False, False, False, True, False],
        [True, True, False, False, True],
        [False, False, True, False, True],
        [False] * 5,
    ]
    in_reference = json.dumps({"verdicts": _numbered([True, True, False])})
    fake_openai.when("You check which claims an answer", Behaviour.says(in_reference))
    says(fake_openai, [[*LIC, STABILITY], reference], by_context)
    row = sample(" ".join([*LIC, STABILITY]), [" ".join(reference)], contexts)
    assert scored("noise_sensitivity", row, focus=focus).value == pytest.approx(value)


def test_answer_relevancy_of_france_and_its_capital(fake_openai: FakeOpenAI) -> None:
    low = ["Where is France?", "Where in Europe is France located?", "In which region is France?"]
    high = [
        "Where is France and what is its capital?",
        "What is its capital and where is France?",
        "France: what, where?",
    ]
    scores = []
    for answer, questions in (("France is in western Europe.", low), (FRANCE_IS, high)):
        fake_openai.fills("QuestionsBack", {"questions": questions, "evasive": False})
        score = scored("answer_relevancy", sample(answer, question="Where is France and what is its capital?"))
        cosines = embed_words(questions) @ embed_words(["Where is France and what is its capital?"])[0]
        assert score.value == pytest.approx(float(cosines.mean()))
        scores.append(score.value)
    assert scores[0] < scores[1]
    assert "Where" not in fake_openai.bodies()[0]["messages"][0]["content"].rpartition("<answer>")[2]


def test_a_cosine_of_texts_that_the_embedding_cannot_read_gives_no_score(fake_openai: FakeOpenAI) -> None:
    def score(name: str, row: Sample, **options: Any) -> Score:
        return scored(name, row, reads=str.isascii, **options)

    row = sample("แมว", ["กรุงเทพ"], question="อะไร")
    for options, value in (({}, None), ({"factual_weight": 1.0, "semantic_weight": 0.0}, 1.0)):
        says(fake_openai, [["A cat."], ["A cat."]], [[True], [True]])
        assert score("answer_correctness", row, **options).value == value
    fake_openai.fills("QuestionsBack", {"questions": ["ใคร", "ที่ไหน", "เมื่อไร"], "evasive": False})
    assert score("answer_relevancy", row) == Score.unscored(UNREAD)
    fake_openai.fills("QuestionsBack", {"questions": ["ใคร", "ที่ไหน", "เมื่อไร"], "evasive": True})
    assert score("answer_relevancy", row).value == 0


def test_answer_relevancy_wants_three_different_questions(fake_openai: FakeOpenAI) -> None:
    twice = {"questions": ["Where is it?", "where is it", "When?"], "evasive": False}
    fake_openai.fills("QuestionsBack", twice, twice | {"questions": ["Where is it?", "Which place?", "When?"]})
    assert scored("answer_relevancy", sample("In Paris.", question="Where is it?")).value is not None
    assert "in other words than the others" in fake_openai.bodies()[1]["messages"][0]["content"]


def test_answer_relevancy_takes_as_many_questions_as_are_set(fake_openai: FakeOpenAI) -> None:
    row = sample("In Paris.", question="Where is it?")
    for count, word in ((1, "one"), (5, "five"), (3, "three")):
        found = scored("answer_relevancy", row, questions=count)
        assert len(found.details["questions"]) == count
        assert f"Write {word} different questions" in fake_openai.bodies()[-1]["messages"][0]["content"]


def test_context_relevance_stands_for_several_k(fake_openai: FakeOpenAI) -> None:
    row = sample("Paris.", contexts=[WITHOUT_PARIS, WITH_PARIS], question="What is the capital of France?")
    needed = {"sentences": ["Paris, its capital, is famed for its fashion houses."], "insufficient": False}
    fake_openai.fills("RelevantSentences", needed)
    assert scored("context_relevance@2", row).value == 1 / 4
    fake_openai.fills("RelevantSentences", {"sentences": [], "insufficient": True})
    assert scored("context_relevance@1", row).value == 0
    first, second = (each["messages"][0]["content"].rpartition("</asked>")[2] for each in fake_openai.bodies())
    assert (WITH_PARIS in first, WITH_PARIS in second) == (True, False)


def test_answer_relevancy_of_an_evasive_answer_is_0_and_of_a_rightly_declined_question_empty(
    fake_openai: FakeOpenAI,
) -> None:
    fake_openai.fills("QuestionsBack", {"questions": ["A?", "B?", "C?"], "evasive": True})
    assert scored("answer_relevancy", sample("It depends.")).value == 0
    calls = len(fake_openai.requests)
    declined = sample("I am not aware of that topic")
    assert scored("answer_relevancy", declined, "refused") == Score.without_judge(0.0, "the answer declines")
    outside = Sample("o", "o", "out_of_scope", declined.trace)
    assert (
        scored("answer_relevancy", outside, "refused").reason == "the question is out of scope and was rightly declined"
    )
    assert len(fake_openai.requests) == calls
    fake_openai.fills("QuestionsBack", {"questions": ["A?", "B?", "C?"], "evasive": True})
    assert scored("answer_relevancy", Sample("o", "o", "out_of_scope", Trace("What?", "That depends."))).value is None


def test_context_relevance_counts_sentences_that_are_copied_word_for_word(fake_openai: FakeOpenAI) -> None:
    contexts = [
        "Paris is the  capital\nof France. It has two million inhabitants.",
        "Lyon has a theater. Nice has none.",
    ]
    wrong = {"sentences": ["Paris is the capital of France.", "Lyon is the capital."], "insufficient": False}
    fake_openai.fills("RelevantSentences", wrong, wrong | {"sentences": [*wrong["sentences"], "Nice has none."]})
    score = scored("context_relevance", sample("", (), contexts))
    assert score.value == 2 / 4
    assert score.details["sentences"] == ["Paris is the  capital\nof France.", "Nice has none."]
    assert len(fake_openai.requests) == 2
    assert "“Lyon is the capital.” does not stand in the passages" in fake_openai.bodies()[1]["messages"][0]["content"]


def test_context_relevance_of_made_up_sentences_alone_is_no_score(fake_openai: FakeOpenAI) -> None:
    made_up = {"sentences": ["Lyon is the capital."], "insufficient": False}
    fake_openai.fills("RelevantSentences", *[made_up] * 3)
    score = scored("context_relevance", sample("", (), ["Lyon has a theater. Nice has none."]))
    assert score.value is None
    assert "does not stand in the passages" in score.reason
    kept = RelevantSentences.model_validate(made_up)  # as an earlier version accepted it
    assert _score(["Nice has none."], kept).reason == (
        "nothing that the judge extracted stands in the contexts word for word"
    )


def test_context_relevance_of_contexts_called_insufficient_is_0_whatever_was_extracted(fake_openai: FakeOpenAI) -> None:
    for sentences in (["Nice has none."], ["Lyon is the capital."]):
        fake_openai.fills("RelevantSentences", {"sentences": sentences, "insufficient": True})
        assert scored("context_relevance", sample("", (), ["Lyon has a theater. Nice has none."])).value == 0
    assert len(fake_openai.requests) == 2


def test_context_relevance_of_insufficient_contexts_or_none_is_0(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills("RelevantSentences", {"sentences": [], "insufficient": True})
    assert scored("context_relevance", sample("", (), ["Nice has none."])).value == 0
    assert scored("context_relevance", sample("", (), [])) == Score.without_judge(0.0, "nothing was retrieved")
    assert scored("context_precision", sample("", ["Paris"], [])) == Score.without_judge(0.0, "nothing was retrieved")


def test_an_answer_that_states_nothing_has_no_faithfulness_and_one_without_contexts_has_none_supported(
    fake_openai: FakeOpenAI,
) -> None:
    refused = scored("faithfulness", sample("I am not aware of that topic", (), [BORN]), "refused")
    assert refused == Score.unscored("the answer makes no statement that could be checked")
    assert len(fake_openai.requests) == 0
    assert scored("faithfulness", sample("Einstein was born in the town of Ulm.")).value == 0
    missed = scored("factual_similarity", sample("I am not aware of that topic", [BORN]), "refused")
    assert missed.value == 0
    assert scored("factual_similarity", sample("", [BORN]), "empty", mode="precision").value is None


def test_context_utilization_is_empty_where_there_was_nothing_to_use(fake_openai: FakeOpenAI) -> None:
    says(fake_openai, [["Its capital is Paris."]], [[False], [True]])
    score = scored("context_utilization", sample("Paris.", [FRANCE_IS], ["Nice has none."]))
    assert score.value is None
    assert "nothing to use" in score.reason


def test_what_the_judge_cannot_say_is_no_score(fake_openai: FakeOpenAI) -> None:
    fake_openai.always = Behaviour.says("I would rather not.")
    row = sample("Paris.", [FRANCE_IS], [WITH_PARIS], FRANCE)
    for name in ("faithfulness", "answer_relevancy", "context_relevance", "context_precision", "answer_correctness"):
        score = scored(name, row)
        assert score.value is None, name
        assert "could not be used" in score.reason


def test_answer_correctness_takes_the_best_reference_for_facts_and_meaning_together(fake_openai: FakeOpenAI) -> None:
    row = sample("Born in Ulm.", ["He came from Spain.", "Born in Ulm."], (), WHERE_BORN)
    claims = [["He was born in Ulm."], ["He was born in Spain."], ["He was born in Ulm, too."]]
    says(fake_openai, claims, [[False, True], [False], [True]])
    score = scored("answer_correctness", row)
    assert score.value == pytest.approx(1.0)
    assert score.reason.endswith("by the best of 2 references")


VERDICT = st.builds(Verdict, st.booleans())


@st.composite
def tables(draw: st.DrawFn) -> ClaimTable:
    contexts = draw(st.integers(0, 4))

    def claim(number: int) -> Claim:
        joined = draw(VERDICT)
        verdicts = tuple(draw(VERDICT) for _ in range(contexts)) if joined.supported else ()
        return Claim(str(number), verdicts, joined, draw(VERDICT))

    answer, reference = draw(st.integers(0, 6)), draw(st.integers(0, 6))
    return ClaimTable(tuple(claim(at) for at in range(answer)), tuple(claim(at) for at in range(reference)))


def read(name: str, table: ClaimTable, **options: Any) -> float | None:
    metric = make_metric(name, EvaluationSpec.create({"metric_options": {name: options} if options else {}}))
    assert isinstance(metric, ClaimMetric)
    value = metric.read_table(table, sample("")).value
    assert value is None or 0 <= value <= 1
    return value


@given(tables())
def test_faithfulness_hallucination_and_self_knowledge_add_up_to_1(table: ClaimTable) -> None:
    values = [read(name, table) for name in ("faithfulness", "hallucination", "self_knowledge")]
    assert values == [None] * 3 if not table.answer else sum(each or 0 for each in values) == pytest.approx(1)


@given(tables())
def test_what_is_wrong_in_an_answer_comes_from_relevant_or_irrelevant_contexts_or_from_nowhere(
    table: ClaimTable,
) -> None:
    if not table.reference:
        assert read("noise_sensitivity", table) is None
    elif table.answer:
        noise = [read("noise_sensitivity", table, focus=focus) for focus in ("relevant", "irrelevant")]
        right = sum(claim.in_other for claim in table.answer) / len(table.answer)
        wrong = [*noise, read("hallucination", table)]
        assert right + sum(each or 0 for each in wrong) == pytest.approx(1)


@given(tables())
def test_a_single_context_never_holds_more_than_all_together(table: ClaimTable) -> None:
    alone, together = read("claim_recall", table), read("context_recall", table)
    assert (alone is None) == (together is None) == (not table.reference)
    assert (alone or 0) <= (together or 0)
    read("context_utilization", table)


@given(tables())
def test_f1_is_the_harmonic_mean_of_precision_and_recall(table: ClaimTable) -> None:
    precision, recall, f1 = (read("factual_similarity", table, mode=mode) for mode in ("precision", "recall", "f1"))
    if precision and recall:
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
