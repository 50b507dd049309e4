"""The review sheet on paper: one module per format."""
