"""What a page of a PDF shows, turned to Markdown: pieces of text, their order, and what they are."""
