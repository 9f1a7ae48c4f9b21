"""What a judge is told where the material is not English."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.judge.claims.tables import ClaimTables
from evaluation.judge.judge import make_judge
from evaluation.judge.languages import closing_for, in_language
from evaluation.judge.prompts import JudgePrompts
from evaluation.metrics.base import MetricContext, make_metric, metrics
from evaluation.metrics.judged import JudgedMetric
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample
from rag_pipeline.llm.loop_thread import gather_blocking
from rag_pipeline.types import Context, Span, Trace
from tests.fake_openai import FakeOpenAI

GERMAN = "Die Mühle am Ilmbach wurde 1742 gebaut und im Jahr 1810 durch einen Brand zerstört."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GERMAN, "auf Deutsch"),
        ("Le phare a été allumé en 1863 et sa lanterne porte à vingt-sept milles.", "en français"),
        ("El puente romano tiene dieciséis arcos y no se permite el paso de coches.", "en español"),
        ("Мельница была построена в 1742 году и сгорела через несколько десятилетий.", "по-русски"),
        ("灯塔于1863年首次点亮，最后一位看守人于1994年离开，现在它是一座小型博物馆。", "用中文"),
        ("Majakka sytytettiin ensimmäisen kerran vuonna 1863 ja se näkyy kauas merelle.", "ISO 639 code “fi”"),
    ],
)
def test_the_instruction_is_in_the_language_of_the_text(text: str, words: str) -> None:
    assert words in in_language(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1962",
        "Otto Kessel",
        "The mill was built in 1742.",
        "It’s a “small” museum with nothing but old clocks in it.",
    ],
)
def test_english_and_what_is_too_short_to_tell_add_nothing(text: str) -> None:
    assert in_language(text) == ""


def test_every_prompt_on_claims_ends_with_it(fake_openai: FakeOpenAI) -> None:
    context = Context(Span(1, 0, len(GERMAN)), "", GERMAN, 0.0, 1)
    row = Sample("q", "q", "simple", Trace("Wann wurde die Mühle gebaut?", GERMAN, (context,)), (GERMAN,))
    judge = make_judge("openai:judge-1", JudgePrompts(), None)
    gather_blocking([ClaimTables(judge, ["answer_contexts", "answer_reference"]).of(row)])
    prompts = [body["messages"][0]["content"] for body in fake_openai.bodies()]
    assert len(prompts) == 3
    assert all("auf Deutsch" in prompt.splitlines()[-1] for prompt in prompts)


def test_every_judged_metric_asks_with_it(fake_openai: FakeOpenAI) -> None:
    context = Context(Span(1, 0, len(GERMAN)), "", GERMAN, 0.0, 1)
    trace = Trace("Wann wurde die Mühle gebaut?", "Sie wurde im Jahr 1742 gebaut.", (context,))
    row = Sample("q", "q", "simple", trace, ("1742",), other_answer="Das war 1810.")
    names = [unit.key for unit in metrics if "judge" in unit.needs]
    asked = 0
    for name in names:
        judge = make_judge("openai:judge-1", JudgePrompts(), None)
        metric = make_metric(name, EvaluationSpec())
        if not isinstance(metric, JudgedMetric):
            continue
        scoring = MetricContext(EvaluationSpec(), [Refusal("attempt")], lambda texts: np.zeros((len(texts), 2)))
        gather_blocking([metric.ask(row, replace(scoring, judge=judge))])
        prompts = [body["messages"][0]["content"] for body in fake_openai.bodies()][asked:]
        asked += len(prompts)
        assert prompts, name
        assert all("auf Deutsch" in prompt.splitlines()[-1] for prompt in prompts), name


@pytest.mark.parametrize(
    "fields",
    [
        {"question": "When was the mill built?", "answer": "1742", "reference": "1742"},
        {"question": "Who painted it?", "answer": "Jacques-Louis David", "reference": "(none: go by the answer)"},
        {"definition": "Ist die Antwort höflich und vollständig formuliert?", "question": "When was the mill built?"},
    ],
)
def test_english_is_asked_as_the_prompts_stand(fields: dict[str, str]) -> None:
    assert closing_for(fields) == ""


def test_our_own_words_in_a_prompt_do_not_make_it_english() -> None:
    fields = {
        "definition": "Are the ideas of the answer in a sensible order and connected, without a contradiction?",
        "question": "Wann wurde die Mühle gebaut?",
        "answer": "Im Jahr 1742.",
        "material": "<reference>\n(none: go by what is generally known, and where that is not enough, by the answer "
        "itself)\n</reference>",
    }
    assert "auf Deutsch" in closing_for(fields)
