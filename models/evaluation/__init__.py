"""What evaluate.py is made of: held-out positions, metrics, probes, tables and pictures.

Unlike the rest of `models` it uses games and boards, since it measures networks on them.
"""
