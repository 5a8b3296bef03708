"""Go, NoGo and Hex, as search and self-play see them."""
