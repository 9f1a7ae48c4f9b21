"""The built-in reader: extractive question answering with a span network, signals of answerability and trimming."""
