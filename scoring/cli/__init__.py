"""The command lines of the scorer and the parts every command of the product shares."""
