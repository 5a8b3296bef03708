"""What all commands and servers of the kit share; it imports nothing of the kit itself."""
