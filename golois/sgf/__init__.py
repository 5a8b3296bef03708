"""SGF, the text that most programs write games in."""
