"""The app of ``revision``: the only part that knows Textual, which is imported when it is started."""

from __future__ import annotations

from reviewer.app.settings import Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Open the app on this terminal and return the program's exit code when it is left.

    Raises:
        ProductError: the data set or the reviewer cannot be used; nothing has been painted yet.
    """
    from reviewer.app.application import ReviewApp
    from reviewer.app.session import Session

    app = ReviewApp(Session.open(settings))
    app.run()
    return app.return_code or 0
