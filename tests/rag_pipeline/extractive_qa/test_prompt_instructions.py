"""What the built-in reader understands of a prompt."""

import pytest

from rag_pipeline.extractive_qa.prompt_instructions import PromptInstructions, read_instructions
from rag_pipeline.settings.prompt_templates import shipped_prompts

REFUSAL = "I am not aware of that topic"
SLOTS = "\n\nContext:\n{context}\n\nQuestion: {question}\nAnswer:"


def read(instruction):
    return read_instructions(instruction + SLOTS, REFUSAL)


def test_the_shipped_prompts_are_understood():
    prompts = {name: read_instructions(text, REFUSAL) for name, text in shipped_prompts().items()}
    assert prompts == {
        "Concise": PromptInstructions(declines=True),
        "Full sentence": PromptInstructions(declines=True, whole_sentences=True),
        "Always answer": PromptInstructions(declines=False),
    }


@pytest.mark.parametrize(
    "instruction",
    [
        "If the context does not answer the question, reply exactly with: {refusal}",
        'If the answer is not in the context, say "I am not aware of that topic."',
        "If you don't know the answer, just say that you don't know, don't try to make up an answer.",
        "Answer only from the context; otherwise reply {refusal}.",
        "Reply with {refusal} unless the context answers it.",
        "If unsure, admit it.",
        "Say so when the documents do not contain the answer.",
        "If the information is insufficient, respond with 'unanswerable'.",
        "Don't guess: when the text has no answer, tell the user that you cannot help.",
        "If the context lacks the answer, decline politely.",
    ],
)
def test_an_instruction_to_decline_is_understood_in_many_wordings(instruction):
    assert read(instruction).declines


@pytest.mark.parametrize(
    "instruction",
    [
        "Answer the question from the context.",
        "Never say that you don't know.",
        "Always answer, even if the context does not hold the answer. Do not reply with {refusal}.",
        "Answer in one complete sentence. Do not make things up.",
        "If the context does not answer the question, make your best guess.",
    ],
)
def test_a_prompt_that_does_not_tell_to_decline_is_understood_so(instruction):
    assert not read(instruction).declines


@pytest.mark.parametrize(
    "instruction, words, whole",
    [
        ("Answer in at most 20 words.", 20, False),
        ("Keep it under 50 words.", 49, False),
        ("Use three sentences maximum.", None, True),
        ("Answer in 1-2 sentences.", None, True),
        ("Answer in one complete sentence.", None, True),
        ("Answer in no more than ten words.", 10, False),
        ("Use your own words.", None, False),
    ],
)
def test_a_length_limit_is_read(instruction, words, whole):
    reading = read(instruction)
    assert (reading.max_words, reading.whole_sentences) == (words, whole)


def test_it_explains_itself_in_plain_sentences():
    phrase = "Answers with a phrase of the documents; with its sentence where the question asks why, how or whether"
    assert read("Answer briefly; if you cannot, say {refusal}.").explain() == [
        "Declines with the refusal when the context does not hold the answer.",
        f"{phrase}.",
    ]
    assert read("Answer in at most 20 words.").explain() == [
        "Always attempts an answer: the prompt does not tell it to decline.",
        f"{phrase}; in at most 20 words.",
    ]
    assert read("Answer in one complete sentence.").explain()[1] == (
        "Answers with the sentence of the documents that holds the answer."
    )
    assert read("Answer in one complete sentence of at most 30 words.").explain()[1] == (
        "Answers with the sentence of the documents that holds the answer; with the phrase where that has more than "
        "30 words."
    )


def test_it_says_from_which_probability_on_it_declines():
    declining, always = read("If you cannot answer, say {refusal}."), read("Answer briefly.")
    assert "the probability that the context holds the answer is below 0.41" in declining.explain(0.41)[0]
    assert declining.explain(0)[0] == "Always attempts an answer: it may decline, but not at strictness 0."
    assert always.explain(0.41)[0].endswith("does not tell it to decline. Strictness changes nothing then.")
