"""The report of bench_validity as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_PUBLISHED = {
    "clapnq": {"k_precision": ".928 / .779 / .622", "BERT K-precision, as published": ".951 / .775 / .621"},
    "begin": {"k_precision": ".944 / .759 / .627"},
    "instruct_qa": {
        "token_recall": ".876 / .610 / .577 (396 rows)",
        "token_f1": ".872 / .502 / – (396 rows)",
        "rouge_l": ".879 / .512 / – (396 rows)",
        "semantic_similarity": ".871 / .495 / – (396 rows)",
    },
}
_TITLES = {
    "clapnq": "**ClapNQ**: is the answer faithful to its passages? {rows} answers, {bad} of them not (mean of three "
    "ratings at most 2.5); Spearman and Kendall with the mean rating.",
    "begin": "**BEGIN-WoW**: is the reply fully attributable to the sentence given? {rows} replies, {bad} of them not.",
    "instruct_qa": "**instruct-qa**: is the answer right? {rows} answers, {bad} of them not: too few to tell metrics "
    "apart.",
}


def table(figures: dict[str, Any]) -> str:
    """Return all figures as Markdown."""
    lines = [
        "Each figure with its 95 % interval (bootstrap over questions, whose answers are drawn together), on the rows "
        "that the metric scores; beside it what was published or measured elsewhere on the same data "
        "(AUROC / Spearman / Kendall). all-MiniLM-L6-v2 scores.",
    ]
    for name, title in _TITLES.items():
        lines += ["", title.format(**figures[name]), "", *_marks(figures[name], _PUBLISHED[name])]
    lines += ["", *_compared(figures), "", *_looks(figures), "", *_rated(figures["ratings"]), "", *_pairs(figures)]
    return "\n".join(lines)


def _marks(found: dict[str, Any], published: dict[str, str]) -> list[str]:
    lines = ["| metric | n | AUROC | Spearman | Kendall | elsewhere |", "|---|---|---|---|---|---|"]
    for name, row in _ranked(found):
        cells = [_interval(row[title]) for title in ("AUROC", "Spearman", "Kendall")]
        lines.append(f"| {name} | {row['n']} | {' | '.join(cells)} | {published.get(name, '')} |")
    lines += [f"| *{name}* | | | | | *{figures}* |" for name, figures in published.items() if name not in found]
    return lines


def _ranked(found: dict[str, Any]) -> list[tuple[str, Any]]:
    rows = [(name, row) for name, row in found.items() if isinstance(row, dict)]
    return sorted(rows, key=lambda item: -item[1]["AUROC"][0])


def _compared(figures: dict[str, Any]) -> list[str]:
    lines = [
        "Paired, on the rows that both score:",
        "",
        "| data | n | ours | baseline | difference |",
        "|---|---|---|---|---|",
    ]
    rows = [*figures["grounded_minus_k"].items(), *figures["correct_minus_recall"].items()]
    for data, row in rows:
        ours, baseline = (name for name in row if name not in ("n", "difference"))
        lines.append(
            f"| {data} | {row['n']} | {ours} {row[ours]:.3f} | {baseline} {row[baseline]:.3f} "
            f"| {_interval(row['difference'], sign=True)} |"
        )
    placed = "; ".join(
        f"{name}: {row['nulls']:.0f} without a score, {row['below']:.3f} with them below all others, "
        f"{row['above']:.3f} above"
        for name, row in figures["nulls_last"].items()
    )
    return [
        *lines,
        "",
        "An answer that states nothing (a refusal) has no groundedness. People did rate such answers, and not always "
        f"well. AUROC of groundedness_offline over all rows: {placed}.",
    ]


def _looks(figures: dict[str, Any]) -> list[str]:
    reached = {name: row["groundedness_offline"] for name, row in figures["grounded_minus_k"].items()}
    looks = [
        [cell.format(**{name: f"{value:.3f}"[1:] for name, value in reached.items()}) for cell in look]
        for look in LOOKS
    ]
    return [
        "How groundedness_offline was made. Its parts were written down by reasoning; weights were chosen on HaluEval, "
        "on answers of MTRAG-UN whose numbers, names and negations were swapped, whose evidence was taken away or that "
        "had a sentence added, and on questions of SQuAD put together with right answers and with those of another "
        "paragraph. ClapNQ and BEGIN were looked at as often as the table says (AUROC; answers without a score left "
        "out unless noted). The first nine looks had a say in two things: names count no more than they do, and the "
        "share of the weakest sentence is .25 and not the .5 to .7 that the other data prefer.",
        "",
        "Looks 10 to 15 came later, and 30 more like them that say the same. BEGIN was cut in two by its knowledge, "
        "and 80 rows of one half were read. People there call small talk, *I have heard that* and an opinion around a "
        "true fact not attributable, all of which the support excuses. So the score became the mean of the support and "
        "of the share of all words, which leaves negations to the support (on MTRAG-UN, an added *not* was else "
        "noticed in .80 of the pairs and not in .97). The form of look 15 was chosen with both sets in view.",
        "",
        *_held_back(figures["held_back"]),
        "",
        "| look | variant | ClapNQ | BEGIN |",
        "|---|---|---|---|",
        *(f"| {place} | {' | '.join(look)} |" for place, look in enumerate(looks, 1)),
        "",
        "Target: .96 on both by a method fixed in advance, over all rows. "
        + ", ".join(
            f"{name}: {row['below']:.3f}, {'' if row['below'] >= TARGET else 'not '}reached"
            for name, row in figures["nulls_last"].items()
        )
        + ". Only 27 answers of ClapNQ are unfaithful: one of them moved from the bottom to the top takes .037 off. "
        "A rating of one of the three people is told from the other two's mark with .845 to .923.",
        "",
        "How much is left: logistic regression on 36 signs of an answer (runs of two to four words, longest common "
        "subsequence, cosines, the built-in reader's support, what is missing by kind, *I*, *you*, questions, words of "
        "opinion, lengths), tested on passages that it was not fitted on, reaches .969 on BEGIN and .942 on ClapNQ; "
        "fitted on one set and tested on the other, .943 and .889. What it learns of BEGIN is its small talk. On the "
        "rows held back such regressions end at .953 on BEGIN and .944 on ClapNQ, where the score has .948 and .944 "
        "without one. So more needs a model that reads, and nothing of it is shipped.",
    ]


def _held_back(figures: dict[str, Any]) -> list[str]:
    lines = [
        "Then people's marks came that nothing had been made with: the first 1,116 replies of BEGIN's split for tests, "
        "and 216 answers to 54 further questions of the file that ClapNQ is from (`tests/data/judged`). What was to be "
        "done with them was written down before the first was scored. Look 15 reached .950 and .942 on the two halves "
        "of BEGIN, test (k_precision .936 and .939), and .912 on the further answers (k_precision .948): its .961 on "
        "ClapNQ was luck with 27 answers, and on the further ones it held *Sure, I'd be happy to help!* against those "
        "who said it. Of that, two things were learned on the rows held back, HaluEval and MTRAG-UN alone: words weigh "
        "as they do in the support, function words half; and courtesy counts nowhere. The plain mean of both parts "
        "was the best mixture there too. Looks 16 and 17 are those at ClapNQ and BEGIN that this took, each after its "
        "rules were fixed; 17 is shipped although 16 is higher, because the rows held back say so (.920 against .944). "
        "Over all rows, those without a score below all others:",
        "",
        "| data | rows | not supported | groundedness_offline | k_precision | difference |",
        "|---|---|---|---|---|---|",
    ]
    return lines + [
        f"| {name} | {row['rows']} | {row['bad']} | {_interval(row['groundedness_offline'])} "
        f"| {_interval(row['k_precision'])} | {_interval(row['difference'], sign=True)} |"
        for name, row in figures.items()
    ]


TARGET = 0.96

LOOKS: Sequence[tuple[str, str, str]] = (
    ("weakest .4, no stock phrases, refusals scored like any answer", ".947", ".951"),
    ("names, numbers and rare words heavier, every likeness of words counts a little", ".925", ".950"),
    ("as 1 with cosine .3, stock phrases and declining sentences left out; a null as 1", ".878", ".926"),
    ("the same, nulls left out", ".947", ".948"),
    ("weakest .5, sentences that decline and go on kept whole, *I* and *you* need support", ".920", ".953"),
    ("weakest 0, *I* and *you* half, declining cut at its turn", ".957", ".945"),
    ("weakest .25, *I* needs support, *you* does not", ".954", ".947"),
    ("the same, refusals told by the refusal detector", ".961", ".947"),
    ("also `don ' t` of tokenised text in one piece, accents left out", ".961", ".947"),
    ("each sentence half its support, half the share of its words", ".952", ".958"),
    ("mean of 9 and K-precision", ".955", ".958"),
    ("mean of 9 and the share of all words but stock phrases and declining sentences", ".962", ".947"),
    ("mean of 9 and the share of all words, weighed by rarity", ".959", ".961"),
    ("mean of 9 and the share of all words", ".964", ".961"),
    ("the same without negations", ".964", ".960"),
    ("words weighed as in the support, function words half; chosen on the first half of BEGIN, test", ".961", ".966"),
    ("as shipped: also without courtesy; chosen on the rows held back alone", "{clapnq}", "{begin}"),
)


def _rated(ratings: dict[str, Any]) -> list[str]:
    columns = list(next(iter(ratings.values())))
    lines = [
        "Spearman of every metric with every rating of ClapNQ (1 to 4; win rate 0 to 100). The cosine of question and "
        "answer does not follow what people find relevant, which is why it is not offered as relevance.",
        "",
        f"| metric | {' | '.join(column.replace('_', ' ') for column in columns)} |",
        "|---" * (len(columns) + 1) + "|",
    ]
    return lines + [
        f"| {name} | {' | '.join(_interval(row[column]) for column in columns)} |" for name, row in ratings.items()
    ]


def _pairs(figures: dict[str, Any]) -> list[str]:
    lines = [
        "HaluEval, 200 pairs, written by a model and not judged by people: how often the right answer is above the "
        "hallucinated one (ties half; groundedness_offline was chosen with it). Elsewhere: k_precision .887.",
        "",
        "| metric | pairs | accuracy |",
        "|---|---|---|",
    ]
    lines += [
        f"| {name} | {row['n']} | {_interval((row['accuracy'], row['low'], row['high']))} |"
        for name, row in figures["halueval"].items()
        if row["n"]
    ]
    return [*lines, "", f"Refusals on MTRAG-UN (see above): balanced accuracy {figures['refusal']:.3f}."]


def _interval(found: Sequence[float], *, sign: bool = False) -> str:
    value, low, high = found
    plus = "+" if sign else ""
    return f"{value:{plus}.3f} ({low:{plus}.3f} to {high:{plus}.3f})"
