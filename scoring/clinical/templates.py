"""Words and sequences of words looked for in a row of tokens; ``*`` stands for any ending."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_MEMORY = 20_000


class Token(NamedTuple):
    """A word, a comma or a parenthesis with its place."""

    word: str
    start: int
    end: int


class WordClass:
    """A set of words in which ``*`` stands for any ending; what was asked once is remembered."""

    def __init__(self, words: Iterable[str]) -> None:
        listed = tuple(words)
        self.exact = frozenset(word for word in listed if not word.endswith("*"))
        self.stems = tuple(word[:-1] for word in listed if word.endswith("*"))
        self._known: dict[str, bool] = {}

    def __contains__(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = word in self.exact or (bool(self.stems) and word.startswith(self.stems))
            if len(self._known) < _MEMORY:
                self._known[word] = known
        return known


class _Node:
    """One word of the templates, with the words that may come next."""

    __slots__ = ("ends", "exact", "stems")

    def __init__(self) -> None:
        self.exact: dict[str, _Node] = {}
        self.stems: list[tuple[str, _Node]] = []
        self.ends = False

    def grow(self, word: str) -> _Node:
        if not word.endswith("*"):
            return self.exact.setdefault(word, _Node())
        for stem, node in self.stems:
            if stem == word[:-1]:
                return node
        node = _Node()
        self.stems.append((word[:-1], node))
        return node

    def join(self, other: _Node) -> None:
        """Take in what may follow ``other`` as well."""
        self.ends = self.ends or other.ends
        for word, node in other.exact.items():
            self.grow(word).join(node)
        for stem, node in other.stems:
            self.grow(f"{stem}*").join(node)

    def close(self) -> None:
        """Let a word, or a longer stem, lead on to all that the stems do which it begins with."""
        self.stems.sort(key=lambda pair: -len(pair[0]))
        spelled = [*self.exact.items(), *self.stems]
        for word, node in spelled:
            for stem, further in self.stems:
                if further is not node and word.startswith(stem):
                    node.join(further)
        for _, node in spelled:
            node.close()

    def after(self, word: str) -> _Node | None:
        found = self.exact.get(word)
        if found is None and self.stems:
            for stem, node in self.stems:
                if word.startswith(stem):
                    return node
        return found


class Templates:
    """Sequences of words, found at the beginning of a row of tokens; ``skip`` may stand in between."""

    def __init__(self, templates: Iterable[str], skip: frozenset[str] = frozenset()) -> None:
        self._root = _Node()
        self._skip = skip
        for template in templates:
            node = self._root
            for word in template.split():
                node = node.grow(word)
            node.ends = True
        self._root.close()

    def match(self, tokens: list[Token], at: int = 0) -> int:
        """Number of the token after the longest template that begins at token ``at``; 0 for none."""
        node: _Node | None = self._root
        found = 0
        while at < len(tokens):
            word = tokens[at].word
            after = node.after(word) if node is not None else None
            at += 1
            if after is not None:
                node = after
                if node.ends:
                    found = at
            elif node is self._root or word not in self._skip:
                break
        return found
