"""Dictionary forms: right, and without the parser."""

import subprocess
import sys

import pytest

from rag_pipeline.english.lemmas import all_lemmas, base_form, dictionary_form, lemma, reads_as_english, word_form


@pytest.mark.parametrize(("word", "form"), [("won", "win"), ("mice", "mouse"), ("better", "good"), ("xyzzy", "xyzzy")])
def test_dictionary_forms(word, form):
    assert dictionary_form(word) == form


def test_forms_of_a_part_of_speech():
    assert all_lemmas("leaves") == {"NOUN": ("leave", "leaf"), "VERB": ("leave",)}
    assert lemma("Running") == "run"
    assert (base_form("were"), base_form("criteria", "NOUN")) == ("be", "criterion")
    assert (word_form("take", "VBD"), word_form("city", "NNS")) == ("took", "cities")


_WITHOUT_THE_PARSER = """
import sys
from rag_pipeline.english.lemmas import lemma, word_form
assert lemma("cities") == "city" and word_form("sing", "VBN") == "sung"
print(sorted({"spacy", "torch", "thinc"} & set(sys.modules)))
"""


def test_the_parser_is_not_loaded():
    done = subprocess.run([sys.executable, "-c", _WITHOUT_THE_PARSER], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Backups of the server are made every night and kept for thirty days.", True),
        ("Restart Apache, nginx, HAProxy and Varnish nightly.", True),
        ("Les còpies de seguretat del servidor es fan cada nit i es conserven trenta dies.", False),
        ("Sicherungen des Servers werden jede Nacht erstellt und dreißig Tage aufbewahrt.", False),
        ("Nginx Varnish", True),
    ],
)
def test_english_is_told_by_its_words(text, english):
    assert reads_as_english(text) == english
