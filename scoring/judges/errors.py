"""Why a server gave no usable answer: a catalogue key, and what the caller may do about it."""

from __future__ import annotations

from scoring import messages


class ModelError(Exception):
    """One answer that cannot be used.

    The sentence never holds what the server wrote: an error page may repeat the question, and the
    question may be a case of the reserved split.

    Args:
        key: catalogue key of the sentence.
        retry: asking once more may help.
        stop: asking for the other cases would fail in the same way.
        wait: seconds the server asked to be left alone for, or None.
        fields: what the sentence names.
    """

    def __init__(
        self,
        key: str,
        /,
        *,
        retry: bool = True,
        stop: bool = False,
        wait: float | None = None,
        **fields: object,
    ) -> None:
        super().__init__(key)
        self.key = key
        self.retry = retry
        self.stop = stop
        self.wait = wait
        self.fields = fields

    @property
    def code(self) -> str:
        """The stable name of the error: the catalogue key without its area."""
        return self.key.rpartition(".")[2]

    def __str__(self) -> str:
        return messages.text(self.key, **self.fields)


class CancelledError(Exception):
    """The caller does not want the answer any more."""
