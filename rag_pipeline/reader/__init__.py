"""The built-in extractive reader: sentences, questions, answer types, scoring, trimming, declining."""
