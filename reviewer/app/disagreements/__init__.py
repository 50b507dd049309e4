"""The screens on which a clinician adjudicates chart abstraction; what they show is private."""
