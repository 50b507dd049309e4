"""What each order of ``revision`` does: one module per order, ``run(context) -> exit code``."""
