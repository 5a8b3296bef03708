"""Playing games in numbers: schedules and plans, engines, and what is shown meanwhile."""
