"""Strength from results: ratings with uncertainty, and which games would be most informative."""
