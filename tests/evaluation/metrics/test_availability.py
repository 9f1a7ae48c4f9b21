"""Which metrics can give a number, and in which words the others say why not."""

from __future__ import annotations

import pytest

from evaluation.metrics.availability import NO_CONTEXTS, NO_JUDGE, Available, check_options, unmet
from evaluation.metrics.base import Metric, make_metric
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError

SPEC = EvaluationSpec()


class NeedsJudge(Metric):
    key = "needs_judge"
    needs = frozenset({"answer", "judge"})


class NeedsServer(Metric):
    key = "needs_server"

    def unready(self) -> str:
        return "set LANGUAGETOOL_URL to the address of a LanguageTool server"


class NeedsPackage(Metric):
    key = "needs_package"
    requires = {"no_such_module": "no-such-package"}


def test_what_is_lacking_is_said_with_the_mend():
    available = Available({"judge": NO_JUDGE, "contexts": NO_CONTEXTS})
    assert unmet(NeedsJudge(), available) == "choose a judge"
    assert unmet(make_metric("k_precision", SPEC), available) == NO_CONTEXTS
    assert unmet(make_metric("token_f1", SPEC), available) == ""
    assert unmet(NeedsJudge(), Available()) == ""


def test_what_this_machine_lacks_is_said_too():
    assert unmet(NeedsServer(), Available()) == "set LANGUAGETOOL_URL to the address of a LanguageTool server"
    assert unmet(NeedsPackage(), Available()) == "Needs no-such-package: pip install no-such-package"


def test_kinds_of_question_that_are_not_asked():
    only_outside = Available(kinds=frozenset({"out_of_scope"}))
    assert unmet(make_metric("token_f1", SPEC), only_outside) == "the test set has no simple and complex questions"
    assert unmet(make_metric("max_words", SPEC), only_outside) == ""


def test_a_rule_without_its_pattern_is_refused_with_the_mend():
    with pytest.raises(ConfigError, match=r"The metric must_match has no pattern\. Set its option pattern, or") as told:
        check_options(EvaluationSpec.create({"metrics": "must_match"}))
    assert told.value.field == "metric_options"
    check_options(EvaluationSpec.create({"metrics": "must_match", "metric_options": {"must_match": {"pattern": "a"}}}))
