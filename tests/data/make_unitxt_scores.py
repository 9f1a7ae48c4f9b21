"""What unitxt makes of fixed cases, kept in unitxt_scores.json so that the tests need no unitxt.

Run it in an environment of its own: `pip install unitxt==1.26.10`, then `python tests/data/make_unitxt_scores.py`.
unitxt brings `datasets`, `evaluate` and pyarrow (614 MB installed), which nothing else here needs.
"""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ["UNITXT_USE_ONLY_LOCAL_CATALOGS"] = "True"
OUTPUT = Path(__file__).with_name("unitxt_scores.json")

NILE = "The Nile flows north, through eleven countries, into the Mediterranean Sea."
TEXTS: list[dict[str, Any]] = [
    {"answer": "Memphis", "references": ["Memphis"], "contexts": ["The decree was issued at Memphis in 196 BC."]},
    {"answer": "In Memphis, I think.", "references": ["Memphis"], "contexts": ["It was issued at Memphis."]},
    {"answer": "the a an", "references": ["the"], "contexts": [NILE]},
    {"answer": "Thebes", "references": ["Memphis", "Lower Egypt"], "contexts": ["Memphis", "Alexandria"]},
    {"answer": "It flows into the sea.", "references": ["the Mediterranean Sea", "the sea"], "contexts": [NILE]},
    {"answer": "north north north", "references": ["It flows north."], "contexts": [NILE, "north north"]},
    {"answer": "Eleven (11) countries!", "references": ["eleven countries", "11"], "contexts": [NILE, "11 countries"]},
    {"answer": "e-mail and U.S.A.", "references": ["email", "USA and email"], "contexts": ["By e mail in the USA"]},
    {
        "answer": "A theatre; an anthem",
        "references": ["the theatre and the anthem"],
        "contexts": ["An anthem: theatre"],
    },
    {"answer": "Straße nach Köln", "references": ["die Straße nach Köln"], "contexts": ["STRASSE", "Nach Köln!"]},
    {"answer": "尼罗河 很长", "references": ["尼罗河 非常 长"], "contexts": ["尼罗河 在 非洲", "很长 很长"]},
    {"answer": "نهر النيل طويل", "references": ["النيل نهر طويل جدا"], "contexts": ["نهر النيل في مصر"]},
    {"answer": "long 🐪 river", "references": ["a long river 🐪"], "contexts": ["camel 🐪", "the long river"]},
    {"answer": f"{NILE} It is long.", "references": [NILE], "contexts": [NILE[:30], NILE[20:]]},
    {"answer": "yes \n\t yes", "references": ["yes"], "contexts": ["no", "Yes, yes."]},
    {"answer": "It's Cairo's “old” town", "references": ["Its Cairos old town"], "contexts": ["it's “old” Cairo"]},
]
IDS: list[dict[str, Any]] = [
    {"found": ["a", "b", "c"], "gold": ["a"]},
    {"found": ["x", "a", "y", "b"], "gold": ["a", "b"]},
    {"found": ["x", "y", "z", "a"], "gold": ["a"]},
    {"found": ["x", "y"], "gold": ["a"]},
    {"found": ["b", "a"], "gold": ["a", "b"]},
    {"found": ["x", "a", "b", "y", "c", "z"], "gold": ["c", "a", "b"]},
    {"found": ["x", "a", "y"], "gold": ["a", "b", "c"]},
    {"found": ["x", "y", "z", "u", "v", "a"], "gold": ["a", "v"]},
    {"found": ["a"], "gold": ["a", "a"]},
]


def main() -> None:
    """Write the file."""
    from unitxt.artifact import fetch_artifact

    overlap, mrr, average, at_k = (
        fetch_artifact(f"metrics.{name}")[0] for name in ("token_overlap", "mrr", "map", "retrieval_at_k")
    )
    for case in TEXTS:
        against = overlap.compute(case["references"], case["answer"], {})
        case["unitxt"] = {
            "token_precision": against["precision"],
            "token_recall": against["recall"],
            "token_f1": against["f1"],
            "k_precision, best context": overlap.compute(case["contexts"], case["answer"], {})["precision"],
            "k_precision": overlap.compute([" ".join(case["contexts"])], case["answer"], {})["precision"],
            "reference_context_recall": overlap.compute([" ".join(case["references"])], " ".join(case["contexts"]), {})[
                "recall"
            ],
        }
    for case in IDS:
        ranked = at_k.compute([case["gold"]], case["found"], {})
        case["unitxt"] = {
            "mrr": mrr.compute([case["gold"]], case["found"], {})["mrr"],
            "map": average.compute([case["gold"]], case["found"], {})["map"],
            "at_k": {
                str(k): {name: ranked[f"{measure}_at_{k}"] for name, measure in _AT_K.items()} for k in (1, 3, 5, 10)
            },
        }
    content = {"unitxt": version("unitxt"), "texts": TEXTS, "ids": IDS}
    OUTPUT.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


_AT_K = {"precision_at_k": "precision", "recall_at_k": "recall", "hit_rate": "match"}


if __name__ == "__main__":
    main()
