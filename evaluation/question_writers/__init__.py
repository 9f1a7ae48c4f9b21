"""Writing test sets. `base.write_questions` is the entry; by rules (`builtin`, `rules`) or by a model (`llm`, `by_model`)."""
