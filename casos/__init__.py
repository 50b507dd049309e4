"""The data set that ships and its tables; read through importlib.resources, never imported for code."""
