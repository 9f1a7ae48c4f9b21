"""Writing a test set with a chat model, which also checks each question."""
