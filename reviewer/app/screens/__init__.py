"""The screens and dialogs; each answers with a typed value."""
