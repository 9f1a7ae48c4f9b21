"""What a question has to say, and how whole its answer has to be; the plain forms that take the place of vague ones."""

from __future__ import annotations

import pytest

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.simple import ask
from evaluation.question_writers.rules.topics import resolve_topics
from rag_pipeline.types import SourceDoc


def asked_of(sentence: str, *others: str) -> dict[str, str]:
    """Return {question: answer} of one sentence, in a document with some others around it."""
    corpus = CorpusStatistics([SourceDoc(1, "a.txt", " ".join([sentence, *others]))])
    good, _ = ask(corpus.sentences[1][0], corpus)
    return {question.candidate.text: question.candidate.answer for question in good}


@pytest.mark.parametrize(
    "sentence, vague",
    [
        ("By early February, Frontex sold 102,779 units of armour in Warsaw.", "By early February"),
        ("In the early evening of 15 June, Webb began the attempt by passing over the river.", "15 June"),
        ("The FSO Car Factory returned to Warsaw on 11 November.", "When did"),
        ("Barker continued to attend evening classes at the Croydon Art School in 1920.", "When did"),
        ("Barker sometimes incorporated portraits of fellow parishioners in 1920.", "sometimes"),
        ("Walter Afanasieff played the synth horns on the album.", "What did Walter Afanasieff play?"),
        ("MasterCard Emerging Market Index has noted the economic strength of Warsaw.", "noted?"),
        ("Polish civilian deaths are estimated at between 150,000 and 200,000.", "estimated at"),
        ("The financial institution must provide written evidence of a fiduciary relationship.", "institution provide"),
        ("Warsaw has been called “the cultural capital” with many clubs and serious restaurants.", "called with"),
        ("With respect to the tax, the Warsaw Bank is required to file all reports.", "required to do"),
        ("Biometric devices in Warsaw with their passwords provide additional protections.", "What do biometric"),
        ("Folk etymology attributes the name of Warsaw to a fisherman, Wars, and his wife, Sawa.", "Who does"),
        ("Warsaw lies in east-central Poland about 300 km from the Carpathian Mountains.", "about 300 km"),
        ("Llandaff House stands on Konwiktorska Street, a ten-minute walk from Wola.", "What is Konwiktorska Street?"),
        ("The Łazienki Park covers the area of 76 ha.", "Which park"),
        ("Upon disposition of assets, the Warsaw Bank must update the register.", "what must"),
        ("The Warsaw Tigers beat the Vilnius Bears 4-3 to qualify for the final round.", "Why"),
        ("Both cities and communes of Mazovia are governed by a mayor.", "both"),
        ("In 1918, Cicely Barker produced a postcard series of elves.", "In 1918"),
        ("The plain ray of Warsaw inhabits the continental shelf.", "inhabit?"),
        ("The Warsaw Museum operates a rare theatre, the Warsaw Fotoplastikon.", "What does the Warsaw Museum operate"),
        ("The canceled checks of Warsaw Bank may be located in Warsaw in an electronic format.", "format"),
        ("The travel of the Warsaw Bank must be cheap, when cost and other factors are considered.", "When must"),
        ("If the audit of Vilnius fails twice, the Warsaw Bank must file a report.", "What happens"),
        ("If the audit of Vilnius fails twice, the Warsaw Bank needs to file a report.", "What happens"),
        ("If the audit of Vilnius fails twice, the Warsaw Bank must include the unpaid recovery as value.", "Bank do?"),
        ("Positive pay arrangement should also verify the payee names of Warsaw banks.", "arrangement"),
        ("The Warsaw copies must be destroyed every two weeks.", "How often"),
    ],
)
def test_what_leaves_something_open_is_not_asked(sentence: str, vague: str) -> None:
    assert not [question for question in asked_of(sentence) if vague in question and "stated" not in question]


def test_what_a_long_name_in_capitals_made_is_not_asked_either() -> None:
    """It can be parted in very many ways, which a careless pattern would try all."""
    name = "NATO" * 15
    found = asked_of(f"In 1990, {name} produced a report on Vilnius.")
    assert found[f"When did {name} produce a report on Vilnius?"] == "1990"
    assert f"In 1990, what did {name} produce?" not in found


def test_a_duty_is_asked_for_only_where_its_circumstance_stands_alone() -> None:
    duty = "If the auditor of Vilnius attends a public hearing, the Warsaw Bank must file a report."
    question = "If the auditor of Vilnius attends a public hearing, what must the Warsaw Bank do?"
    assert question in asked_of(duty)
    other = "The Warsaw Bank must also rise when the auditor of Vilnius attends a public hearing."
    assert question not in asked_of(duty, other)


