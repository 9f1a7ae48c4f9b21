"""Rules that write a test set without a language model: sentences, questions, twins, slips, out-of-scope questions."""
