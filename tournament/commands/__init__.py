"""The arena's commands, one a module: `add_parser` says what it takes, and its function runs it."""
