"""What sweep.py is made of: its TOML file, runs of train.py, machines of Ray, tables and curves."""
