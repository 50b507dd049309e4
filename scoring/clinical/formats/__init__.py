"""The same verdict in the forms that other programs and pages read."""

from scoring.clinical.formats.github import workflow_commands
from scoring.clinical.formats.junit import junit, junit_pieces
from scoring.clinical.formats.markdown import summary, summary_lines
from scoring.clinical.formats.page import page, page_pieces

__all__ = [
    "junit",
    "junit_pieces",
    "page",
    "page_pieces",
    "summary",
    "summary_lines",
    "workflow_commands",
]
