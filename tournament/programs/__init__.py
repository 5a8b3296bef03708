"""Programs of others, asked over GTP: GNU Go, KataGo and the like."""
