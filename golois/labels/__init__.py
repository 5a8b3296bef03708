"""A KataGo network as a teacher: its labels of games, and where to find one."""
