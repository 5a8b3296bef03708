"""Matches of players of any game, in this process: of self-play's networks, and of attacks."""
