"""Reading, deciding and signing: the store of gold cases and the terminal app over it."""

from scoring import messages

messages.add_source("reviewer")
