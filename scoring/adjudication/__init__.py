"""Adjudicating the disagreements of chart abstraction: what a clinician decided, and what follows from it.

Everything here reads; the record is written by ``reviewer.adjudication`` alone. Rows, case ids and comments
are private: they stand in no ``repr``, no error and no report.
"""
