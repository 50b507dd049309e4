"""Merging two versions of a data set case by case, and telling git to do so.

Git merges lines; a line here is a case, and who decided about it matters more than where it stands.
``merge`` is pure (bytes in, bytes out); ``install`` is what makes a repository use it.
"""

from reviewer.merging.decisions import Conflict
from reviewer.merging.install import DRIVER, Step, install
from reviewer.merging.threeway import Merged, merge

__all__ = ["DRIVER", "Conflict", "Merged", "Step", "install", "merge"]
