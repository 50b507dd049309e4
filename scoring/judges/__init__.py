"""The part of the scorer that talks to a network: judge, calibration, grounding, generation.

Nothing here runs unless a command asks for it, and text leaves the machine only towards a server that
somebody named.
"""
