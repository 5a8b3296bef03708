"""What evaluate.py is made of: held-out positions, metrics, probes, tables and pictures."""
