"""The kinds of background work of the evaluation, each with the module that does it."""

HANDLERS = {
    "complete": "evaluation.services.completing",
    "evaluate": "evaluation.services.evaluating",
    "generate": "evaluation.services.generation",
    "prefer": "evaluation.services.preferring",
    "score_again": "evaluation.services.rescoring",
    "score_file": "evaluation.services.answer_files",
    "sweep": "evaluation.services.sweeping",
    "tune": "evaluation.services.tuning",
}
