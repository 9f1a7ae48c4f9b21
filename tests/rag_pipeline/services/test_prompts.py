"""The library of named prompts keeps the user's own beside the shipped ones."""

import pytest

from rag_pipeline.errors import ConfigError
from rag_pipeline.models import NamedPrompt
from rag_pipeline.services import prompts
from rag_pipeline.settings.prompt_templates import shipped_prompts

pytestmark = pytest.mark.django_db

TEXT = "Answer from this:\n{context}\n\n{question}"


def test_shipped_prompts_come_first_and_own_ones_follow_by_name():
    prompts.save_prompt(name="Zebra", text=TEXT)
    prompts.save_prompt(name="Aardvark", text=TEXT)
    listed = prompts.list_prompts()
    assert [prompt.name for prompt in listed] == [*shipped_prompts(), "Aardvark", "Zebra"]
    assert [prompt.shipped for prompt in listed] == [True, True, True, False, False]


def test_saving_under_the_same_name_makes_the_next_version():
    prompts.save_prompt(name="Mine", text=TEXT)
    prompts.save_prompt(name="  Mine ", text="{question} {context} now\r\nnew")
    assert prompts.get_prompt(name="Mine").text == TEXT
    assert prompts.get_prompt(name="Mine v2").text == "{question} {context} now\nnew"
    prompts.save_prompt(name="Other", text=TEXT)
    own = [(each.name, each.base, each.latest, each.before) for each in prompts.list_prompts() if not each.shipped]
    assert own == [("Mine v2", "Mine", True, TEXT), ("Other", "Other", True, ""), ("Mine", "Mine", False, "")]


def test_the_name_of_a_version_stands_for_its_prompt():
    prompts.save_prompt(name="Mine", text=TEXT)
    prompts.save_prompt(name="Mine v2", text="{question} {context} two")
    assert str(prompts.save_prompt(name="Mine v2", text="{question} {context} three")) == "Mine v3"
    assert str(prompts.save_prompt(name="Other v2", text=TEXT)) == "Other v2"  # there is no “Other”
    assert NamedPrompt.objects.filter(name="Mine").count() == 3


def test_the_same_text_again_is_no_new_version():
    first = prompts.save_prompt(name="Mine", text=TEXT)
    assert prompts.save_prompt(name="Mine", text=f" {TEXT}\r\n") == first
    assert NamedPrompt.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "text", "field"),
    [
        ("", TEXT, "name"),
        ("x" * 81, TEXT, "name"),
        ("Concise", TEXT, "name"),
        ("Mine", "{context} but nobody asks", "text"),
        ("Mine", "   ", "text"),
    ],
)
def test_what_cannot_be_saved_is_refused_beside_its_field(name, text, field):
    with pytest.raises(ConfigError) as refused:
        prompts.save_prompt(name=name, text=text)
    assert refused.value.field == field
    assert not NamedPrompt.objects.exists()


def test_an_own_prompt_can_be_deleted_a_shipped_one_cannot():
    prompts.save_prompt(name="Mine", text=TEXT)
    prompts.save_prompt(name="Mine", text=f"{TEXT} shortly")
    prompts.delete_prompt(name="Mine v2")
    assert not NamedPrompt.objects.exists()
    with pytest.raises(ConfigError, match="comes with the workbench"):
        prompts.delete_prompt(name="Concise")
    with pytest.raises(ConfigError, match="There is no prompt called “Mine”"):
        prompts.delete_prompt(name="Mine")
