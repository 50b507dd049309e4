"""The views of the dashboard, each as lines of text for a width. No Textual screens, no files, no network."""
