"""Finishes the word that is being typed, so that results appear before its last letter."""

from typing import Final

from service.questions.text.close_spelling import words_of
from service.questions.text.query import find_phrase
from service.view.view import View

SHORTEST: Final = 2
"""Letters; almost any tag begins with less."""


def finish_last_word(view: View, text: str) -> str:
    """The text with its last word, or the phrase that it ends, completed to the commonest tag that begins so.

    A text that ends in a tag, in a space or in a word to leave out is complete.
    """
    typed = text.split()
    if not typed or text[-1].isspace() or typed[-1].startswith("-"):
        return text
    phrases = [(start, " ".join(words_of(" ".join(typed[start:])))) for start in range(len(typed))]
    phrases = [(start, phrase) for start, phrase in phrases[-view.longest_phrase :] if len(phrase) >= SHORTEST]
    if any(find_phrase(view, phrase) is not None for _, phrase in phrases):
        return text
    for start, phrase in phrases:
        ranks = view.completion.beginning(phrase)
        if len(ranks):
            return " ".join([*typed[:start], view.completion.key(int(ranks[0]))])
    return text
