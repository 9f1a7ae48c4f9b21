"""The tuned embeddings of a test set, and the form that makes one."""

from __future__ import annotations

from typing import Any

from evaluation.models import TestSet, TunedEmbedding
from workbench.forms.tuning import TuningForm, free_tuned_name


def tuning_panel(testset: TestSet, form: TuningForm | None = None, error: str = "") -> dict[str, Any]:
    """Return what the panel shows: the models of this test set, newest first, and the form."""
    taken = set(TunedEmbedding.objects.values_list("name", flat=True))
    return {
        "testset": testset,
        "tuned": list(testset.tuned_embeddings.select_related("task")),
        "tuning": form or TuningForm(initial={"name": free_tuned_name(testset, taken)}),
        "tuning_error": error,
    }
