"""The pipeline: documents to chunks, questions to contexts to answers, stage by stage over blocks."""
