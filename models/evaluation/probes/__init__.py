"""Questions to a trained network, one module each: ladders, circular groups, attention."""
