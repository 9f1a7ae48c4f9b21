"""What the bench of the built-in reader leaves out, where it finds an answer right, and how it shows the card."""

from __future__ import annotations

from rag_pipeline.types import Context, Span
from tests.bench.bench_reader import _inside
from tests.bench.reader_card import trained_tables
from tests.bench.reader_training.trials import FOUND, GOLD
from tests.bench.reader_trials import Said, Trial, own, shared
from tests.bench.unseen import Learned

PASSAGE = "The tower was built in 1840 by soldiers of the garrison and has housed two museums since then."


def test_a_question_counts_as_learned_whatever_its_case_articles_and_marks():
    learned = Learned(["When was the tower built?"], [])
    assert learned.knows("when was tower built")
    assert not learned.knows("When was the tower demolished?")


def test_a_question_on_a_learned_passage_counts_as_learned():
    learned = Learned([], [PASSAGE])
    assert learned.knows("Who built it?", ["Elsewhere it says much. " + PASSAGE])
    assert not learned.knows("Who built it?", ["The tower was built in 1840, as everyone in the town will tell you."])


def test_spans_of_different_documents_share_nothing():
    assert shared(Span(1, 0, 10), Span(1, 5, 20)) == 5
    assert shared(Span(1, 0, 10), Span(2, 5, 20)) == 0


def test_a_context_holds_the_gold_from_its_half_on():
    context = Context(Span(1, 0, 50), "tower", "x" * 50, 1.0, 1)
    assert Trial("?", (context,), True, (), (Span(1, 40, 60),)).holds
    assert not Trial("?", (context,), True, (), (Span(1, 41, 61),)).holds


def test_a_sentence_is_right_where_it_lies_in_a_reference_or_around_it():
    trial = Trial("?", (), True, (), (Span(1, 100, 140),))
    assert _inside(trial, said_at(90, 120))
    assert _inside(trial, said_at(0, 400))
    assert not _inside(trial, said_at(70, 110))
    assert not _inside(trial, Said(True, "", "", None, 0.0))


def said_at(start: int, end: int) -> Said:
    return Said(False, "", "", Span(1, start, end), 0.5)


def test_own_questions_stand_with_their_paragraph():
    trials = own()
    assert len(trials) == 167
    assert all(trial.answerable == bool(trial.references) for trial in trials)


def test_the_card_becomes_tables_of_answers_articles_and_strictness():
    answers = {"questions": 265, "f1": 0.7312, "recall": 0.8, "right_sentence": 0.9, "words": 3.1}
    declined = {"auroc": 0.78, "answered": 0.8, "declined": 0.53, "foreign_declined": 0.99, "balanced_accuracy": 0.67}
    declined |= {"balanced_accuracy_at_best": 0.69, "coverage": {"0.8": [0.531, 0.99]}}
    both = {GOLD: answers, FOUND: answers | {"f1": 0.6}}
    figures = {
        "answers": both,
        "declining": {GOLD: declined, FOUND: declined},
        "articles": {
            "Steam_engine": {**both, "auroc": None},
            "A": {**both, "auroc": 0.7},
            "B": {**both, "auroc": 0.82},
        },
    }
    text = trained_tables({"declining": {"strictness_for": {"0.8": 0.61}}, "figures": figures})
    assert "| token F1 of the answer | 0.731 | 0.72 | 0.600 | 0.62 |" in text
    assert "| Steam engine | 265 | 0.731 | 0.900 | 0.600 | 0.900 |  |" in text
    assert "| AUROC within an article, mean | 0.760 | 0.78 |  |  |" in text
    assert text.endswith("| 80% | 0.61 | 0.531 | 0.531 | 0.990 |")


def test_a_card_without_figures_says_so():
    assert trained_tables({"declining": {}}) == "The card has no figures."
