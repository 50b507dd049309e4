"""Reports that were stored by earlier runs: read with care, ordered by their own time, set beside today's."""
