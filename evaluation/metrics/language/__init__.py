"""Language of an answer: words, syllables, scripts, which language it is, and the mistakes of its grammar."""
