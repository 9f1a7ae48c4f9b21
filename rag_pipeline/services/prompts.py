"""The library of named prompts: the shipped ones are files, the user's own are rows."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from rag_pipeline.errors import ConfigError
from rag_pipeline.models import NamedPrompt
from rag_pipeline.settings.prompt_templates import placeholders, shipped_prompts

LONGEST_NAME = 80


_VERSION = re.compile(r"(?P<name>.+) v(?P<version>[0-9]+)")


@dataclass(frozen=True, slots=True)
class LibraryPrompt:
    """A prompt that can be chosen by name. Runs keep their own copy: changing one here changes no result.

    `name` is that of a version, such as “Short v2”; `base` that of all of them. `latest`: no version came later.
    `before`: the text of the version before, empty for the first.
    """

    name: str
    text: str
    shipped: bool
    updated: dt.datetime | None = None
    base: str = ""
    latest: bool = True
    before: str = ""

    @property
    def placeholders(self) -> set[str]:
        """Which of `context`, `question`, `refusal` it uses."""
        return placeholders(self.text)


def list_prompts() -> list[LibraryPrompt]:
    """Return the shipped prompts in their order, then the user's by name, then the earlier versions of these."""
    shipped = [LibraryPrompt(name, text, True, base=name) for name, text in shipped_prompts().items()]
    newest: dict[str, int] = {}
    own = []
    rows = list(NamedPrompt.objects.all())
    for row, earlier in zip(rows, [*rows[1:], None], strict=False):
        latest = newest.setdefault(row.name, row.version) == row.version
        before = earlier.text if earlier and earlier.name == row.name else ""
        own.append(LibraryPrompt(str(row), row.text, False, row.updated, row.name, latest, before))
    return shipped + sorted(own, key=lambda prompt: not prompt.latest)


def library_name(text: str) -> str:
    """Return the name under which the library holds a prompt, a shipped one first; empty when it does not."""
    wanted = text.replace("\r\n", "\n").strip()
    shipped = (name for name, each in shipped_prompts().items() if each.strip() == wanted)
    return next(shipped, "") or next((each.name for each in list_prompts() if each.text.strip() == wanted), "")


def get_prompt(*, name: str) -> LibraryPrompt:
    """Return the prompt called `name`. Raises ConfigError naming what there is."""
    library = {prompt.name: prompt for prompt in list_prompts()}
    if name not in library:
        raise ConfigError(f"There is no prompt called “{name}”. There are: {', '.join(library)}.", "prompt")
    return library[name]


def save_prompt(*, name: str, text: str) -> NamedPrompt:
    """Store a prompt under a name; of an own one of that name it is the next version, unless one has just this text.

    Raises ConfigError with the field's name.
    """
    name, text = " ".join(name.split()), text.replace("\r\n", "\n").strip()
    if not name:
        raise ConfigError("Give the prompt a name: it is shown in charts and tables.", "name")
    if len(name) > LONGEST_NAME:
        raise ConfigError(f"The name has {len(name)} characters; at most {LONGEST_NAME} are kept.", "name")
    if name in shipped_prompts():
        raise ConfigError(f"“{name}” comes with the workbench and cannot be changed. Choose another name.", "name")
    if "question" not in placeholders(text):
        raise ConfigError(
            "The prompt has no {question}. Put {question} where the user's question should stand.", "text"
        )
    versions = NamedPrompt.objects.filter(name=_base(name))
    same, last = versions.filter(text=text).first(), versions.first()
    return same or NamedPrompt.objects.create(name=_base(name), text=text, version=last.version + 1 if last else 1)


def delete_prompt(*, name: str) -> None:
    """Delete one of the user's prompts with its versions. Raises ConfigError for a shipped or an unknown one."""
    if get_prompt(name=name).shipped:
        raise ConfigError(f"“{name}” comes with the workbench and cannot be deleted.", "name")
    NamedPrompt.objects.filter(name=_base(name)).delete()


def _base(name: str) -> str:
    """Return the name without the version, where there is a prompt of that name: “Short v2” belongs to “Short”."""
    found = _VERSION.fullmatch(name)
    return found["name"] if found and NamedPrompt.objects.filter(name=found["name"]).exists() else name
