"""Playing many games: schedules and plans, engines, and progress displays."""
