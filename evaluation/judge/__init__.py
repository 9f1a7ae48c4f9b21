"""The judge: a language model that gives verdicts on answers; its prompts, forms, claims and preferences."""
