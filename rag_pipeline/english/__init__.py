"""What English text is made of: sentences, words, stems, numbers, dates and names, for every package."""
