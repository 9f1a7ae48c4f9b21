"""The claims of an answer and of its reference, checked once against the contexts and against each other."""
