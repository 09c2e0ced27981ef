"""Tags as words: spellings, words of texts, and names of groups. Imports numpy and `tagmodel` only."""