@pytest.mark.parametrize(
    "sentence, other, cut",
    [
        (
            "The Warsaw Bank must obtain a fair amount of fidelity coverage on employees.",
            "Whoever sells software shall have fidelity coverage on employees.",
            "What must the Warsaw Bank obtain on employees?",
        ),
        (
            "The Warsaw Bank must review applications for hardship discharges.",
            "The debtor sends an application for a hardship discharge to the court.",
            "What must the Warsaw Bank review applications for?",
        ),
    ],
)
def test_what_is_said_together_elsewhere_is_not_parted(sentence: str, other: str, cut: str) -> None:
    assert cut in asked_of(sentence)
    assert cut not in asked_of(sentence, other)


@pytest.mark.parametrize(
    "sentence, question, answer",
    [
        (
            "Since 2002 the President of Warsaw is elected by all of the citizens of Warsaw.",
            "Since when has the President of Warsaw been elected by all of the citizens of Warsaw?",
            "2002",
        ),
        ("The Warsaw Opera is closed since 1999.", "Since when has the Warsaw Opera been closed?", "1999"),
    ],
)
def test_what_goes_on_since_then_is_asked_in_the_perfect(sentence: str, question: str, answer: str) -> None:
    assert asked_of(sentence).get(question) == answer


@pytest.mark.parametrize(
    "sentence, question, answer",
    [
        ("The Łazienki Park covers the area of 76 ha.", "How large an area does the Łazienki Park cover?", "76 ha"),
        (
            "The first historical reference to Warsaw dates back to the year 1313.",
            "When does the first historical reference to Warsaw date back to?",
            "the year 1313",
        ),
        (
            "The Warsaw Ghetto held out for almost a month.",
            "How long did the Warsaw Ghetto hold out?",
            "almost a month",
        ),
        (
            "The Warsaw City Council is elected every four years.",
            "How often is the Warsaw City Council elected?",
            "every four years",
        ),
        (
            "The Warsaw Bank must send a copy of the books to the Vilnius Court at least monthly.",
            "How often must the Warsaw Bank send a copy of the books to the Vilnius Court?",
            "at least monthly",
        ),
        (
            "The Warsaw Bank must retain an outside consultant approximately every five years to ensure its standing.",
            "How often must the Warsaw Bank retain an outside consultant?",
            "approximately every five years",
        ),
        (
            "The Warsaw Bank should monitor payments and receipts on a monthly basis.",
            "How often should the Warsaw Bank monitor payments and receipts?",
            "on a monthly basis",
        ),
        (
            "The trace reports of the Warsaw Bank must be kept in paper or film for a period of not less than 7 years.",
            "How long must the trace reports of the Warsaw Bank be kept in paper or film?",
            "not less than 7 years",
        ),
        (
            "The reports of the Warsaw Bank must be sent to Vilnius within 30 days after the end of each month.",
            "Within how many days after the end of each month must the reports of the Warsaw Bank be sent to Vilnius?",
            "30 days",
        ),
        (
            "The fee of the Warsaw Bank is fixed by the Director by delegation from the Vilnius Court.",
            "Who fixes the fee of the Warsaw Bank by delegation from the Vilnius Court?",
            "the Director",
        ),
        (
            "The salary pool of the Warsaw Bank is intended to be the sole source for bonuses.",
            "What is the salary pool of the Warsaw Bank intended to be?",
            "the sole source for bonuses",
        ),
        (
            "The objective of a Warsaw review is to assess each bank in some areas, such as closing and accounts.",
            "What is the objective of a Warsaw review?",
            "to assess each bank in some areas, such as closing and accounts",
        ),
        (
            "The fiscal year for the Warsaw Bank is October 1 to September 30.",
            "What is the fiscal year for the Warsaw Bank?",
            "October 1 to September 30",
        ),
        (
            "There are 13 natural reserves in Warsaw, among others Bielany Forest.",
            "How many natural reserves does Warsaw have?",
            "13 natural reserves",
        ),
        (
            "In 2006, 304,016 companies were registered in Warsaw.",
            "In 2006, how many companies were registered in Warsaw?",
            "304,016 companies",
        ),
        (
            "Central Poland came under the rule of the General Government, a German Nazi colonial administration.",
            "What was the General Government?",
            "a German Nazi colonial administration",
        ),
        (
            "The first settlements of Warsaw were located in Bródno (9th century) and Jazdów (12th century).",
            "Where were the first settlements of Warsaw located?",
            "Bródno (9th century) and Jazdów (12th century)",
        ),
        (
            "On 1 August 1944, as the army was nearing, the Warsaw Uprising began.",
            "When did the Warsaw Uprising begin?",
            "1 August 1944",
        ),
        (
            "The main threat to the Warsaw Zoo is illegal capture by hunters.",
            "What is the main threat to the Warsaw Zoo?",
            "illegal capture by hunters",
        ),
        (
            "When a Warsaw case is closed, the Warsaw Bank is required to file all reports and pay any amounts due.",
            "When a Warsaw case is closed, what is the Warsaw Bank required to do?",
            "file all reports and pay any amounts due",
        ),
    ],
)
def test_a_plain_form_asks_for_what_is_told(sentence: str, question: str, answer: str) -> None:
    found = asked_of(sentence)
    assert found.get(question) == answer, found


