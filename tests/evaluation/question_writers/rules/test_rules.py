"""Each rule asks as people do; what a question does not say is not left to be guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.rules.asking import ask, passages
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.objections import BROKEN, DANGLING, GIVES_AWAY, POINTS
from rag_pipeline.types import SourceDoc


def asked(text: str) -> list[tuple[Candidate, str]]:
    """Return what the rules ask about a text, with what there is against each."""
    corpus = CorpusText([SourceDoc(1, "text", text)])
    return list(ask(passages(corpus.sentences[1], text), corpus.known[1], corpus.same_things[1]))


def good(text: str) -> dict[tuple[str, str], str]:
    """Return the answers of the questions that may be asked, by rule and question in the text's words."""
    return {(one.rule, one.text): one.answer for one, reason in asked(text) if not reason}


EXAMPLES = (
    ("when", "The Treaty of Karlowitz was signed in 1699.", "When was the Treaty of Karlowitz signed?", "1699"),
    ("who", "Marie Curie discovered radium with a friend.", "Who discovered radium with a friend?", "Marie Curie"),
    ("by_whom", "Wembley Stadium was designed by Norman Foster.", "Who designed Wembley Stadium?", "Norman Foster"),
    ("how_many", "The National Trust owns 32 pubs in England.", "How many pubs in England does the National Trust own?",
     "32"),
    ("definition", "A trustee is a person who holds property for others.", "What is a trustee?",
     "a person who holds property for others"),
    ("why", "The game was cancelled because the field was flooded.", "Why was the game cancelled?",
     "because the field was flooded"),
    ("how", "Employees can change their password by calling the help desk.", "How can employees change their password?",
     "by calling the help desk"),
    ("how_to", "To undo a change, press the red key.", "How do I undo a change?", "press the red key"),
    ("how_to", "You can use CTRL-F to scroll a whole screen.", "How can I scroll a whole screen?", "use CTRL-F"),
    ("what", "The max_upload option limits the size of uploaded files.", "What does the max_upload option limit?",
     "the size of uploaded files"),
    ("how_to", "If you want to close the window, click the red button.", "How do I close the window?",
     "click the red button"),
    ("how_many", "There are 38 rooms in the Tower House.", "How many rooms are there in the Tower House?", "38"),
    ("named_thing", "The fee for a late return is $12.", "What is the fee for a late return?", "$12"),
    ("happens", "If you lose your key, you should contact the porter.", "What should I do if I lose my key?",
     "you should contact the porter"),
    ("happens", "If you lose your key, you pay for a new lock.", "What happens if I lose my key?",
     "you pay for a new lock"),
    ("yes_no", "Employees may carry over five days of leave.", "Can employees carry over five days of leave?", "Yes"),
    ("yes_no", "The deposit must not be used for rent.", "Can the deposit be used for rent?", "No"),
    ("yes_no", "You must keep the receipt of each purchase.", "Do I have to keep the receipt of each purchase?", "Yes"),
    ("yes_no", "The warranty does not cover damage by water.", "Does the warranty cover damage by water?", "No"),
    ("yes_no", "A written notice is required for repairs.", "Is a written notice required for repairs?", "Yes"),
    ("by_whom", "Travel must be approved by the finance director.", "Who must approve travel?",
     "the finance director"),
    ("named_thing", "The annual membership fee is $45.", "What is the annual membership fee?", "$45"),
    ("what_with", "Photosynthesis depends on light and on water.", "What does photosynthesis depend on?", "light"),
    ("where", "Most offices of the Nobel Foundation are located in Stockholm.",
     "Where are most offices of the Nobel Foundation located?", "in Stockholm"),
    ("on_condition", "You can buy extra cover if you are not insured at work.", "When can I buy extra cover?",
     "if you are not insured at work"),
    ("what_can_i", "If you disagree with the decision, you can appeal to the board.",
     "What can I do if I disagree with the decision?", "appeal to the board"),
    ("what_can_i", "If you cancel the order late, you may lose your deposit.",
     "What happens if I cancel the order late?", "you may lose your deposit"),
    ("by_what", "The portal can be accessed via the wireless network.", "How can the portal be accessed?",
     "via the wireless network"),
    ("purpose", "The reserve fund is used to pay for repairs.", "What is the reserve fund used for?",
     "to pay for repairs"),
    ("during", "Applications are accepted during the enrollment period.", "When are applications accepted?",
     "during the enrollment period"),
    ("is_so", "The council approved the budget for the library.", "Did the council approve the budget for the library?",
     "Yes"),
    ("advice", "If you lose your card, please call the bank at once.", "What should I do if I lose my card?",
     "call the bank at once"),
    ("what", "We offer a learning budget to every employee.", "What do you offer to every employee?",
     "a learning budget"),
    ("what", "You'll need a new card for the library.", "What will I need?", "a new card"),
    ("by_whom", "You'll be called by the director of the bank.", "Who will call me?", "the director of the bank"),
    ("what", "Members need Part A of the form.", "What do members need?", "Part A of the form"),
    ("yes_no", "Outreachy supports the interns of the program.", "Does Outreachy support the interns of the program?",
     "Yes"),
    ("what", "Normally Wireshark writes a log file for each user.", "What does Wireshark write?",
     "a log file for each user"),
)  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "question", "answer"), EXAMPLES)
def test_a_rule_asks_for_its_part_of_a_sentence(rule: str, text: str, question: str, answer: str) -> None:
    found = {(one.rule, one.text): one.answer for one, _ in asked(text)}
    assert answer in found[rule, question]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("In 2010 Congress passed the Dodd–Frank Act of the Senate.", BROKEN),
        ('If the status says "Pre-fail, the disk shows signs of wear.', BROKEN),
        ("A call of this module closes the window.", POINTS),
        ("If they have been members before, a developer is not eligible for the board.", POINTS),
    ],
)
def test_what_is_not_whole_or_points_to_its_passage_is_not_asked(text: str, reason: str) -> None:
    reasons = {one.text: why for one, why in asked(text)}
    assert reason in reasons.values()
    assert not [one for one, why in reasons.items() if why == "" and ("Dodd?" in one or '"' in one or "this" in one)]


