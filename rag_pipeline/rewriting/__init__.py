"""What a question is rewritten with by rules: spelling after the corpus, and the clause that asks."""
