"""A league's folder and all that it keeps: networks, games, schedules and placings."""
