"""What each decision asks and does to a case: one module per decision."""
