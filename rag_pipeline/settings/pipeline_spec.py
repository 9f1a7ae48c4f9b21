"""PipelineSpec: all settings of a pipeline as one checked, hashable value."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from rag_pipeline.embedders.base import embedder_named, no_late
from rag_pipeline.errors import ConfigError
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.registry import Unit, first_problem
from rag_pipeline.setting_fields import Setting, Stage, settings_in
from rag_pipeline.settings import prompt_templates as prompts
from rag_pipeline.settings.catalogue import option_names, pipeline_settings, unread_names
from rag_pipeline.settings.conditions import ONLY_READ_BY, needs_vectors
from rag_pipeline.settings.core import CoreSettings
from rag_pipeline.settings.parts import PARTS, Part

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class PipelineSpec:
    """Checked settings: `core`, and the options of each chosen unit by the setting that chose it."""

    core: CoreSettings
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def create(
        cls, given: Mapping[str, Any] | None = None, *, drop_unread: bool = False, retrieves: bool = True
    ) -> PipelineSpec:
        """Check flat settings by name; values may be text.

        Raises ConfigError (with the field's name) for a wrong value, an unknown name, or a name that no chosen part
        reads. `drop_unread` leaves known but unread names out instead: for forms, which always send all fields.
        `retrieves`: False where contexts are given; then the model need not be able to do what finding them took.
        """
        values = dict(given or {})
        core = _validated(CoreSettings, _take(values, CoreSettings))
        unread = unread_names(core.model_dump() | values)
        units = {part: part.unit(getattr(core, part.field)) for part in PARTS}
        embedder = embedder_named(core.embedding)[0]
        if core.embed_mode == "late" and "embed_mode" not in unread and not embedder.gives_tokens:
            raise ConfigError(no_late(core.embedding), "embed_mode")
        read = {part: unit for part, unit in units.items() if part.field not in unread}
        _refuse_what_builtin_cannot(core, read if retrieves else {})
        _refuse_unknown(set(values) - option_names())
        if drop_unread:
            values = {name: value for name, value in values.items() if name not in unread}
        else:
            _refuse_unread({name: unread[name] for name in given or {} if name in unread})
        options = {
            part.field: _validated(unit.Options, _take(values, unit.Options)) for part, unit in read.items() if unit
        }
        core = core.model_copy(update={"prompt_name": _prompt_name(core)})
        spec = cls(core, options)
        _refuse_few_candidates(spec)
        return spec

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings that are read, flat, JSON-ready; `create(settings)` gives an equal spec."""
        flat = self.core.model_dump()
        for options in self.options.values():
            flat |= options.model_dump()
        unread = unread_names(flat)
        return {name: value for name, value in flat.items() if name not in unread}

    @cached_property
    def fingerprint(self) -> str:
        """Hash of all that changes an answer (the prompt's name does not, nor does a step that is switched off)."""
        return self.stage_fingerprint(Stage.ANSWER)

    def stage_fingerprint(self, stage: Stage) -> str:
        """Hash of all that changes the result of a stage: what it reads, and what the stages before it read.

        A unit that asks the model reads the model's settings too. What is given to a run is not in it: documents and
        questions, the oracle's evidence, contexts of another run.
        """
        asks = self.calls_before_answer(stage) > 0
        declared = dict(settings_in(CoreSettings))
        for part in PARTS:
            declared |= _declared_by(self.options.get(part.field), part.stage)
        read = (each for name, each in declared.items() if name in self.settings)
        return _digest_of((each for each in read if _belongs(each, stage, asks)), self.settings)

    @cached_property
    def index_fingerprint(self) -> str:
        """Hash of all that changes chunks or vectors, read or not; with the documents it names an index."""
        options = self.chunker_options
        declared = {name: each for name, each in settings_in(CoreSettings).items() if each.stage == Stage.INDEX}
        declared |= _declared_by(options, Stage.INDEX)
        return _digest_of(declared.values(), self.core.model_dump() | options.model_dump())

    def calls_before_answer(self, stage: Stage = Stage.RETRIEVAL) -> int:
        """Return how many model calls the steps up to a stage make for one question, before the answer is asked for."""
        calls = 0
        for part in PARTS:
            unit = part.unit(getattr(self.core, part.field)) if part.field in self.options else None
            if part.stage <= stage and unit is not None and hasattr(unit, "calls"):
                calls += unit.calls(self.options[part.field])
        return calls

    @property
    def chunker_options(self) -> Any:
        """Options of the chunker; its defaults where none is read."""
        return self.options.get("chunker") or _validated(_part("chunker").options(self.core.chunker), {})

    @property
    def needs_vectors(self) -> bool:
        """True when chunks are searched by their embeddings."""
        return self.core.use_context and needs_vectors(self.settings)

    @property
    def needs_chunks(self) -> bool:
        """True when documents are cut at all: not without context, and not for the oracle."""
        return "chunker" in self.options

    @property
    def is_builtin_reader(self) -> bool:
        """True when answers are extracted, not written by a model."""
        return self.core.llm == BUILTIN_READER

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PipelineSpec) and self.settings == other.settings

    def changed(self, **settings: Any) -> PipelineSpec:
        """Return a copy with some settings changed; names that are no longer read are dropped."""
        base = dict(self.settings)
        if "prompt" in settings and "prompt_name" not in settings:
            base.pop("prompt_name", None)
        return PipelineSpec.create(base | settings, drop_unread=True)


