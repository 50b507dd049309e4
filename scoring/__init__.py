"""The one scorer that screen and CI share: engine, metrics, gate and record reading."""

__version__ = "0.1.0"
