"""What families are built of: blocks, heads, attention, learned arrays and the kit's own layers."""
