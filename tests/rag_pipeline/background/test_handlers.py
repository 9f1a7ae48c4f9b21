"""Every kind of background work has its handler."""

from __future__ import annotations

from importlib import import_module

from rag_pipeline.background import handlers


def test_every_kind_is_done_by_the_module_that_is_named_for_it() -> None:
    modules = handlers._modules()
    assert {"evaluate", "generate", "sweep", "sample"} <= set(modules)
    for kind, module in modules.items():
        import_module(module)
        assert handlers._handlers[kind].__module__ == module
