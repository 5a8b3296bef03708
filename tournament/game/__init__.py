"""One game: its rules, its job, how it is played, its record, and SGF."""