@pytest.mark.parametrize(
    "text",
    [
        "Employees may carry over leave only once a year.",
        "If the manager agrees, employees may carry over five days of leave.",
        "Members may not leave unless they have paid their fees.",
        "No employee may carry over more than five days of leave.",
        "The storm might reach the coast of Florida.",
        "Packages should be provided for your platform.",
        'For legal entities, "You" includes any entity that controls the licence.',
        "You can replace that with a text of your own.",
        "You may need to add three blank pages to the document.",
    ],
)
def test_what_holds_only_sometimes_is_not_asked_with_yes_or_no(text: str) -> None:
    assert "yes_no" not in {one.rule for one, _ in asked(text)}


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("when", "The Debian Project was founded by Ian Murdock on August 16th."),
        ("how", "Work can also be prioritised by routing it to different servers."),
        ("happens", "If you need more space, you can buy a larger lamp for the desk."),
        ("definition", "Acme is a registered trademark of the Acme Company of Ohio."),
        ("is_so", "The gel was allegedly promoted by its manufacturer in Ohio."),
        ("is_so", "A hacker sometimes calls the security systems of a bank ice."),
        ("definition", "You're a member of the club who pays the annual fee."),
        ("definition", "DTP is no longer a separate protocol of the network."),
        ("called", "The board became known as one of the most outspoken of Sweden."),
    ],
)
def test_what_would_be_asked_in_part_or_of_something_else_is_not_asked(rule: str, text: str) -> None:
    assert rule not in {one.rule for one, _ in asked(text)}


def test_what_is_needed_for_a_task_is_said_without_need() -> None:
    tasks = [
        one for one, _ in asked("To build a package, you need to install the basic tools.") if one.rule == "how_to"
    ]
    assert [one.answer for one in tasks] == ["install the basic tools"]


