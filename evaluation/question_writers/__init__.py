"""Writing test sets by rules or by a model; `base.write_questions` is the entry, all else is known in here only."""
