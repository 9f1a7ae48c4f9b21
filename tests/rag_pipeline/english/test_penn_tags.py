"""Tags of a sentence, without all that TextBlob would bring along."""

from __future__ import annotations

import subprocess
import sys

from rag_pipeline.english.penn_tags import tag

_ALONE = """
import sys
from rag_pipeline.english.penn_tags import tag
assert [token.tag for token in tag("The cat sat.")] == ["DT", "NN", "VBD", "."]
print(sorted({"nltk", "scipy", "sklearn"} & set(sys.modules)))
import textblob
print(textblob.TextBlob("cat").raw)
"""


def test_a_sentence_is_tagged():
    assert [(token.text, token.tag) for token in tag("She ruled Warsaw in 1655.")] == [
        ("She", "PRP"), ("ruled", "VBD"), ("Warsaw", "NNP"), ("in", "IN"), ("1655", "CD"), (".", "."),
    ]  # fmt: skip


def test_tagging_loads_no_heavy_package_and_leaves_textblob_whole_for_others():
    told = subprocess.run([sys.executable, "-c", _ALONE], capture_output=True, text=True, check=True)
    assert told.stdout.split("\n")[:2] == ["[]", "cat"]