def test_a_pronoun_stands_for_the_name_before_it_and_both_sentences_are_evidence() -> None:
    text = "The Eiffel Tower is a large tower in Paris. It was opened by Gustave Eiffel in March 1889."
    opened = [one for one, reason in asked(text) if one.rule == "when" and not reason]
    assert [one.text for one in opened][:1] == ["When was the Eiffel Tower opened by Gustave Eiffel?"]
    assert [one.text for one in opened[0].sentences] == text.replace(". It", ".|It").split("|")
    assert opened[0].sentence.text.startswith("It was opened")


def test_a_pronoun_without_a_name_before_it_is_not_asked_about() -> None:
    assert not good("It was opened by the mayor in March 2007.")
    assert not good("Some say so. He discovered radium in 1898.")


def test_what_points_outside_the_question_is_left_out() -> None:
    reasons = {reason for _, reason in asked("The company hired Marie Curie in 1898.")}
    assert reasons == {DANGLING}
    assert not [
        one for one, reason in asked("Marie Curie sold this house in 1898.") if not reason and "this" in one.text
    ]


def test_a_question_that_holds_its_answer_is_left_out() -> None:
    assert all(reason == GIVES_AWAY for one, reason in asked("Radium is the radium.") if one.rule == "definition")


def test_a_limit_behind_the_sentence_is_evidence_too() -> None:
    text = "If a tenant loses the key, the tenant pays for a new lock. However, thefts are paid by Tower House."
    pets = [one for one, reason in asked(text) if one.rule == "happens"]
    assert len(pets[0].sentences) == 2
    assert pets[0].sentence == pets[0].sentences[0]


@given(st.lists(st.sampled_from([
    "Marie Curie", "Warsaw", "the river", "They", "flows through", "discovered", "in 1898", "because", "it rained", ",",
    ".",
    "(twice)", "\n\n", "If", "must", "was built by", "“a city”", "32 pubs", "and",
]), max_size=14))  # fmt: skip
def test_any_text_gives_questions_with_their_answer_in_the_sentence_or_none(pieces: list[str]) -> None:
    for one, reason in asked(" ".join(pieces)):
        assert one.text.endswith("?")
        if not reason:
            said = one.sentence.text.lower()
            assert all(word.strip(".,;“”\"'") in said for word in one.answer.lower().split())


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The saxophone uses a single-reed mouthpiece of some size.", "What does the saxophone do?"),  # incidental
        ("The 'ed command prints the whole line again.", "What does the 'ed command do?"),  # an open quotation
        ("Documentation, warnings use the identifier of the message.", "What does documentation, warnings do?"),
        ("bones Allow saving of the bones files in the game.", "Do bones allow saving of the bones files in the game?"),
        (
            "Configure debconf will be asked during upgrades so that nobody has to wait for it.",
            "Why will configure debconf be asked during upgrades?",
        ),
    ],
)
def test_what_is_incidental_or_taken_apart_is_not_asked(text: str, question: str) -> None:
    assert question not in {asked for _, asked in good(text)}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Tux Paint is a free drawing program designed for young children.", "What is Tux Paint?"),
        (
            "If the package database is updated often through a cron task then the contents will be newer.",
            "What happens if the package database is updated often through a cron task?",
        ),
    ],
)
def test_a_question_keeps_the_capitals_of_a_name_and_no_word_of_the_other_clause(text: str, question: str) -> None:
    assert question in {one.text for one, _ in asked(text)}


@pytest.mark.parametrize("markup", ["x^2", "a \\ b", "a {template} of it", "it = 5", "<b> it"])
def test_a_sentence_with_markup_or_code_is_not_asked_about(markup: str) -> None:
    text = f"To serve files of your own, press the red key for {markup}."
    assert not passages(CorpusText([SourceDoc(1, "text", text)]).sentences[1], text)
