"""Rewriting by rules: questions as people write them, over the words of a corpus."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.indexing.vocabulary import word_counts
from rag_pipeline.query_transforms.rewrite import Rewrite
from rag_pipeline.rewriting.spelling import Spelling
from rag_pipeline.types import SourceDoc

TEXT = """
The Tower Building of the Little Rock Arsenal was built in 1840. The government renamed it in 1890 because of its new
infrastructure. Dorothy Barker produced a postcard series; Barker studied in Croydon and died of a heart attack.
Webb commanded the gunboat and surrendered his ship to the Confederates. The trustee pays the fee. The committee met.
The museum opened in the building. CSIRO stands for an organisation of scientists. Women played in the national team.
The plain maskray inhabits the sea. Its reservoir is filled by the rain. Photosynthesis feeds it. A Canon X200 is here.
"""
REWRITE = Rewrite(vocabulary=lambda: word_counts([SourceDoc(1, "tower.txt", TEXT)]))

STRIPPED = {
    "Hi, I was wondering whether you could tell me when the Tower Building was renamed?": (
        "When the Tower Building was renamed?"
    ),
    "I am writing a report for my boss and need to know who commanded the gunboat.": "Who commanded the gunboat?",
    "Hello! Could you please tell me what the committee decided? Thanks in advance.": "What the committee decided?",
    "Good morning, can you explain how photosynthesis works? Thank you very much!": "How photosynthesis works?",
    "Please list the duties of the trustee.": "List the duties of the trustee.",
    "What is the fee, please?": "What is the fee?",
    "Hey there, quick question: what does CSIRO stand for?": "What does CSIRO stand for?",
    "My boss asked me who built the tower and I have no idea.": "Who built the tower?",
    "I'd like to know how many acres were bought, if you don't mind.": "How many acres were bought?",
    "Do you happen to know when the museum opened?": "When the museum opened?",
    "Tell me about the Tower Building.": "The Tower Building.",
    "What can you tell me about Dorothy Barker?": "Dorothy Barker?",
    "I'm looking for information about the plain maskray.": "The plain maskray.",
    "Since my neighbour and I disagree, could you tell me who produced the postcards?": "Who produced the postcards?",
    "I am preparing for an exam. I keep mixing up the dates. When did Barker die?": "When did Barker die?",
    "Please help! What are the symptoms of a heart attack?": "What are the symptoms of a heart attack?",
    "Does anyone know what year the Arsenal was built? Any help would be appreciated.": (
        "What year the Arsenal was built?"
    ),
    "Could you tell me the name of the commander?": "The name of the commander?",
    "Is there any chance you could tell me where the museum is located?": "Where the museum is located?",
    "As I am new here, where can the reading room be found?": "Where can the reading room be found?",
    "Not sure if this is the right place, but what is the fee of the trustee?": "What is the fee of the trustee?",
    "Could someone from your team let me know how long the war lasted? Cheers, Tom": "How long the war lasted?",
    "When was the museum opened, because I need it for my essay?": "When was the museum opened?",
    "Dear Sir or Madam, I would be grateful if you could tell me when the museum opens. Kind regards, Jane": (
        "When the museum opens?"
    ),
    "i am very particular about facts, so a guess will not do. who was the commander of the gunboat?": (
        "Who was the commander of the gunboat?"
    ),
    "A friend who usually knows such things is on holiday. What did Barker produce?": "What did Barker produce?",
    "I was just curious, how old is the building?": "How old is the building?",
    "I wonder what the committee said about the fee.": "What the committee said about the fee?",
    "In which year was was the museum opened?": "In which year was the museum opened?",
    "I need know when the tower was built.": "When the tower was built?",
}
MENDED = {
    "When did the goverment build the infrastucture?": "When did the government build the infrastructure?",
    "wich building was renamed?": "which building was renamed?",
    "Wich building was renamed?": "Which building was renamed?",
    "Who commandde the gunboat?": "Who commanded the gunboat?",
    "What did the commitee say?": "What did the committee say?",
    "When did the wmoen's team play?": "When did the women's team play?",
    "what does csiro stnds for?": "what does csiro stands for?",
    "How does photosynthsesis work?": "How does photosynthesis work?",
    "Can you plese tell me when the musuem opend?": "When the museum opened?",
}
UNTOUCHED = [
    "Who pays the trustee?",
    "what is the capital of Mongolia",
    "tower building renamed year",
    "Who is Elon Musk?",
    "I have a Canon X200. How do I change the toner?",
    "I have a printer that I bought last year. How do I reset it?",
    "I am a minor. Which documents do I need?",
    "The engine is cold. How do I start it?",
    "In the 1990 treaty, which states signed first?",
    "By early May, how many units were sold?",
    "If I move abroad, who pays the fee?",
    "Why do I need to know when the filing deadline is?",
    "What did the king want to know when he asked Alice?",
    "How can I find out who my trustee is?",
    "Can I file again because I was ill?",
    'Who wrote "teh cat sat on teh mat"?',
    "Thanks to whom did Webb escape?",
    "I read that Webb surrendered to the Confederates. When did that happen?",
    "What does error E-1042 in musuem_file.yaml at http://musuem.org mean?",
    "How do I get the money back if order AB-12X was lost?",
    "Hallo, können Sie mir bitte sagen, wann der Turm gebaut wurde?",
    "¿Me puede decir cuándo se construyó la torre?",
    "建物はいつ建てられましたか。",
    "Why are the trustees late, and what of reservoirs?",
    "What do I do?",
    "Help",
    "thanks",
    "Hi",
    "?",
    "I want to know.",
    "   spaces   stay   here ",
]


@pytest.mark.parametrize(("question", "core"), STRIPPED.items())
def test_what_is_no_part_of_the_question_is_left_out(question: str, core: str) -> None:
    assert REWRITE.rewritten(question) == core


@pytest.mark.parametrize(("question", "corrected"), MENDED.items())
def test_slips_are_mended_after_the_corpus(question: str, corrected: str) -> None:
    assert REWRITE.rewritten(question) == corrected


@pytest.mark.parametrize("question", UNTOUCHED)
def test_a_question_without_either_is_sent_as_it_is(question: str) -> None:
    assert REWRITE.rewritten(question) == question


def test_the_more_frequent_word_is_meant() -> None:
    assert Spelling({"reader": 2, "render": 9}).corrected("reader") == "reader"
    assert Spelling({"zorgal": 2, "zorgel": 9}).corrected("zorgil") == "zorgel"
    assert Spelling({"zorgal": 9, "zorgel": 2}).corrected("zorgil") == "zorgal"


def test_a_closer_word_wins_over_a_more_frequent_one() -> None:
    assert Spelling({"infrastructure": 1, "infrastructures": 50}).corrected("infrastructur") == "infrastructure"


def test_two_slips_are_mended_in_long_words_only() -> None:
    words = Spelling({"photosynthesis": 1, "gunbat": 1})
    assert words.corrected("photosyntesiss") == "photosynthesis"
    assert words.corrected("gnubt") == "gnubt"


def test_a_swap_of_neighbours_is_one_slip() -> None:
    assert Spelling({"museum": 1}).corrected("musuem") == "museum"


PIECES = st.sampled_from(
    [
        *STRIPPED,
        *MENDED,
        *UNTOUCHED,
        "Hi,",
        "thanks!",
        "please",
        "I need to know",
        "and",
        "who",
        ":",
        "my boss",
        "it",
        "?",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(PIECES, min_size=1, max_size=5).map(" ".join)))
def test_is_never_empty_and_a_second_time_changes_nothing(question: str) -> None:
    once = REWRITE.rewritten(question)
    assert bool(once.strip()) == bool(question.strip())
    assert REWRITE.rewritten(once) == once


KNOWN = sorted({word for word in word_counts([SourceDoc(1, "tower.txt", TEXT)]) if word.isalpha()})


@given(st.lists(st.sampled_from(KNOWN), min_size=1, max_size=12))
def test_words_of_the_corpus_are_never_changed(words: list[str]) -> None:
    spelling = Spelling(word_counts([SourceDoc(1, "tower.txt", TEXT)]))
    assert spelling.correct(" ".join(words)) == " ".join(words)


@settings(max_examples=40)
@given(st.sampled_from([word for word in KNOWN if len(word) > 6]), st.data())
def test_a_swap_in_a_long_word_is_undone(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(word) - 3))
    slipped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    spelling = Spelling({word: 1})
    assert spelling.corrected(slipped) == word or spelling.is_known(slipped)