def digest(value: Any) -> str:
    """Return 32 hex digits of the SHA-256 of a JSON-ready value, independent of key order."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _declared_by(options: BaseModel | None, stage: Stage) -> Mapping[str, Setting]:
    """Return the settings in the options of a unit that belongs to a stage; none where no unit is chosen."""
    return settings_in(type(options), stage) if options is not None else {}


def _belongs(declared: Setting, stage: Stage, asks: bool) -> bool:
    """Return whether a stage, or one before it, reads a setting. `asks`: they ask the model."""
    return (declared.stage or Stage.ANSWER) <= stage or (asks and declared.info.in_model_calls)


def _digest_of(declared: Iterable[Setting], values: Mapping[str, Any]) -> str:
    """Return the digest of the values of these settings, those left out that change no result."""
    return digest({each.name: values[each.name] for each in declared if each.changes_results(values[each.name])})


def _part(name: str) -> Part:
    return next(part for part in PARTS if part.field == name)


def _refuse_what_builtin_cannot(core: CoreSettings, units: Mapping[Part, type[Unit] | None]) -> None:
    """Refuse what only a language model can do. Raises ConfigError."""
    if core.llm != BUILTIN_READER:
        return
    if not core.use_context:
        raise ConfigError(
            "The built-in reader extracts answers from the documents and cannot run without context. "
            "Choose another model, or switch Use context on.",
            "use_context",
        )
    for part, unit in units.items():
        if unit is not None and getattr(unit, "needs_model", False):
            raise ConfigError(
                f"{part.title} {unit.key} needs a language model; the built-in reader cannot write. "
                f"Choose another model, or {part.title.lower()} none.",
                part.field,
            )


def _refuse_unread(unread: Mapping[str, str]) -> None:
    for name, reason in unread.items():
        mend = f"Choose what reads it, or leave {name} out" if reason.startswith(ONLY_READ_BY) else "Leave it out"
        raise ConfigError(f"{name} would change nothing: {reason}. {mend}.", name)


def _refuse_few_candidates(spec: PipelineSpec) -> None:
    """A reranker that sees fewer chunks than are asked for could not fill the answer's contexts."""
    candidates = getattr(spec.options.get("reranker"), "rerank_candidates", None)
    if candidates is not None and candidates < spec.core.top_k:
        raise ConfigError(
            f"Rerank candidates ({candidates}) must be at least top k ({spec.core.top_k}): "
            "the reranker chooses among them. Raise it, or lower top k.",
            "rerank_candidates",
        )


def _validated(model: type[M], given: Mapping[str, Any]) -> M:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        field, message = first_problem(error)
        raise ConfigError(message, field or _guess_field(model, message) or next(iter(given), "")) from error


def _guess_field(model: type[BaseModel], message: str) -> str:
    """Cross-field checks of pydantic carry no field; find the one whose title the message begins with."""
    said = message.removeprefix("The ").lower()
    found = [each for each in settings_in(model).values() if said.startswith(each.title.lower())]
    return max(found, key=lambda each: len(each.title)).name if found else ""


def _take(values: dict[str, Any], options: type[BaseModel]) -> dict[str, Any]:
    return {name: values.pop(name) for name in options.model_fields if name in values}


def _refuse_unknown(names: set[str]) -> None:
    for name in sorted(names):
        known = pipeline_settings()
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]}?" if close else f" There are: {', '.join(sorted(known))}."
        raise ConfigError(f"There is no setting called {name}.{hint}", name)


def _prompt_name(core: CoreSettings) -> str:
    if core.prompt_name.strip():
        return core.prompt_name.strip()
    template = core.prompt.strip()
    for name, shipped in prompts.shipped_prompts().items():
        if shipped == template:
            return name
    return f"Custom {digest(template)[:4]}"
