"""What a judge is told where the material is not English."""

from __future__ import annotations

import pytest

from evaluation.judge.claims.forms import check_against_answer, check_against_text, extraction
from evaluation.judge.claims.tables import ClaimTables
from evaluation.judge.judge import make_judge
from evaluation.judge.languages import in_language
from evaluation.judge.prompts import JudgePrompts
from evaluation.types import Sample
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


def test_english_is_asked_as_the_prompts_stand() -> None:
    english = "The mill was built in 1742."
    requests = [extraction("When?", english), check_against_text([english], english)]
    assert {each.closing for each in [*requests, check_against_answer([english], "When?", "1742")]} == {""}
