"""Adjudicating chart abstraction: the only writer of its record, and what a session of decisions knows."""
