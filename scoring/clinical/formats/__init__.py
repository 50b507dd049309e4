"""The same verdict in the forms that other programs and pages read."""

from scoring.clinical.formats.github import workflow_commands
from scoring.clinical.formats.junit import junit
from scoring.clinical.formats.markdown import summary
from scoring.clinical.formats.page import page

__all__ = ["junit", "page", "summary", "workflow_commands"]