def test_a_name_inside_a_longer_name_does_not_keep_the_city_unnamed() -> None:
    text = (
        "# Warsaw\n\nWarsaw is the capital and largest city of Poland. Warsaw lies on the Vistula. Warsaw has a zoo. "
        "Many visit Warsaw. The city was awarded a medal in 1940 during the Siege of Warsaw. The city has a metro. "
        "The city is older than Warsaw thinks."
    )
    told = [one.resolved for one in resolve_topics(CorpusStatistics([SourceDoc(1, "a.md", text)]).sentences[1])]
    assert "Warsaw was awarded a medal in 1940 during the Siege of Warsaw." in told
    assert not any("older" in one for one in told)


LIST = """# Guide

## Why Prompts Changed

- **Type-safe** - Models define the exact structure that is expected
- **Customized per metric** - Each metric has its own well-defined interface
- **Reusable** - Classes follow the same pattern across all metrics
- **Version Tracking** - Stores prompts beside the code of each experiment

## Old Prompts - Deprecated

- **Deprecation**: The modular architecture is preferred from now on

## Functions

- **Impact**: A direct breaking change without any fallback
"""


def test_an_entry_of_a_list_is_asked_for_where_it_names_a_thing_under_a_telling_heading() -> None:
    corpus = CorpusStatistics([SourceDoc(1, "guide.md", LIST)])
    found = [question.candidate.text for one in corpus.sentences[1] for question in ask(one, corpus)[0]]
    assert found == ["Under “Why Prompts Changed”, what is noted about Version Tracking?"]


MANUAL = """# Manual

## A. MEETING OF CREDITORS

The officer shall open the meeting of creditors at noon. The clerk shall attend the meeting of creditors.

- General Ledger – a detailed record of deposits of the Warsaw Bank.
- Large check report – identifies all checks over ten dollars.
- Late fees – fees that nobody has paid for a year.
- Travel: This line item includes airfare, meals and lodging.
- Salaries: This line item includes wages paid to the staff.
This line item also includes bonuses.

## B. MONTHLY REPORTS

The monthly report must be sent to Vilnius within 30 days after the end of each month.

"""


def test_an_entry_that_says_enough_is_asked_for_without_its_heading() -> None:
    again = MANUAL.replace("# Manual", "# Manual, Reprinted")
    corpus = CorpusStatistics([SourceDoc(1, "manual.md", MANUAL + again)])
    found = {one.candidate.text: one.candidate.answer for each in corpus.sentences[1] for one in ask(each, corpus)[0]}
    assert {text: answer for text, answer in found.items() if "stated" not in text} == {
        "What is the General Ledger?": "a detailed record of deposits of the Warsaw Bank",
        "What does the large check report identify?": "all checks over ten dollars",
        "What does the line item “Travel” include?": "airfare, meals and lodging",
        "Within how many days after the end of each month must the monthly report be sent to Vilnius?": "30 days",
    }


def test_a_term_of_a_heading_is_written_in_full() -> None:
    others = "\n\n".join(f"Clerk {number} attends the meeting of creditors." for number in range(20))
    corpus = CorpusStatistics([SourceDoc(1, "manual.md", MANUAL + others)])
    assert (
        corpus.with_full_terms("What must be said at the meeting?") == "What must be said at the meeting of creditors?"
    )
    assert corpus.with_full_terms("Who leaves the meeting room?") == "Who leaves the meeting room?"
